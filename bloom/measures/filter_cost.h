/// The cost of a filter's false positives to a client, in bytes.
#pragma once

#include "bloom/measures/log_probability.h"
#include "bloom/measures/world.h"

namespace petal::bloom {

/// Per day, for a client that follows the chain and relayed transactions of one peer.
struct DailyTraffic {
    double false_transactions = 0;
    double merkle_bytes = 0;       ///< merkleblock messages
    double transaction_bytes = 0;  ///< tx messages of blocks
    double relay_bytes = 0;        ///< inv, getdata and tx messages of unconfirmed transactions

    double total_bytes() const { return merkle_bytes + transaction_bytes + relay_bytes; }
    /// The cost of history: blocks without relayed transactions.
    double block_bytes() const { return merkle_bytes + transaction_bytes; }
};

/// The mean number of hashes in a merkleblock of `leaves` transactions of which each matches with
/// probability p (BIP37, partial merkle trees): leaves p + sum over heights h of
/// leaves / 2^h q (1 - q) with q = (1 - p)^(2^h), and the root's where none matches.
double merkle_hashes(double leaves, double p);

/// A filter of a higher rate hides a wallet only by making nodes send most transactions.
inline constexpr double kSaturated = 0.75;

/// The traffic of a filter with this false positive rate.
DailyTraffic daily_traffic(const World& world, LogProbability rate);

/// The number of transactions among which one payment is hidden from an observer that knows its
/// block: 1 + the mean number of false ones in a block.
double payment_anonymity_set(const World& world, LogProbability rate);

}  // namespace petal::bloom
