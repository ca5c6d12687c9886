/// The evidence of single matches: candidates, clusters of addresses, pairs, chains of spends.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bloom/measures/log_probability.h"
#include "bloom/measures/world.h"

namespace petal::bloom {

/// log2(1/f): the bits that one match reveals to a peer that tests a suspected address.
double bits_per_match(LogProbability rate);

/// The probability that a cluster of `members` addresses is the wallet's if all members match: pi /
/// (pi + (1 - pi) f^c). A member that does not match excludes the cluster.
/// prior   pi, the prior probability, from 0 to 1
double posterior(double prior, LogProbability rate, double members);

/// Odds at which a cluster of addresses is taken for the wallet's.
inline constexpr double kConclusiveOdds = 100;

/// How many matching addresses of one owner suffice to take the owner for the wallet's among
/// `rivals` candidates, at kConclusiveOdds: ceil(log2(rivals * odds) / bits_each). At least 1.
/// Nothing if no number suffices (bits_each 0).
/// bits_each   bits_per_match(), or shard_evidence()
std::optional<std::uint64_t> conclusive_cluster(double bits_each, double rivals);

/// Bits that one address of the wallet reveals to one peer that holds one of `shards` disjoint
/// filters: t log2(t/f) + (1-t) log2((1-t)/(1-f)) with t = 1/s + (1 - 1/s) f. This is the
/// Kullback-Leibler divergence between the answers for the wallet's addresses and for foreign
/// addresses. Equals bits_per_match() for one shard.
double shard_evidence(unsigned shards, LogProbability rate);

/// shard_evidence() of a client of BIP157 that fetches `fetched` of `blocks` blocks through `peers`
/// peers.
double block_fetch_evidence(double fetched, double blocks, unsigned peers);

/// The probability that a shard was seen by a hostile peer: 1 - (1 - q)^peers, where q is the share
/// of hostile peers and `peers` the number of peers that had the shard.
double shard_exposure(double hostile_share, double peers);
/// The probability that hostile peers see both ends of a spend, if the hostile peers collude and
/// know that the filters belong to one wallet: a/s + (1 - 1/s) a^2, a = shard_exposure().
double both_ends_exposure(unsigned shards, double exposure);

/// The expected number of chains of `length` outputs that all match by chance: O b^(C-1) f^C. Each
/// output of a chain is spent by the transaction of the next output (the subgraph attack: C.
/// Belcher, bitcoin-dev, 2017-02-17). Mean field.
double false_chains(const World& world, LogProbability rate, unsigned length);

/// The length of the shortest chain with fewer than 0.01 expected chance matches. A chain of this
/// length that matches is the wallet's. Nothing if chance chains never die out: f >= 1 /
/// world.branching().
std::optional<unsigned> conclusive_chain(const World& world, LogProbability rate);

/// Two elements with a relation that anyone can compute from public data. A pair with both elements
/// in a filter is the wallet's: by chance only V f^2 pairs match (for a key and its hash: Gervais
/// et al. 2014; J. Nick: Privacy in BitcoinJ, 2015).
enum class DerivablePair : std::uint8_t {
    key_and_hash,           ///< public key, HASH160 of the key
    hash_and_wrapped_hash,  ///< key hash h, HASH160(0x0014 h): P2WPKH and P2SH-P2WPKH of one key
    script_and_hash,        ///< redeem or witness script, hash of the script
    address_and_coin,       ///< an output's data, its outpoint
};

std::string_view key_of(DerivablePair pair);  ///< one stable word

struct PairClass {
    DerivablePair pair{};
    double candidates = 0;  ///< V, the number of pairs that a peer can test
};

/// All pair classes, with the numbers of candidates in `world`.
std::vector<PairClass> derivable_pairs(const World& world);

/// V f^2.
double false_pairs(double candidates, LogProbability rate);

}  // namespace petal::bloom
