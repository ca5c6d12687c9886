/// Reference filters and random elements for the tests of the measures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/measures/world.h"
#include "chain/bytes.h"
#include "chain/hash.h"

namespace petal::test {

/// Reproducible elements: the first 20 bytes of SHA-256("spv-privacy:" + number).
inline chain::Bytes reference_element(int number) {
    const auto hash = chain::sha256(chain::as_bytes("spv-privacy:" + std::to_string(number)));
    return {hash.begin(), hash.begin() + 20};
}

/// A filter with the reference elements 0 to count - 1.
inline bloom::BloomFilter reference_filter(const bloom::FilterSize& size, std::uint32_t tweak,
                                           int count) {
    bloom::BloomFilter filter(size, tweak, bloom::UpdateMode::none);
    for (int i = 0; i < count; ++i) filter.insert(reference_element(i));
    return filter;
}

// The reference filters for numbers from the literature:
// - A
// - B: A with three more elements
// - C: A with a different tweak
// - D: the filter of a full wallet
// - E: sized as bcoin does for 20,000 elements, with 22 elements
inline const bloom::FilterSize kSizeA{179, 9, false};
inline const bloom::FilterSize kSizeD{4'419, 11, false};
inline const bloom::FilterSize kSizeE{35'943, 9, false};
inline bloom::BloomFilter filter_a() {
    return reference_filter(kSizeA, 5, 100);
}
inline bloom::BloomFilter filter_b() {
    return reference_filter(kSizeA, 5, 103);
}
inline bloom::BloomFilter filter_c() {
    return reference_filter(kSizeA, 6, 100);
}
inline bloom::BloomFilter filter_d() {
    return reference_filter(kSizeD, 0x12345678, 2'048);
}
inline bloom::BloomFilter filter_e() {
    return reference_filter(kSizeE, 1, 22);
}

/// The parameters of Bitcoin that the reference values assume.
inline const bloom::World kWorld;

/// The occupancy distribution: the probabilities that 0 … m bits are set after `throws` hashes.
/// Takes throws * bits steps, so it is for filters of some hundred bits.
inline std::vector<double> set_bits_distribution(std::size_t bits, std::size_t throws) {
    const auto m = static_cast<double>(bits);
    std::vector<double> probability(bits + 1, 0.0);
    probability[0] = 1;
    for (std::size_t done = 0; done < throws; ++done) {
        for (std::size_t x = std::min(done + 1, bits); x > 0; --x) {
            const auto set = static_cast<double>(x);
            probability[x] = probability[x] * set / m + probability[x - 1] * (m - set + 1) / m;
        }
        probability[0] = 0;
    }
    return probability;
}

/// The exact mean rate of a new element over all filters of this size with random elements: sum of
/// Pr[X = x] (x/m)^k. Takes as many steps as set_bits_distribution().
inline double exact_expected_rate(const bloom::FilterSize& size, std::size_t elements) {
    const std::size_t bits = size.bytes * 8;
    const auto probability = set_bits_distribution(bits, size.hash_functions * elements);
    double rate = 0;
    for (std::size_t x = 0; x <= bits; ++x) {
        const double fill = static_cast<double>(x) / static_cast<double>(bits);
        rate += probability[x] * std::pow(fill, size.hash_functions);
    }
    return rate;
}

/// Random elements, the same in every run.
class RandomElements {
public:
    explicit RandomElements(std::uint64_t seed) : random_(seed) {}

    std::array<chain::Byte, 20> next() {
        std::array<chain::Byte, 20> element{};
        for (auto& byte : element) byte = static_cast<chain::Byte>(random_());
        return element;
    }
    void insert_into(bloom::BloomFilter& filter, int count) {
        for (int i = 0; i < count; ++i) filter.insert(next());
    }
    std::uint32_t number() { return static_cast<std::uint32_t>(random_()); }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

private:
    std::mt19937_64 random_;
};

/// The mean of the added values, and its standard error.
class Mean {
public:
    void add(double value) {
        ++count_;
        sum_ += value;
        squares_ += value * value;
    }
    double value() const { return sum_ / count_; }
    double deviation() const {
        return std::sqrt(std::max(0.0, (squares_ - sum_ * sum_ / count_) / (count_ - 1)));
    }
    double error() const { return deviation() / std::sqrt(count_); }

private:
    double count_ = 0;
    double sum_ = 0;
    double squares_ = 0;
};

/// Expects equality to six significant digits.
#define EXPECT_SIX_DIGITS(actual, expected) EXPECT_NEAR(actual, expected, std::abs(expected) * 1e-6)
/// Expects that `hits` of `tries` is within four standard errors of the probability.
#define EXPECT_FREQUENCY(probability, hits, tries)                \
    EXPECT_NEAR(static_cast<double>(hits) / (tries), probability, \
                4 * std::sqrt((probability) * (1 - (probability)) / (tries)))

}  // namespace petal::test
