/// Import and export of labels and frozen coins (BIP329).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "wallet/store/label_table.h"
#include "wallet/wallet.h"

namespace petal::wallet {

/// The result of an import.
struct LabelImport {
    std::size_t own = 0;       ///< labels of the wallet's objects
    std::size_t kept = 0;      ///< labels of unknown objects or of another wallet's objects
    std::size_t foreign = 0;   ///< `kept` labels that are of addresses of another network
    std::size_t frozen = 0;    ///< newly frozen outputs, including unknown outputs
    std::size_t unfrozen = 0;  ///< outputs that are no longer frozen
};

/// Imports and exports BIP329 records. Throws like Wallet, which must outlive this object.
/// - A record without an origin, or with an origin of this wallet (in either case of letters),
///   applies to this wallet.
/// - A record of another wallet is stored unchanged.
/// - A label of an unknown transaction or address is shown once the object is known.
class LabelExchange {
public:
    explicit LabelExchange(Wallet& wallet) : wallet_(wallet) {}

    /// Stores all records, or throws and stores none. Members that a record lacks keep their stored
    /// value. Of several records for one object, the last record counts. The fields must be within
    /// the limits of label_table.h. Needs Access::change.
    LabelImport import(std::span<const LabelRecord> records);

    /// The imported records with their current labels, then all remaining labels. An empty label
    /// means that an address had a label and should not be handed out.
    std::vector<LabelRecord> export_all() const;

    /// Freezes or unfreezes coins, like a record with `spendable`. No payment spends a frozen coin.
    /// Returns the coins whose state has changed. If a coin is neither an output of the wallet nor
    /// frozen, changes nothing and returns the coin as the error. Needs Access::change.
    chain::Expected<std::vector<chain::Outpoint>, chain::Outpoint> set_frozen(
        std::span<const chain::Outpoint> coins, bool is_frozen);

private:
    Wallet& wallet_;
};

}  // namespace petal::wallet
