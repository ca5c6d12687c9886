/// The information that several filters of one wallet reveal together.
///
/// An inserted element matches all filters. An element that matches one filter by chance hardly
/// matches a second filter, unless the hashes of the two filters are related. The relation is
/// computed exactly from the bits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bloom/bloom_filter.h"
#include "bloom/measures/filter_estimate.h"
#include "bloom/measures/log_probability.h"

namespace petal::bloom {

enum class FilterRelation : std::uint8_t {
    identical,  ///< the same bits, hashed the same way
    nested,  ///< hashed the same way, and one filter has all bits of the other filter: the filter
             ///< grew
    same_hashes,  ///< hashed the same way, each with bits of its own
    resized,      ///< the same tweak, but a different size or number of functions
    shifted,      ///< tweaks a small multiple of 0xFBA4C795 apart: some seeds are the same
    independent,  ///< no seed in common
};

std::string_view key_of(FilterRelation relation);  ///< one stable word

FilterRelation relate(const BloomFilter& a, const BloomFilter& b);

/// How many seeds two filters share: function i has the seed i * 0xFBA4C795 + tweak (BIP37).
unsigned shared_seeds(const BloomFilter& a, const BloomFilter& b);

/// The probability that an element that is in neither filter matches both. For o shared seeds the
/// rate is phi_A^(k_A - o) phi_B^(k_B - o) J^o: f_A f_B if no seed is shared, and far more than f_A
/// f_B if one size divides the other size.
///
/// With a shared seed, one hash h decides on a bit in each filter, h mod m_A and h mod m_B. The two
/// bit numbers agree modulo g = gcd(m_A, m_B). So both bits are set with the probability J = (1/g)
/// sum over r < g of phi_A(r) phi_B(r), where phi(r) is the share of set bits among the bits with
/// numbers that are r modulo g.
LogProbability common_rate(const BloomFilter& a, const BloomFilter& b);

/// common_rate() of any number of filters, at least one. Exact unless three or more filters of
/// different sizes share a seed. Then J is taken from 2^18 evenly spread hashes.
LogProbability common_rate(std::span<const BloomFilter> filters);

/// How a filter changed into a later filter that is hashed the same way.
struct Growth {
    std::size_t new_bits = 0;
    /// Above 0 if elements were dropped, or if the filters are of two wallets.
    std::size_t lost_bits = 0;
    Estimate new_elements;
    /// The probability that an element matches the later filter by chance but not the earlier
    /// filter, f_B - f_A for nested filters. The chance matches hide the added elements. Computed
    /// from the bits: f_B less the rate at which both match.
    LogProbability rate;
};

/// later   must be hashed as `earlier` is
Growth growth(const BloomFilter& earlier, const BloomFilter& later);

/// The number of elements in the union and in the intersection of two filters that are hashed the
/// same way. The union's number is estimated from the bits of A or B, the intersection's is n(A) +
/// n(B) - n(A or B) (Swamidass, Baldi 2007).
struct Overlap {
    double in_either = 0;
    double in_both = 0;
    /// How many standard deviations more common bits the filters have than filters without a common
    /// element: (|A and B| - m phi_A phi_B) / sqrt(m phi_A (1 - phi_A) phi_B (1 - phi_B)).
    double deviations = 0;
};

/// b   must be hashed as `a` is. Neither filter may be full
Overlap overlap(const BloomFilter& a, const BloomFilter& b);

/// Whether two filters are hashed the same way: size, functions, tweak.
bool same_hashing(const BloomFilter& a, const BloomFilter& b);

/// How many standard deviations `used` addresses in both filters stand out from the U f_A f_B
/// addresses that match both by chance. A peer can link two filters of one wallet by this number.
double linking_deviations(double used, double universe, LogProbability common_rate);

}  // namespace petal::bloom
