#include "bloom/measures/filter_comparison.h"

#include <algorithm>
#include <array>

#include "bloom/measures/count_privacy.h"

namespace petal::bloom {

CommonMatches common_matches(std::span<const BloomFilter> filters,
                             const InspectionContext& context) {
    CommonMatches common;
    common.rate = common_rate(filters);
    const double used = std::min(context.used, context.world.addresses);
    common.false_addresses = expected_false_addresses(context.world.addresses, used, common.rate);
    // No address matches an empty filter, not even the wallet's, so there are no candidates to
    // guess from.
    const bool is_any_empty =
        std::ranges::any_of(filters, [](const BloomFilter& f) { return f.bits_set() == 0; });
    if (!is_any_empty) {
        common.guess = mean_guess_probability(used, common.false_addresses, std::min(1.0, used));
    }
    return common;
}

FilterComparison compare(const BloomFilter& earlier, const BloomFilter& later,
                         const InspectionContext& context) {
    const std::array both{earlier, later};
    FilterComparison compared;
    compared.relation = relate(earlier, later);
    compared.shared_functions = shared_seeds(earlier, later);
    compared.common = common_matches(both, context);
    compared.linking_deviations =
        linking_deviations(context.used, context.world.addresses, compared.common.rate);
    if (!same_hashing(earlier, later)) return compared;
    compared.growth = growth(earlier, later);
    compared.growth_cover = context.world.addresses * compared.growth->rate.value();
    compared.overlap = overlap(earlier, later);
    return compared;
}

}  // namespace petal::bloom
