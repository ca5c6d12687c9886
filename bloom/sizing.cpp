#include "bloom/sizing.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace petal::bloom {
namespace {

// Bitcoin Core's LN2SQUARED (bloom.cpp), digit for digit: the square of ln2 differs in its last
// bit, which could cut a size differently.
constexpr double kLn2Squared = 0.4804530139182014246671025263266649717305529515945455;

/// The number of functions that makes the rate lowest, not yet whole nor within limits.
double best_hash_functions(std::size_t bits, std::size_t elements, Rounding rounding) {
    using std::numbers::ln2;
    const std::size_t whole = bits / elements;
    if (rounding == Rounding::integer_division) return static_cast<double>(whole) * ln2;
    return static_cast<double>(bits) / static_cast<double>(elements) * ln2;
}

}  // namespace

FilterSize filter_size(std::size_t elements, double false_positive_rate, Rounding rounding) {
    assert(elements >= 1);
    assert(false_positive_rate > 0 && false_positive_rate < 1);

    const double wanted_bits =
        -1 / kLn2Squared * static_cast<double>(elements) * std::log(false_positive_rate);
    const double max_bits = static_cast<double>(kMaxFilterBytes * 8);
    FilterSize size;
    size.bytes =
        std::max<std::size_t>(1, static_cast<std::size_t>(std::min(wanted_bits, max_bits)) / 8);

    const double wanted_functions =
        std::floor(best_hash_functions(size.bytes * 8, elements, rounding));
    size.hash_functions =
        static_cast<std::uint32_t>(std::clamp(wanted_functions, 1.0, double{kMaxHashFunctions}));
    size.capped = std::floor(wanted_bits) > max_bits || wanted_functions > kMaxHashFunctions;
    return size;
}

double expected_false_positive_rate(const FilterSize& size, std::size_t elements) {
    const double functions = size.hash_functions;
    const double bits = static_cast<double>(size.bytes) * 8;
    const double set = -std::expm1(-functions * static_cast<double>(elements) / bits);
    return std::pow(set, functions);
}

}  // namespace petal::bloom
