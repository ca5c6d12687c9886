/// The cost of a filter's false positives to a client: bytes, and the time until the false
/// positives multiply. Also the cost of searching blocks without a Bloom filter.
#pragma once

#include <optional>

#include "bloom/measures/log_probability.h"
#include "bloom/measures/world.h"
#include "bloom/sizing.h"

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

/// The mean number of hashes in a merkleblock of `leaves` transactions if each transaction matches
/// with probability p (BIP37, partial merkle trees): leaves p + sum over heights h of leaves / 2^h
/// q (1 - q) with q = (1 - p)^(2^h), and one hash, the root, if no transaction matches.
double merkle_hashes(double leaves, double p);

/// A filter of a higher rate hides a wallet only by making nodes send most transactions.
inline constexpr double kSaturated = 0.75;

/// The traffic of a filter with this false positive rate.
DailyTraffic daily_traffic(const World& world, LogProbability rate);

/// A client that downloads the compact filter of each block (BIP157, BIP158), and each block with a
/// matching filter.
struct CompactFilterUse {
    double scripts = 0;          ///< that the client looks for in each filter
    double blocks_per_year = 0;  ///< that have the client's transactions
};

/// The mean number of blocks that the client downloads in a year. A script that is not in a block
/// matches the block's filter with a chance of 1 in chain::kBasicInverseRate.
double fetched_blocks_per_year(const World& world, const CompactFilterUse& use);

/// The filters and the downloaded blocks, in bytes.
double compact_filter_bytes_per_year(const World& world, const CompactFilterUse& use);

/// The transactions that a node relays in a day, all of them and with witnesses, in bytes.
double daily_relay_bytes(const World& world);

/// The number of transactions that hide one payment from an observer that knows the payment's
/// block: 1 + the mean number of false positives in a block.
double payment_anonymity_set(const World& world, LogProbability rate);

/// How a filter fills up when servers add outpoints (BIP37, UPDATE_ALL).
struct Drift {
    double outpoints = 0;  ///< that servers add for false matches until then
    double days = 0;
    double blocks = 0;
};

/// The time until the rate of a filter with `elements` elements is `factor` times as high: dn/dt =
/// R f(n), with R outputs a day. Nothing if the rate never gets so high, or not within a hundred
/// years. The added outpoints reveal nothing to the server, which computes the outpoints from
/// public data. But the filter becomes expensive (first noticed by N. Dorier, NBitcoin.SPVSample).
/// factor   more than 1
std::optional<Drift> drift_until(const FilterSize& size, double elements, double factor,
                                 const World& world);

}  // namespace petal::bloom
