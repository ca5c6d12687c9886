/// One filter taken apart: every measure of it at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/measures/evidence.h"
#include "bloom/measures/filter_cost.h"
#include "bloom/measures/filter_drift.h"
#include "bloom/measures/filter_estimate.h"
#include "bloom/measures/known_clients.h"
#include "bloom/measures/log_probability.h"
#include "bloom/measures/world.h"

namespace petal::bloom {

/// The knowledge of a filter's owner that a peer lacks.
struct FilterTruth {
    std::size_t elements = 0;  ///< of the wallet
    std::size_t decoys = 0;    ///< inserted beside them
    double design_rate = 0;    ///< that it was sized for; 0 where it isn't known
    /// Pairs of elements of which one can be computed from the other, but for coins.
    std::vector<DerivablePair> pairs;
    /// Outpoints of the wallet's coins, each a pair with its address.
    std::size_t coins = 0;
    /// Unspent coins of strangers whose addresses match, too, put in so that they hide the
    /// wallet's. Anyone can tell what is spent, and what no block confirms may be made up.
    std::size_t strangers_coins = 0;
};

/// The assumptions where the filter itself does not tell.
struct InspectionContext {
    World world;
    double used = 10;     ///< addresses of the wallet that are on the chain, more than 0
    unsigned shards = 1;  ///< disjoint filters that the wallet spreads over its peers
    std::optional<FilterTruth> truth;
};

/// Counting, with one universe of addresses.
struct CountMeasures {
    Universe universe;
    double false_addresses = 0;    ///< mean; their number is Poisson
    LogProbability guess_plug_in;  ///< P_h(1) as the literature has it
    LogProbability guess;          ///< its mean, what the attack achieves
    LogProbability guess_all;      ///< the mean for all of the wallet's addresses
    double anonymity = 1;          ///< addresses that hide each one
    double leaked_bits = 0;        ///< per address
    double left_bits = 0;
};

struct PairMeasures {
    PairClass pair;
    double own = 0;  ///< the wallet's, if any are inserted: its coins, else its addresses
    std::size_t strangers = 0;  ///< whose pairs are in the filter, too
    double chance_pairs = 0;    ///< that match without being in it
    LogProbability guess;       ///< the mean of P_h(1) among matching pairs
    /// Whether such pairs are in this filter: known from the truth, or because there are fewer than
    /// two elements in it. The bits tell no more.
    std::optional<bool> inserted;
    /// Of the recognised clients those that insert them, once they have what they are made of.
    std::vector<const KnownClient*> inserted_by;

    double false_pairs() const { return static_cast<double>(strangers) + chance_pairs; }
};

struct ChainMeasures {
    unsigned length = 0;
    double false_chains = 0;
};

struct Inspection {
    FilterSize size;
    std::uint32_t tweak = 0;
    std::uint8_t flags = 0;
    std::size_t bits_set = 0;
    double fill = 0;

    Estimate elements;
    LogProbability rate;  ///< of this filter, from its bits
    std::vector<ClientGuess> clients;
    /// The rates that it was designed for: known from the truth, else of the recognised clients,
    /// else what size and functions say (design_rates()). Nothing where that can't be known.
    std::optional<RateRange> design;
    double rate_deviation = 0;  ///< relative, between filters of this size with as much in them

    std::vector<CountMeasures> counts;  ///< for effective_universes(), all addresses first
    double deniability = 0;
    double deniability_cover_3 = 0;

    double match_bits = 0;  ///< that one matching candidate gives
    double evidence = 0;    ///< the same for one peer of a sharded wallet
    std::optional<std::uint64_t> conclusive_cluster;
    std::vector<PairMeasures> pairs;
    std::array<ChainMeasures, 3> chains;  ///< of two, three and four outputs
    std::optional<unsigned> conclusive_chain;

    DailyTraffic traffic;
    double payment_anonymity = 1;
    std::optional<Drift> doubles;  ///< under UPDATE_ALL
    std::optional<Drift> tenfold;

    InspectionContext context;
};

/// The input of the measures: a filter without the positions of its bits.
struct FilterOutline {
    FilterSize size;
    std::uint32_t tweak = 0;
    std::uint8_t flags = 0;
    std::size_t bits_set = 0;

    /// No bytes, no functions, or no bit that is not set: nodes send everything.
    bool matches_all() const { return size.hash_functions == 0 || bits_set == size.bytes * 8; }
};

FilterOutline outline_of(const BloomFilter& filter);

/// The outline of a filterload message's payload, also of a filter that matches everything, which
/// BloomFilter::decode() refuses; for all else that it refuses, its error.
chain::Expected<FilterOutline, FilterError> outline_of_payload(chain::ByteView payload);

/// The average filter of this size with so many elements in it; never quite full.
FilterOutline average_filter(const FilterSize& size, double elements, UpdateMode flags);

/// All measures of a filter that does not match everything. An empty one matches nothing: nothing
/// can be guessed from it.
Inspection inspect(const FilterOutline& filter, InspectionContext context);
inline Inspection inspect(const BloomFilter& filter, InspectionContext context) {
    return inspect(outline_of(filter), std::move(context));
}

}  // namespace petal::bloom
