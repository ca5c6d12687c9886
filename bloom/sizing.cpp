#include "bloom/sizing.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace petal::bloom {
namespace {

// Bitcoin Core's LN2SQUARED (bloom.cpp), digit for digit: the square of ln2 differs in the last
// bit, which could cut a size differently.
constexpr double kLn2Squared = 0.4804530139182014246671025263266649717305529515945455;

/// The number of functions by the formula of nodes and wallets, not yet whole nor within limits.
double functions_by_formula(std::size_t bits, std::size_t elements, Rounding rounding) {
    using std::numbers::ln2;
    const std::size_t whole = bits / elements;
    if (rounding == Rounding::integer_division) return static_cast<double>(whole) * ln2;
    return static_cast<double>(bits) / static_cast<double>(elements) * ln2;
}

/// (1 - e^(-k m / bits))^k.
double rate_of(double bits, double functions, double elements) {
    return std::pow(-std::expm1(-functions * elements / bits), functions);
}

/// The filter of this size with the best number of functions.
SizedFilter best_filter(std::size_t bytes, std::size_t elements) {
    SizedFilter sized;
    sized.bytes = bytes;
    sized.hash_functions = best_hash_functions(bytes, elements);
    sized.expected_rate = expected_false_positive_rate(sized, elements);
    return sized;
}

}  // namespace

SizedFilter filter_size(std::size_t elements, double false_positive_rate, Rounding rounding) {
    assert(elements >= 1);
    assert(false_positive_rate > 0 && false_positive_rate < 1);

    const double wanted_bits =
        -1 / kLn2Squared * static_cast<double>(elements) * std::log(false_positive_rate);
    const double max_bits = static_cast<double>(kMaxFilterBytes * 8);
    SizedFilter size;
    size.bytes =
        std::max<std::size_t>(1, static_cast<std::size_t>(std::min(wanted_bits, max_bits)) / 8);

    const double wanted_functions =
        std::floor(functions_by_formula(size.bytes * 8, elements, rounding));
    size.hash_functions =
        static_cast<std::uint32_t>(std::clamp(wanted_functions, 1.0, double{kMaxHashFunctions}));
    size.capped = std::floor(wanted_bits) > max_bits || wanted_functions > kMaxHashFunctions;
    size.expected_rate = expected_false_positive_rate(size, elements);
    return size;
}

std::optional<SizedFilter> smallest_filter(std::size_t elements, double false_positive_rate) {
    assert(elements >= 1);
    assert(false_positive_rate > 0 && false_positive_rate < 1);
    // No filter of fewer bits has so low a rate, with any number of functions.
    const double fewest_bits =
        -static_cast<double>(elements) * std::log(false_positive_rate) / kLn2Squared;
    if (fewest_bits > static_cast<double>(kMaxFilterBytes * 8)) return std::nullopt;
    for (std::size_t bytes = std::max<std::size_t>(1, static_cast<std::size_t>(fewest_bits) / 8);
         bytes <= kMaxFilterBytes; ++bytes) {
        const SizedFilter sized = best_filter(bytes, elements);
        if (sized.expected_rate <= false_positive_rate) return sized;
    }
    return std::nullopt;
}

std::uint32_t best_hash_functions(std::size_t bytes, std::size_t elements) {
    assert(elements >= 1);
    const double bits = static_cast<double>(bytes) * 8;
    const double count = static_cast<double>(elements);
    const double lower =
        std::clamp(std::floor(bits / count * std::numbers::ln2), 1.0, double{kMaxHashFunctions});
    const double upper = std::min(lower + 1, double{kMaxHashFunctions});
    const bool is_upper = rate_of(bits, upper, count) < rate_of(bits, lower, count);
    return static_cast<std::uint32_t>(is_upper ? upper : lower);
}

std::uint32_t best_hash_functions_at_rate(double false_positive_rate) {
    const double functions =
        std::clamp(std::floor(-std::log2(false_positive_rate)), 1.0, double{kMaxHashFunctions});
    const auto lower = static_cast<std::uint32_t>(functions);
    const std::uint32_t upper = std::min(lower + 1, kMaxHashFunctions);
    const auto most = [&](std::uint32_t count) {
        return elements_at_rate({kMaxFilterBytes, count, false}, false_positive_rate);
    };
    return most(upper) > most(lower) ? upper : lower;
}

double expected_false_positive_rate(const FilterSize& size, std::size_t elements) {
    return rate_of(static_cast<double>(size.bytes) * 8, size.hash_functions,
                   static_cast<double>(elements));
}

std::size_t elements_at_rate(const FilterSize& size, double false_positive_rate) {
    assert(false_positive_rate > 0 && false_positive_rate < 1);
    const double functions = size.hash_functions;
    // 1 - rate^(1/k): the part of the bits that stays zero. Above 0 even for a rate next to 1.
    const double empty = -std::expm1(std::log(false_positive_rate) / functions);
    const double bits = static_cast<double>(size.bytes) * 8;
    return static_cast<std::size_t>(bits / functions * -std::log(empty));
}

std::optional<FilterSize> GeneralSize::for_peers() const {
    if (bits > kMaxFilterBytes * 8 || hash_functions > kMaxHashFunctions) return std::nullopt;
    return FilterSize{static_cast<std::size_t>(bits / 8), hash_functions, false};
}

double GeneralSize::expected_rate(std::uint64_t elements) const {
    return rate_of(static_cast<double>(bits), hash_functions, static_cast<double>(elements));
}

GeneralSize general_size(std::uint64_t expected_insertions, double false_positive_rate) {
    assert(expected_insertions >= 1 && expected_insertions <= std::uint64_t{1} << 40);
    assert(false_positive_rate >= 1e-15 && false_positive_rate < 1);
    using std::numbers::ln2;
    const double rate_ln = std::log(false_positive_rate);
    const double bits = -static_cast<double>(expected_insertions) * rate_ln / (ln2 * ln2);
    GeneralSize size;
    size.bits = (std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bits)) + 63) / 64 * 64;
    size.hash_functions = static_cast<std::uint32_t>(std::max(1.0, std::round(-rate_ln / ln2)));
    return size;
}

}  // namespace petal::bloom
