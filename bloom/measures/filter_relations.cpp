#include "bloom/measures/filter_relations.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "chain/enum_table.h"

namespace petal::bloom {
namespace {

bool is_set(const BloomFilter& filter, std::size_t bit) {
    return (filter.bytes()[bit / 8] >> (bit % 8) & 1) != 0;
}

double fill_of(const BloomFilter& filter) {
    return static_cast<double>(filter.bits_set()) / static_cast<double>(filter.bit_count());
}

FilterSize size_of(const BloomFilter& filter) {
    return {filter.bytes().size(), filter.hash_functions(), false};
}

std::size_t common_bits(const BloomFilter& a, const BloomFilter& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.bytes().size(); ++i) {
        count += static_cast<std::size_t>(
            std::popcount(static_cast<chain::Byte>(a.bytes()[i] & b.bytes()[i])));
    }
    return count;
}

/// How many set bits have each number modulo `modulus`, which divides the filter's bits.
std::vector<std::uint32_t> set_by_residue(const BloomFilter& filter, std::size_t modulus) {
    std::vector<std::uint32_t> count(modulus);
    std::size_t residue = 0;
    for (std::size_t bit = 0; bit < filter.bit_count(); ++bit) {
        count[residue] += is_set(filter, bit) ? 1U : 0U;
        if (++residue == modulus) residue = 0;
    }
    return count;
}

/// J: the probability that one hash sets a bit in both filters.
double joint_fill(const BloomFilter& a, const BloomFilter& b) {
    const std::size_t modulus = std::gcd(a.bit_count(), b.bit_count());
    const auto in_a = set_by_residue(a, modulus);
    const auto in_b = set_by_residue(b, modulus);
    double sum = 0;
    for (std::size_t r = 0; r < modulus; ++r) sum += static_cast<double>(in_a[r]) * in_b[r];
    return sum * static_cast<double>(modulus) /
           (static_cast<double>(a.bit_count()) * static_cast<double>(b.bit_count()));
}

using FilterGroup = std::vector<const BloomFilter*>;

/// J for three filters and more, sampled at hashes a golden section apart, which are spread evenly
/// over all 32-bit numbers.
double sampled_joint_fill(const FilterGroup& group) {
    constexpr std::uint32_t kSamples = 1 << 18;
    constexpr std::uint32_t kGoldenSection = 0x9e3779b9;
    std::uint32_t set = 0;
    for (std::uint32_t i = 0; i < kSamples; ++i) {
        const std::uint32_t hash = i * kGoldenSection;
        set += std::ranges::all_of(
                   group, [hash](const auto* f) { return is_set(*f, hash % f->bit_count()); })
                   ? 1U
                   : 0U;
    }
    return static_cast<double>(set) / kSamples;
}

double joint_fill(const FilterGroup& group) {
    if (group.size() == 1) return fill_of(*group[0]);
    if (group.size() == 2) return joint_fill(*group[0], *group[1]);
    return sampled_joint_fill(group);
}

/// The filter of the bits set in both. An element matches the intersection exactly if the element
/// matches both filters.
BloomFilter intersection(const BloomFilter& a, const BloomFilter& b) {
    if (std::ranges::equal(a.bytes(), b.bytes())) return a;
    chain::Bytes bytes(a.bytes().begin(), a.bytes().end());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] &= b.bytes()[i];
    return {std::move(bytes), a.hash_functions(), a.tweak(), a.flags()};
}

/// The filters, with all filters that are hashed the same way merged into one intersection. No
/// information is lost.
std::vector<BloomFilter> merged(std::span<const BloomFilter> filters) {
    std::vector<BloomFilter> distinct;
    for (const BloomFilter& filter : filters) {
        const auto same = std::ranges::find_if(
            distinct, [&filter](const auto& other) { return same_hashing(other, filter); });
        if (same == distinct.end()) {
            distinct.push_back(filter);
        } else {
            *same = intersection(*same, filter);
        }
    }
    return distinct;
}

}  // namespace

std::string_view key_of(FilterRelation relation) {
    using enum FilterRelation;
    static constexpr auto kKeys = chain::enum_table<FilterRelation, std::string_view>({
        {identical, "identical"},
        {nested, "nested"},
        {same_hashes, "same-hashes"},
        {resized, "resized"},
        {shifted, "shifted"},
        {independent, "independent"},
    });
    return kKeys[relation];
}

bool same_hashing(const BloomFilter& a, const BloomFilter& b) {
    return a.bit_count() == b.bit_count() && a.hash_functions() == b.hash_functions() &&
           a.tweak() == b.tweak();
}

unsigned shared_seeds(const BloomFilter& a, const BloomFilter& b) {
    unsigned shared = 0;
    for (std::uint32_t i = 0; i < a.hash_functions(); ++i) {
        for (std::uint32_t j = 0; j < b.hash_functions(); ++j) {
            shared += a.seed(i) == b.seed(j) ? 1U : 0U;
        }
    }
    return shared;
}

FilterRelation relate(const BloomFilter& a, const BloomFilter& b) {
    if (same_hashing(a, b)) {
        const std::size_t common = common_bits(a, b);
        const bool a_within = common == a.bits_set();
        const bool b_within = common == b.bits_set();
        if (a_within && b_within) return FilterRelation::identical;
        return a_within || b_within ? FilterRelation::nested : FilterRelation::same_hashes;
    }
    if (a.tweak() == b.tweak()) return FilterRelation::resized;
    return shared_seeds(a, b) > 0 ? FilterRelation::shifted : FilterRelation::independent;
}

LogProbability common_rate(const BloomFilter& a, const BloomFilter& b) {
    const unsigned shared = shared_seeds(a, b);
    return LogProbability::power(fill_of(a), a.hash_functions() - shared) *
           LogProbability::power(fill_of(b), b.hash_functions() - shared) *
           LogProbability::power(joint_fill(a, b), shared);
}

LogProbability common_rate(std::span<const BloomFilter> filters) {
    assert(!filters.empty());
    const std::vector<BloomFilter> distinct = merged(filters);
    std::map<std::uint32_t, FilterGroup> by_seed;
    for (const BloomFilter& filter : distinct) {
        for (std::uint32_t i = 0; i < filter.hash_functions(); ++i) {
            by_seed[filter.seed(i)].push_back(&filter);
        }
    }
    std::map<FilterGroup, unsigned> seeds_of;
    for (const auto& entry : by_seed) ++seeds_of[entry.second];
    LogProbability rate = LogProbability::from_ln(0);
    for (const auto& entry : seeds_of) {
        rate = rate * LogProbability::power(joint_fill(entry.first), entry.second);
    }
    return rate;
}

Growth growth(const BloomFilter& earlier, const BloomFilter& later) {
    assert(same_hashing(earlier, later));
    const std::size_t common = common_bits(earlier, later);
    Growth growth;
    growth.new_bits = later.bits_set() - common;
    growth.lost_bits = earlier.bits_set() - common;
    const Estimate before = estimate_elements(size_of(earlier), earlier.bits_set());
    const Estimate after = estimate_elements(size_of(later), later.bits_set());
    growth.new_elements = {after.value - before.value,
                           std::hypot(after.deviation, before.deviation)};
    const double both = common_rate(earlier, later).value();
    const double only_later =
        LogProbability::power(fill_of(later), later.hash_functions()).value() - both;
    growth.rate = LogProbability::of(std::clamp(only_later, 0.0, 1.0));
    return growth;
}

Overlap overlap(const BloomFilter& a, const BloomFilter& b) {
    assert(same_hashing(a, b));
    const std::size_t common = common_bits(a, b);
    const double in_a = estimate_elements(size_of(a), a.bits_set()).value;
    const double in_b = estimate_elements(size_of(b), b.bits_set()).value;
    // The union may be full although neither filter is full.
    const std::size_t either = std::min(a.bits_set() + b.bits_set() - common, a.bit_count() - 1);
    const double in_either = estimate_elements(size_of(a), either).value;
    const double bits = static_cast<double>(a.bit_count());
    const double fill_a = fill_of(a);
    const double fill_b = fill_of(b);
    const double spread = std::sqrt(bits * fill_a * (1 - fill_a) * fill_b * (1 - fill_b));
    const double excess = static_cast<double>(common) - bits * fill_a * fill_b;
    return {in_either, std::max(0.0, in_a + in_b - in_either), spread > 0 ? excess / spread : 0};
}

double linking_deviations(double used, double universe, LogProbability common_rate) {
    return used / std::sqrt(universe) * std::exp(-common_rate.ln() / 2);
}

}  // namespace petal::bloom
