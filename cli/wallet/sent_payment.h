/// Data on the wallet's own payments beside their place in the history.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "chain/network_params.h"
#include "chain/transaction.h"
#include "cli/json.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// Whether witnesses of a stored transaction may be missing: what blocks confirm is stored without
/// them.
bool may_lack_witness(const chain::Transaction& transaction);

/// A transaction all inputs of which are the wallet's.
struct SentPayment {
    std::vector<chain::TxOutput> recipients;  ///< the outputs that are not the wallet's
    /// In sat/vB. Of a transaction that is stored without its witnesses, by the size that they have
    /// but for a byte in one of a hundred signatures; empty where others have signed it.
    std::optional<double> fee_rate;
};

/// Finds what is known of payments of a wallet, which must outlive it.
class SentPayments {
public:
    explicit SentPayments(const wallet::Wallet& wallet)
        : wallet_(wallet), is_watch_only_(wallet.info().watch_only) {}

    /// Empty for a transaction that others pay for, too.
    std::optional<SentPayment> find(const wallet::HistoryEntry& entry) const;
    /// transaction_json() with `recipients`, of which a receipt has none, and `fee_rate_sat_vb`,
    /// null where it is not known.
    Json to_json(const wallet::HistoryEntry& entry, const chain::NetworkParams& network) const;

private:
    std::optional<std::size_t> size_of(const chain::Transaction& transaction,
                                       const std::vector<wallet::KeyPath>& spent) const;

    const wallet::Wallet& wallet_;
    bool is_watch_only_;
};

}  // namespace petal::cli
