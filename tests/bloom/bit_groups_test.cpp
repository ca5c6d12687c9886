#include "bloom/bit_groups.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bloom/murmur3.h"
#include "bloom/sizing.h"
#include "bloom/visit_bits.h"

namespace petal::bloom {
namespace {

/// One bit for each hash function, in order.
using Bits = std::vector<std::uint32_t>;

BitLayout layout(std::size_t bytes, std::uint32_t hash_functions, std::uint32_t tweak) {
    return {FastRemainder(static_cast<std::uint32_t>(bytes)), hash_functions, tweak};
}

/// The bits by the definition of BIP37.
Bits bits_of_bip37(const BitLayout& layout, chain::ByteView element) {
    Bits bits;
    for (std::uint32_t i = 0; i < layout.hash_functions; ++i) {
        const std::uint32_t hash = murmur3(i * 0xfba4c795U + layout.tweak, element);
        bits.push_back(hash % (layout.by_bytes.divisor * 8));
    }
    return bits;
}

std::uint32_t bit_of(const auto& bits, std::size_t i) {
    return bits.bytes[i] * 8 + static_cast<std::uint32_t>(std::countr_zero(bits.masks[i]));
}

/// A visitor that appends the bits of each group.
auto collect_into(Bits& bits) {
    return [&bits](const auto& group) {
        for (std::size_t i = 0; i < group.bytes.size(); ++i) bits.push_back(bit_of(group, i));
        return true;
    };
}

/// One bit for each hash function.
Bits list_of(const ElementBits& bits, const BitLayout& layout) {
    Bits result;
    for (std::size_t i = 0; i < layout.hash_functions; ++i) result.push_back(bit_of(bits, i));
    return result;
}

std::set<std::uint32_t> without_repetition(const Bits& bits) {
    return {bits.begin(), bits.end()};
}

chain::Bytes random_bytes(std::size_t size, std::mt19937& random) {
    chain::Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<chain::Byte>(random());
    return bytes;
}

/// Calls `check` for every number of hash functions, with filters and elements of many sizes.
template <typename Check>
void for_many_elements(Check check) {
    std::mt19937 random(37);
    for (std::uint32_t functions = 1; functions <= kMaxHashFunctions; ++functions) {
        for (const std::size_t bytes : {1U, 2U, 3U, 7U, 8U, 9U, 2'396U, 35'999U, 36'000U}) {
            const auto size = random() % (kMaxMixedBytes + 1);
            check(layout(bytes, functions, static_cast<std::uint32_t>(random())),
                  random_bytes(random() % 4 == 0 ? size : size % 75, random));
        }
    }
}

TEST(BitGroups, PlainCodeFollowsTheDefinition) {
    for_many_elements([](const BitLayout& layout, const chain::Bytes& element) {
        Bits bits;
        EXPECT_TRUE(visit_bits_portable(layout, MixedElement<>(element), collect_into(bits)));
        ASSERT_EQ(bits, bits_of_bip37(layout, element));
    });
}

#if defined(__x86_64__)
TEST(BitGroups, Avx2FollowsTheDefinition) {
    if (!has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
    for_many_elements([](const BitLayout& layout, const chain::Bytes& element) {
        if (layout.hash_functions < kAvx2Lanes) return;
        Bits bits;
        EXPECT_TRUE(visit_bits_avx2<std::dynamic_extent>(layout, element, collect_into(bits)));
        const Bits expected = bits_of_bip37(layout, element);
        ASSERT_EQ(without_repetition(bits), without_repetition(expected));
    });
}
#endif

TEST(BitGroups, AllAtOnceFollowTheDefinition) {
    for_many_elements([](const BitLayout& layout, const chain::Bytes& element) {
        const Bits expected = bits_of_bip37(layout, element);
        ASSERT_EQ(list_of(all_bits(layout, element), layout), expected);
        const MixedElement<> mixed(element);
        ASSERT_EQ(list_of(all_bits_portable(layout, mixed), layout), expected);
    });
}

void expect_bits_of_bip37(const BitLayout& layout, const chain::Bytes& element) {
    SCOPED_TRACE(std::to_string(element.size()) + " bytes");
    const Bits expected = bits_of_bip37(layout, element);
    Bits bits;
    EXPECT_TRUE(visit_bits(layout, element, collect_into(bits)));
    EXPECT_EQ(without_repetition(bits), without_repetition(expected));
    EXPECT_EQ(list_of(all_bits(layout, element), layout), expected);
}

TEST(BitGroups, SizesKnownToTheCompilerChangeNothing) {
    std::mt19937 random(38);
    for (std::uint32_t functions = 1; functions <= kMaxHashFunctions; ++functions) {
        for (const std::size_t size : {19U, 20U, 21U, 31U, 32U, 33U, 35U, 36U, 37U}) {
            const auto element = random_bytes(size, random);
            const BitLayout shape = layout(2'396, functions, 5);
            expect_bits_of_bip37(shape, element);
        }
    }
}

TEST(BitGroups, ElementsOfAnySizeFollowTheDefinition) {
    std::mt19937 random(39);
    for (const std::size_t size : {0U, 1U, 519U, 520U, 521U, 522U, 523U, 524U, 10'000U}) {
        const auto element = random_bytes(size, random);
        const BitLayout shape = layout(36'000, 11, 0xffffffff);
        expect_bits_of_bip37(shape, element);
    }
}

TEST(BitGroups, StopAtTheFirstRefusal) {
    for (const std::size_t size : {20U, 25U, 521U}) {
        for (const std::uint32_t functions : {1U, 3U, 9U, 11U, 50U}) {
            int calls = 0;
            const auto refuse = [&calls](const auto&) { return ++calls, false; };
            EXPECT_FALSE(visit_bits(layout(100, functions, 0), chain::Bytes(size), refuse));
            EXPECT_EQ(calls, 1);
        }
    }
}

}  // namespace
}  // namespace petal::bloom
