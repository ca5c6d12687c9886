/// The leak of several filters of one wallet together, with the assumptions about the world.
#pragma once

#include <optional>
#include <span>

#include "bloom/bloom_filter.h"
#include "bloom/measures/filter_relations.h"
#include "bloom/measures/inspection.h"
#include "bloom/measures/log_probability.h"

namespace petal::bloom {

/// The addresses that remain when a peer keeps only the addresses that match all of several
/// filters.
struct CommonMatches {
    LogProbability rate;  ///< probability that an address of another wallet matches all filters
    double false_addresses = 0;  ///< mean number of addresses that match all by chance
    LogProbability guess;        ///< probability that an address that matches all filters is the
                                 ///< wallet's; 0 if none matches
};

/// filters   at least one
CommonMatches common_matches(std::span<const BloomFilter> filters,
                             const InspectionContext& context);

/// Two filters of one wallet, in order of time.
struct FilterComparison {
    FilterRelation relation{};
    unsigned shared_functions = 0;
    CommonMatches common;
    double linking_deviations = 0;
    std::optional<Growth> growth;    ///< if both are hashed the same way
    double growth_cover = 0;         ///< addresses that match only the later filter, by chance
    std::optional<Overlap> overlap;  ///< if both are hashed the same way
};

FilterComparison compare(const BloomFilter& earlier, const BloomFilter& later,
                         const InspectionContext& context);

}  // namespace petal::bloom
