/// Labels and frozen coins in the format of BIP329.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "wallet/store/label_table.h"
#include "wallet/wallet.h"

namespace petal::wallet {

/// The result of an import of records.
struct LabelImport {
    std::size_t own = 0;       ///< labels of objects of the wallet
    std::size_t kept = 0;      ///< labels of objects that are unknown or another wallet's
    std::size_t foreign = 0;   ///< kept labels of addresses of another network
    std::size_t frozen = 0;    ///< outputs that were not frozen before, known or not
    std::size_t unfrozen = 0;  ///< outputs that were frozen before
};

/// Imports and exports records. A record counts for this wallet if it has no origin or this
/// wallet's, whose fingerprint may be in capitals. A record of another wallet is kept unchanged. A
/// record may name an unknown transaction or address: its label is shown once that is known. Throws
/// as Wallet does, which must outlive this.
class LabelExchange {
public:
    explicit LabelExchange(Wallet& wallet) : wallet_(wallet) {}

    /// Stores all records, or throws and stores none. Members that a record lacks keep their stored
    /// value. If several records are for the same object, the last one counts. No field is longer
    /// than label_table.h allows. Needs Access::change.
    LabelImport import(std::span<const LabelRecord> records);

    /// The imported records with their present labels, then the other labels. An empty label
    /// records that an address had a label and should not be handed out.
    std::vector<LabelRecord> export_all() const;

    /// Freezes or unfreezes coins, as a record with `spendable` does: no payment spends a frozen
    /// coin. Returns the coins that were not in this state before. If one is neither an output of
    /// the wallet's nor frozen, changes nothing and returns that one. Needs Access::change.
    chain::Expected<std::vector<chain::Outpoint>, chain::Outpoint> set_frozen(
        std::span<const chain::Outpoint> coins, bool is_frozen);

private:
    Wallet& wallet_;
};

}  // namespace petal::wallet
