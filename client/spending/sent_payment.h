/// Data on the wallet's own payments besides their history entry.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "chain/transaction.h"
#include "wallet/wallet.h"

namespace petal::client {

/// Whether witnesses of a stored transaction may be missing: confirmed transactions are stored
/// without them.
bool may_lack_witness(const chain::Transaction& transaction);

/// A transaction all inputs of which are the wallet's.
struct SentPayment {
    /// The user or a peer has shown it unconfirmed, with valid signatures. Any other payment is
    /// known from blocks alone, and anyone with the work can make one up.
    bool shown = false;
    bool is_replacement = false;              ///< as KnownTransaction::is_replacement
    std::vector<chain::TxOutput> recipients;  ///< the outputs that are not the wallet's
    /// In sat/vB. Empty if the wallet has not signed all inputs of a transaction whose witnesses
    /// are not stored. If the wallet has, the witnesses count with their usual size. One signature
    /// in a hundred is a byte smaller.
    std::optional<double> fee_rate;
};

/// Finds the data of payments of a wallet, which must outlive it.
class SentPayments {
public:
    explicit SentPayments(const wallet::Wallet& wallet)
        : wallet_(wallet), is_watch_only_(wallet.info().watch_only) {}

    /// Empty for a transaction with foreign inputs.
    std::optional<SentPayment> find(const wallet::HistoryEntry& entry) const;

private:
    std::optional<std::size_t> size_of(const chain::Transaction& transaction,
                                       const std::vector<wallet::KeyPath>& spent) const;

    const wallet::Wallet& wallet_;
    bool is_watch_only_;
};

}  // namespace petal::client
