/// Labels to and from other wallets, as BIP329 has them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "wallet/store/label_table.h"
#include "wallet/wallet.h"

namespace petal::wallet {

/// The result of an import of records.
struct LabelImport {
    std::size_t own = 0;      ///< name something of the wallet's
    std::size_t kept = 0;     ///< name something that it does not know, or another wallet's
    std::size_t foreign = 0;  ///< of these, how many name addresses of another network
};

/// Imports and exports records. A record counts for this wallet if it has no origin or this
/// wallet's; a record of another wallet is kept as it is. A record may name an unknown transaction
/// or address: its label is shown once that is known. Throws as Wallet does, which must outlive
/// this.
class LabelExchange {
public:
    explicit LabelExchange(Wallet& wallet) : wallet_(wallet) {}

    /// Stores all records, or throws and stores none. Members that a record lacks stay as they are
    /// stored. Of several records for the same thing the last one counts. Needs Access::change.
    LabelImport import(std::span<const LabelRecord> records);

    /// The imported records with their present labels, then the other labels. An empty label says
    /// that an address had one and should not be handed out.
    std::vector<LabelRecord> export_all() const;

private:
    Wallet& wallet_;
};

}  // namespace petal::wallet
