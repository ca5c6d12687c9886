#include "bloom/measures/inspection.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "bloom/measures/count_privacy.h"
#include "chain/byte_reader.h"

namespace petal::bloom {
namespace {

CountMeasures count_measures(const Universe& universe, double used, LogProbability rate) {
    const double own = std::min(used, universe.addresses);
    CountMeasures count;
    count.universe = universe;
    count.false_addresses = expected_false_addresses(universe.addresses, own, rate);
    count.guess_plug_in = guess_probability(own, count.false_addresses, std::min(1.0, own));
    count.guess = mean_guess_probability(own, count.false_addresses, std::min(1.0, own));
    count.guess_all = mean_guess_probability(own, count.false_addresses, own);
    count.anonymity = anonymity_set(own, count.false_addresses);
    count.leaked_bits = bits_leaked(universe.addresses, own, count.false_addresses);
    count.left_bits = bits_left(own, count.false_addresses);
    return count;
}

bool is_among(const auto& pairs, DerivablePair pair) {
    return std::ranges::find(pairs, pair) != pairs.end();
}

PairMeasures pair_measures(const PairClass& pair, const Inspection& seen) {
    const auto& truth = seen.context.truth;
    PairMeasures measured;
    measured.pair = pair;
    measured.own = seen.context.used;
    if (truth && pair.pair == DerivablePair::address_and_coin) {
        measured.inserted = truth->coins > 0;
        measured.strangers = truth->strangers_coins;
        if (truth->coins > 0) measured.own = static_cast<double>(truth->coins);
    } else if (truth) {
        measured.inserted = is_among(truth->pairs, pair.pair);
    } else if (seen.elements.value + 5 * seen.elements.deviation < 2) {
        measured.inserted = false;
    }
    for (const ClientGuess& guess : seen.clients) {
        if (truth || !is_among(guess.client->pairs, pair.pair)) continue;
        measured.inserted_by.push_back(guess.client);
    }
    measured.chance_pairs = false_pairs(pair.candidates, seen.rate);
    measured.guess =
        mean_guess_probability(measured.own, measured.false_pairs(), std::min(1.0, measured.own));
    return measured;
}

std::optional<RateRange> design_of(const Inspection& seen) {
    const auto& truth = seen.context.truth;
    if (truth && truth->design_rate > 0) {
        return RateRange{truth->design_rate, truth->design_rate};
    }
    if (seen.clients.empty()) return design_rates(seen.size);
    RateRange range = seen.clients.front().design_rates(seen.size);
    for (const ClientGuess& guess : seen.clients) {
        const RateRange other = guess.design_rates(seen.size);
        range.lowest = std::min(range.lowest, other.lowest);
        range.highest = std::max(range.highest, other.highest);
    }
    return range;
}

void measure_counts(Inspection& seen) {
    for (const Universe& universe : effective_universes(seen.context.world)) {
        seen.counts.push_back(count_measures(universe, seen.context.used, seen.rate));
    }
    const double false_addresses = seen.counts.front().false_addresses;
    if (seen.bits_set == 0) return;
    const auto set = static_cast<double>(seen.bits_set);
    seen.deniability = deniability(set, seen.size.hash_functions, false_addresses);
    seen.deniability_cover_3 = deniability_cover(set, seen.size.hash_functions, false_addresses, 3);
}

void measure_evidence(Inspection& seen) {
    const World& world = seen.context.world;
    seen.match_bits = bits_per_match(seen.rate);
    seen.evidence = shard_evidence(seen.context.shards, seen.rate);
    seen.conclusive_cluster = conclusive_cluster(seen.evidence, world.rival_clusters);
    for (const PairClass& pair : derivable_pairs(world)) {
        seen.pairs.push_back(pair_measures(pair, seen));
    }
    for (unsigned i = 0; i < seen.chains.size(); ++i) {
        seen.chains[i] = {i + 2, false_chains(world, seen.rate, i + 2)};
    }
    seen.conclusive_chain = conclusive_chain(world, seen.rate);
}

void measure_cost(Inspection& seen) {
    const World& world = seen.context.world;
    seen.traffic = daily_traffic(world, seen.rate);
    seen.payment_anonymity = payment_anonymity_set(world, seen.rate);
    if (update_mode_of(seen.flags) != UpdateMode::all) return;
    seen.doubles = drift_until(seen.size, seen.elements.value, 2, world);
    seen.tenfold = drift_until(seen.size, seen.elements.value, 10, world);
}

/// An empty filter matches nothing, so it has no candidates to guess from.
void forget_guesses(Inspection& seen) {
    for (CountMeasures& count : seen.counts) {
        count.guess_plug_in = count.guess = count.guess_all = LogProbability();
        count.leaked_bits = 0;
    }
    for (PairMeasures& pair : seen.pairs) {
        pair.guess = LogProbability();
        pair.inserted = false;
    }
    seen.match_bits = seen.evidence = 0;
    seen.conclusive_cluster.reset();
    seen.conclusive_chain.reset();
}

}  // namespace

FilterOutline outline_of(const BloomFilter& filter) {
    return {{filter.bytes().size(), filter.hash_functions(), false},
            filter.tweak(),
            filter.flags(),
            filter.bits_set()};
}

chain::Expected<FilterOutline, FilterError> outline_of_payload(chain::ByteView payload) {
    const auto filter = BloomFilter::decode(payload);
    if (filter) return outline_of(*filter);
    const bool matches_all = filter.error() == FilterError::no_bytes ||
                             filter.error() == FilterError::no_hash_functions ||
                             filter.error() == FilterError::all_ones;
    if (!matches_all) return chain::Unexpected(filter.error());
    chain::ByteReader reader(payload);
    const chain::Bytes bytes = reader.read_var_bytes(kMaxFilterBytes);
    FilterOutline outline;
    outline.size = {bytes.size(), reader.read_u32(), false};
    outline.tweak = reader.read_u32();
    outline.flags = reader.read_u8();
    for (const chain::Byte byte : bytes) {
        outline.bits_set += static_cast<std::size_t>(std::popcount(byte));
    }
    return outline;
}

FilterOutline average_filter(const FilterSize& size, double elements, UpdateMode flags) {
    const double bits = static_cast<double>(size.bytes) * 8;
    const double set = std::min(std::round(bits * expected_fill(size, elements)), bits - 1);
    return {size, 0, static_cast<std::uint8_t>(flags), static_cast<std::size_t>(set)};
}

Inspection inspect(const FilterOutline& filter, InspectionContext context) {
    assert(!filter.matches_all() && context.used > 0);
    Inspection seen;
    seen.context = std::move(context);
    seen.size = {filter.size.bytes, filter.size.hash_functions, false};
    seen.tweak = filter.tweak;
    seen.flags = filter.flags;
    seen.bits_set = filter.bits_set;
    seen.fill = static_cast<double>(seen.bits_set) / (static_cast<double>(seen.size.bytes) * 8);
    seen.elements = estimate_elements(seen.size, seen.bits_set);
    seen.rate = LogProbability::power(seen.fill, seen.size.hash_functions);
    seen.clients = recognise(seen.size, update_mode_of(seen.flags), seen.elements);
    seen.design = design_of(seen);
    if (seen.bits_set > 0) {
        seen.rate_deviation = relative_rate_deviation(seen.size, seen.elements.value);
    }
    measure_counts(seen);
    measure_evidence(seen);
    measure_cost(seen);
    if (seen.bits_set == 0) forget_guesses(seen);
    return seen;
}

}  // namespace petal::bloom
