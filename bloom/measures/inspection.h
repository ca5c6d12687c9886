/// Analyses one filter: all its measures at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/measures/evidence.h"
#include "bloom/measures/filter_cost.h"
#include "bloom/measures/filter_estimate.h"
#include "bloom/measures/known_clients.h"
#include "bloom/measures/log_probability.h"
#include "bloom/measures/world.h"

namespace petal::bloom {

/// The knowledge of a filter's owner that a peer lacks.
struct FilterTruth {
    std::size_t elements = 0;  ///< of the wallet
    std::size_t decoys = 0;    ///< inserted besides the wallet's elements
    double design_rate = 0;    ///< that the filter was sized for, 0 if unknown
    /// The kinds of derivable pairs among the elements, without `address_and_coin`.
    std::vector<DerivablePair> pairs;
    /// Outpoints of the wallet's coins. Each outpoint is a pair with the coin's address.
    std::size_t coins = 0;
    /// Unspent coins of other owners, with addresses that match too, inserted to hide the wallet's
    /// coins. Anyone can look up whether a coin is spent, and unconfirmed coins may be fabricated.
    std::size_t strangers_coins = 0;
};

/// Assumptions for facts that the filter itself does not show.
struct InspectionContext {
    World world;
    double used = 10;     ///< addresses of the wallet that are on the chain, more than 0
    unsigned shards = 1;  ///< disjoint filters that the wallet spreads over its peers
    std::optional<FilterTruth> truth;
};

/// The counting attack with one universe of addresses.
struct CountMeasures {
    Universe universe;
    double false_addresses = 0;    ///< the mean of a Poisson distribution
    LogProbability guess_plug_in;  ///< P_h(1) as the literature has it
    LogProbability guess;          ///< the mean of P_h(1): the success rate of the attack
    LogProbability guess_all;      ///< the mean for all of the wallet's addresses
    double anonymity = 1;          ///< addresses that hide each of the wallet's
    double leaked_bits = 0;        ///< per address
    double left_bits = 0;
};

struct PairMeasures {
    PairClass pair;
    /// The wallet's pairs if any are inserted: one for each coin, else one for each address.
    double own = 0;
    std::size_t strangers = 0;  ///< pairs of other owners in the filter
    double chance_pairs = 0;    ///< that match without being in the filter
    LogProbability guess;       ///< the mean of P_h(1) among matching pairs
    /// Whether pairs of this kind are in the filter: from the truth, or false because the filter
    /// has fewer than two elements. The bits alone do not show whether pairs are inserted.
    std::optional<bool> inserted;
    /// Recognised clients that insert pairs of this kind if both elements are the client's.
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
    /// The rates that the filter was designed for: from the truth, else from the recognised
    /// clients, else from the size and functions (design_rates()). Nothing if all three are
    /// unknown.
    std::optional<RateRange> design;
    double rate_deviation = 0;  ///< relative, at this size and number of elements

    std::vector<CountMeasures> counts;  ///< for effective_universes(), all addresses first
    double deniability = 0;
    double deniability_cover_3 = 0;

    double match_bits = 0;  ///< information in bits from one matching candidate
    double evidence = 0;    ///< the same for one peer of a wallet with shards
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

/// The outline of a filterload message's payload. Accepts a filter that matches everything, which
/// BloomFilter::decode() refuses. Fails as BloomFilter::decode() does for any further fault.
chain::Expected<FilterOutline, FilterError> outline_of_payload(chain::ByteView payload);

/// The average filter of this size with `elements` elements. Never quite full.
FilterOutline average_filter(const FilterSize& size, double elements, UpdateMode flags);

/// All measures of a filter that does not match everything. An empty filter matches nothing and
/// reveals nothing.
Inspection inspect(const FilterOutline& filter, InspectionContext context);
inline Inspection inspect(const BloomFilter& filter, InspectionContext context) {
    return inspect(outline_of(filter), std::move(context));
}

}  // namespace petal::bloom
