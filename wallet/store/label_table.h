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

/// The maximum sizes of a BIP329 record's fields in bytes; for its label, kMaxLabelBytes.
inline constexpr std::size_t kMaxLabelRefBytes = 1'000;
inline constexpr std::size_t kMaxLabelOriginBytes = 2'000;
inline constexpr std::size_t kMaxLabelMembersBytes = 128 << 10;

/// A label with the other members of its BIP329 record.
struct LabelRecord {
    std::string type;  ///< `tx`, `addr`, `pubkey`, `input`, `output`, `xpub`, or an unknown one
    std::string ref;   ///< the labelled object
    std::optional<std::string> label;
    std::optional<std::string> origin;  ///< of the wallet that labelled it; not empty
    std::optional<bool> spendable;      ///< of an output
    std::string other_members;          ///< a JSON object's text; empty for none

    friend bool operator==(const LabelRecord&, const LabelRecord&) = default;
};

/// Labels by their BIP329 type and reference; those of the wallet's addresses, transactions and
/// outputs are looked up here. Records have the other members of imported labels. A handle: the
/// connection must outlive it. Within WalletStore::read() or write().
class LabelTable {
public:
    explicit LabelTable(WalletConnection& connection) : connection_(connection) {}

    void for_each(const std::function<void(std::string_view type, std::string ref,
                                           std::string label)>& visit);
    /// Empty if there is none; it may be empty.
    std::optional<std::string> find(std::string_view type, const std::string& ref);
    /// At most kMaxLabelBytes. An empty label is stored, too: it records that there was one.
    void set(std::string_view type, const std::string& ref, const std::string& label);
    void remove(std::string_view type, const std::string& ref);

    /// Visits the records in the order of type, reference and origin. A record that applies to this
    /// wallet has no label of its own: find() returns it.
    void for_each_record(const std::function<void(LabelRecord record, bool applies)>& visit);
    /// Stores a record; members that it lacks keep their stored value. Of several records that
    /// apply to this wallet, the last decides whether the output is spendable, even if their
    /// origins differ.
    /// applies   whether it applies to this wallet: its label is left out, for set()
    void put_record(const LabelRecord& record, bool applies);
    /// The outputs that should not be spent, as TXID:INDEX.
    std::set<std::string> frozen_outputs();

private:
    void set_spendable(const LabelRecord& record, std::uint32_t spendable);

    WalletConnection& connection_;
};

}  // namespace petal::wallet
