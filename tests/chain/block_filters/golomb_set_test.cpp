#include "chain/block_filters/golomb_set.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <ostream>
#include <random>
#include <set>
#include <string>

#include "tests/support/hex.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

constexpr GolombParameters kBasic{{0x0706050403020100, 0x0f0e0d0c0b0a0908}, 19, 784'931};
// Few remainder bits, so that the unary parts are long.
constexpr GolombParameters kUnary{{1, 2}, 1, 1'000};

Bytes random_element(std::mt19937_64& random) {
    Bytes element(random() % 40);
    for (Byte& byte : element) byte = static_cast<Byte>(random());
    return element;
}

std::vector<Bytes> random_elements(std::mt19937_64& random, std::size_t count) {
    std::set<Bytes> elements;
    while (elements.size() < count) elements.insert(random_element(random));
    return {elements.begin(), elements.end()};
}

class GolombSets : public testing::TestWithParam<GolombParameters> {};

TEST_P(GolombSets, HaveEachOfTheirElementsAfterDecoding) {
    std::mt19937_64 random(158);
    for (const std::size_t count : {0U, 1U, 2U, 3U, 40U, 252U, 253U, 1'000U}) {
        const auto elements = random_elements(random, count);
        const Bytes encoded = GolombSet(GetParam(), elements).encode();
        const auto set = GolombSet::decode(GetParam(), encoded);
        ASSERT_TRUE(set) << describe(set.error());
        EXPECT_EQ(set->size(), count);
        EXPECT_EQ(set->encode(), encoded);
        for (const Bytes& element : elements) EXPECT_TRUE(set->has_any_of({&element, 1}));
        EXPECT_TRUE(set->has_all_of(elements));
    }
}

TEST_P(GolombSets, HaveAllOfSomeOnlyIfNoneIsMissing) {
    std::mt19937_64 random(157);
    auto elements = random_elements(random, 200);
    const std::vector<Bytes> missing(elements.end() - 20, elements.end());
    elements.resize(180);
    const GolombSet set(GetParam(), elements);
    const std::vector<Bytes> some{elements[170], elements[3], elements[3], elements[90]};
    EXPECT_TRUE(set.has_all_of(some));
    EXPECT_TRUE(set.has_all_of({}));
    for (const Bytes& each : missing) {
        auto with_missing = some;
        with_missing.push_back(each);
        EXPECT_EQ(set.has_all_of(with_missing), set.has_any_of({&each, 1}));
    }
    EXPECT_FALSE(set.has_all_of(missing));
    EXPECT_FALSE(GolombSet(GetParam(), {}).has_all_of(some));
}

TEST_P(GolombSets, AreRefusedWhenCutAnywhereOrContinued) {
    std::mt19937_64 random(1580);
    const Bytes encoded = GolombSet(GetParam(), random_elements(random, 30)).encode();
    for (std::size_t size = 0; size < encoded.size(); ++size) {
        const auto cut = GolombSet::decode(GetParam(), ByteView(encoded).first(size));
        ASSERT_FALSE(cut) << size << " bytes";
        EXPECT_EQ(cut.error(), DecodeError::truncated) << size << " bytes";
    }
    Bytes longer = encoded;
    longer.push_back(0);
    EXPECT_EQ(GolombSet::decode(GetParam(), longer).error(), DecodeError::trailing_bytes);
}

INSTANTIATE_TEST_SUITE_P(Parameters, GolombSets, testing::Values(kBasic, kUnary),
                         [](const auto& row) {
                             return row.param == kBasic ? std::string("Basic") : "Unary";
                         });

TEST(GolombSet, CountsRepeatedElementsOnce) {
    const std::vector<Bytes> repeated{"00"_hex, "01"_hex, "00"_hex};
    const std::vector<Bytes> once{"01"_hex, "00"_hex};
    EXPECT_EQ(GolombSet(kBasic, repeated).encode(), GolombSet(kBasic, once).encode());
}

// Elements whose hashes are equal are different elements all the same.
TEST(GolombSet, KeepsEqualHashes) {
    const GolombParameters coarse{{1, 2}, 1, 1};
    std::mt19937_64 random(2);
    const auto elements = random_elements(random, 50);
    const auto set = GolombSet::decode(coarse, GolombSet(coarse, elements).encode());
    ASSERT_TRUE(set);
    EXPECT_EQ(set->size(), 50U);
}

TEST(GolombSet, FindsOneElementAmongMany) {
    std::mt19937_64 random(3);
    const auto elements = random_elements(random, 500);
    const GolombSet set(kBasic, elements);
    auto others = random_elements(random, 200);
    std::erase_if(others, [&](const Bytes& other) { return set.has_any_of({&other, 1}); });
    EXPECT_FALSE(set.has_any_of(others));
    EXPECT_FALSE(set.has_any_of({}));
    others.push_back(elements[250]);
    EXPECT_TRUE(set.has_any_of(others));
    EXPECT_FALSE(GolombSet(kBasic, {}).has_any_of(others));
}

TEST(GolombSet, IsSearchedForMoreElementsThanItHas) {
    std::mt19937_64 random(4);
    const auto elements = random_elements(random, 20);
    const GolombSet set(kBasic, elements);
    auto others = random_elements(random, 500);
    std::erase_if(others, [&](const Bytes& other) { return set.has_any_of({&other, 1}); });
    EXPECT_FALSE(set.has_any_of(others));
    for (const Bytes& element : elements) {
        others.push_back(element);
        EXPECT_TRUE(set.has_any_of(others));
        others.pop_back();
    }
}

// With one false match in 1,000, 20,000 look-ups have 20 on average. The bounds are five standard
// deviations away.
TEST(GolombSet, MatchesFalselyAtItsRate) {
    std::mt19937_64 random(4);
    const GolombSet set(kUnary, random_elements(random, 1'000));
    int false_matches = 0;
    for (int i = 0; i < 20'000; ++i) {
        Bytes other = random_element(random);
        other.resize(64);
        if (set.has_any_of({&other, 1})) ++false_matches;
    }
    EXPECT_GT(false_matches, 0);
    EXPECT_LT(false_matches, 43);
}

struct MalformedSet {
    std::string name;
    Bytes encoded;
    DecodeError error;
};

void PrintTo(const MalformedSet& row, std::ostream* out) {
    *out << row.name;
}

class MalformedSets : public testing::TestWithParam<MalformedSet> {};

TEST_P(MalformedSets, AreRefused) {
    const auto set = GolombSet::decode(kBasic, GetParam().encoded);
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error(), GetParam().error);
}

// 019dfca8 is the filter of testnet3's genesis block: one element, 19 + 2 bits and 3 of padding.
INSTANTIATE_TEST_SUITE_P(
    Rows, MalformedSets,
    testing::ValuesIn(std::initializer_list<MalformedSet>{
        {"NoBytes", {}, DecodeError::truncated},
        {"CountInTheLongForm", "fd01009dfca8"_hex, DecodeError::non_canonical_size},
        {"MoreElementsThanBits", "029dfca8"_hex, DecodeError::truncated},
        {"FourBillionElements", "feffffffff9dfca8"_hex, DecodeError::truncated},
        {"AsManyElementsAsANumberHolds", "ffffffffffffffffff9dfca8"_hex, DecodeError::truncated},
        {"PaddingThatIsNotZero", "019dfca9"_hex, DecodeError::trailing_bytes},
        {"BytesAfterAnEmptySet", "0000"_hex, DecodeError::trailing_bytes},
        {"HashBeyondTheRange", "01dffffe"_hex, DecodeError::invalid_value},
        {"OnesWithoutEnd", "01ffffffffffffffffffffffffffffffff"_hex, DecodeError::truncated},
    }),
    [](const auto& row) { return row.param.name; });

TEST(GolombSet, DecodesTheGenesisFilterBesideTheMalformedOnes) {
    EXPECT_TRUE(GolombSet::decode(kBasic, "019dfca8"_hex));
    EXPECT_TRUE(GolombSet::decode(kBasic, "00"_hex));
}

}  // namespace
}  // namespace petal::chain
