/// The labels in a wallet's file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "wallet/store/wallet_database.h"

namespace petal::wallet {

/// The maximum sizes in bytes of a BIP329 record's fields. For the label see kMaxLabelBytes.
inline constexpr std::size_t kMaxLabelRefBytes = 1'000;
inline constexpr std::size_t kMaxLabelOriginBytes = 2'000;
inline constexpr std::size_t kMaxLabelMembersBytes = 128 << 10;

/// A BIP329 record.
struct LabelRecord {
    std::string type;  ///< `tx`, `addr`, `pubkey`, `input`, `output`, `xpub`, or unknown
    std::string ref;   ///< the labelled object
    std::optional<std::string> label;
    std::optional<std::string> origin;  ///< of the wallet that set the label, not empty
    std::optional<bool> spendable;      ///< of an output
    std::string other_members;          ///< the text of a JSON object, or empty

    friend bool operator==(const LabelRecord&, const LabelRecord&) = default;
};

/// The labels by BIP329 type and reference, and the remaining members of imported records. The
/// connection must outlive the table. To be used within WalletStore::read() or write().
class LabelTable {
public:
    explicit LabelTable(WalletConnection& connection) : connection_(connection) {}

    void for_each(const std::function<void(std::string_view type, std::string ref,
                                           std::string label)>& visit);
    /// Empty if there is no label. The label itself may be an empty text.
    std::optional<std::string> find(std::string_view type, const std::string& ref);
    /// Stores a label of at most kMaxLabelBytes. An empty label records that there was a label.
    void set(std::string_view type, const std::string& ref, const std::string& label);
    void remove(std::string_view type, const std::string& ref);

    /// Visits the records in the order of type, reference and origin. A record that applies to this
    /// wallet is visited without its label, which find() returns.
    void for_each_record(const std::function<void(LabelRecord record, bool applies)>& visit);
    /// Stores a record. Members that the record lacks keep their stored value. Of several records
    /// that apply to this wallet, even with different origins, the last record decides whether the
    /// output is spendable.
    /// applies   whether the record applies to this wallet. If so, its label is not stored here but
    ///           by set()
    void put_record(const LabelRecord& record, bool applies);
    /// The frozen outputs, as TXID:INDEX.
    std::set<std::string> frozen_outputs();

private:
    void set_spendable(const LabelRecord& record, std::uint32_t spendable);

    WalletConnection& connection_;
};

}  // namespace petal::wallet
