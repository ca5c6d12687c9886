#include "bloom/bloom_filter.h"

#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "bloom/murmur3.h"
#include "chain/byte_writer.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::bloom {
namespace {

using namespace test::literals;
using test::bytes_from_hex;

std::size_t popcount(chain::ByteView bytes) {
    std::size_t count = 0;
    for (const chain::Byte byte : bytes) count += static_cast<std::size_t>(std::popcount(byte));
    return count;
}

chain::Bytes filterload(const chain::Bytes& bytes, std::uint32_t hash_functions,
                        std::uint32_t tweak = 0, std::uint8_t flags = 0) {
    chain::ByteWriter writer;
    writer.var_bytes(bytes).u32(hash_functions).u32(tweak).u8(flags);
    return writer.take();
}

/// The error of a refused payload; nothing if it is accepted.
std::optional<FilterError> error_of(chain::ByteView payload) {
    const auto filter = BloomFilter::decode(payload);
    return filter ? std::nullopt : std::optional(filter.error());
}

struct FilterCase {
    std::string name;
    FilterSize size;
    std::uint32_t tweak;
    std::vector<std::string> inserted;
    std::string stranger;
    std::string payload;
};

void PrintTo(const FilterCase& c, std::ostream* out) {
    *out << c.name;
}

class FilterOfKnownBytes : public testing::TestWithParam<FilterCase> {
protected:
    BloomFilter filled() const {
        const auto& c = GetParam();
        BloomFilter filter(c.size, c.tweak, UpdateMode::all);
        for (const auto& element : c.inserted) filter.insert(bytes_from_hex(element));
        return filter;
    }
};

TEST_P(FilterOfKnownBytes, HasTheSameBytesAsBitcoinCores) {
    EXPECT_EQ(chain::to_hex(filled().encode()), GetParam().payload);
}

TEST_P(FilterOfKnownBytes, ContainsWhatWasInserted) {
    const BloomFilter filter = filled();
    for (const auto& element : GetParam().inserted)
        EXPECT_TRUE(filter.contains(bytes_from_hex(element)));
    EXPECT_FALSE(filter.contains(bytes_from_hex(GetParam().stranger)));
}

TEST_P(FilterOfKnownBytes, IsDecodedToTheSameFilter) {
    const auto decoded = BloomFilter::decode(bytes_from_hex(GetParam().payload));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, filled());
}

// Bitcoin Core: src/test/bloom_tests.cpp, and test/functional/p2p_filter.py for the last.
INSTANTIATE_TEST_SUITE_P(
    BitcoinCore, FilterOfKnownBytes,
    testing::ValuesIn(std::initializer_list<FilterCase>{
        {"NoTweak",
         {3, 5},
         0,
         {"99108ad8ed9bb6274d3980bab5a85c048f0950c8", "b5a2c786d9ef4658287ced5914b37a1b4aa32eee",
          "b9300670b4c5366e95b2699e8b18bc75e5f729c5"},
         "19108ad8ed9bb6274d3980bab5a85c048f0950c8",
         "03614e9b050000000000000001"},
        {"Tweak",
         {3, 5},
         2147483649,
         {"99108ad8ed9bb6274d3980bab5a85c048f0950c8", "b5a2c786d9ef4658287ced5914b37a1b4aa32eee",
          "b9300670b4c5366e95b2699e8b18bc75e5f729c5"},
         "19108ad8ed9bb6274d3980bab5a85c048f0950c8",
         "03ce4299050000000100008001"},
        {"PublicKeyAndItsHash",
         {3, 8},
         0,
         {"045b81f0017e2091e2edcd5eecf10d5bdd120a5514cb3ee65b8447ec18bfc4575c6d5bf415e54e03b1067934"
          "a0f0ba76b01c6b9ab227142ee1d543764b69d901e0",
          "477abbacd4113f2e6b100526222eedd953c26a64"},
         "477abbacd4113f2e6b100526222eedd953c26a65",
         "038fc16b080000000000000001"},
        {"ScriptHash",
         {35, 19},
         0,
         {"ffffffffffffffffffffffffffffffffffffffff"},
         "fffffffffffffffffffffffffffffffffffffffe",
         "23400008008000002000c00020040008240004800000200000000080000040000240200013000000000000000"
         "1"},
    }),
    [](const auto& row) { return row.param.name; });

TEST(BloomFilter, SetsTheBitsOfBip37) {
    BloomFilter filter({3, 5}, 2147483649, UpdateMode::none);
    filter.insert("99108ad8ed9bb6274d3980bab5a85c048f0950c8"_hex);
    EXPECT_EQ(chain::to_hex(filter.bytes()), "c40280");  // bits 6, 7, 23, 2 and 9
    EXPECT_EQ(filter.bits_set(), 5U);
}

/// The bytes of a filter that holds this element, by the definition of BIP37.
chain::Bytes bytes_of_bip37(const FilterSize& size, std::uint32_t tweak, chain::ByteView element) {
    chain::Bytes bytes(size.bytes);
    for (std::uint32_t i = 0; i < size.hash_functions; ++i) {
        const std::size_t bit = murmur3(i * 0xfba4c795U + tweak, element) % (size.bytes * 8);
        bytes[bit / 8] = static_cast<chain::Byte>(bytes[bit / 8] | 1U << bit % 8);
    }
    return bytes;
}

TEST(BloomFilter, SetsTheBitsOfBip37ForFiltersAndElementsOfAllSizes) {
    std::mt19937 random(37);
    for (std::uint32_t functions = 1; functions <= kMaxHashFunctions; ++functions) {
        for (const std::size_t bytes : {1U, 2U, 3U, 7U, 8U, 9U, 2'396U, 35'999U, 36'000U}) {
            chain::Bytes element(random() % 4 == 0 ? random() % 10'000 : random() % 75);
            for (auto& byte : element) byte = static_cast<chain::Byte>(random());
            const FilterSize size{bytes, functions};
            const auto tweak = static_cast<std::uint32_t>(random());
            BloomFilter filter(size, tweak, UpdateMode::none);
            filter.insert(element);
            ASSERT_EQ(chain::to_hex(filter.bytes()),
                      chain::to_hex(bytes_of_bip37(size, tweak, element)));
        }
    }
}

TEST(BloomFilter, DeniesAnElementThatLacksOneBit) {
    const auto element = "99108ad8ed9bb6274d3980bab5a85c048f0950c8"_hex;
    BloomFilter filter({36'000, 6}, 5, UpdateMode::none);
    filter.insert(element);
    ASSERT_EQ(filter.bits_set(), 6U);
    for (std::size_t bit = 0; bit < filter.bit_count(); ++bit) {
        if ((filter.bytes()[bit / 8] >> bit % 8 & 1) == 0) continue;
        chain::Bytes bytes(filter.bytes().begin(), filter.bytes().end());
        bytes[bit / 8] = static_cast<chain::Byte>(bytes[bit / 8] & ~(1U << bit % 8));
        EXPECT_FALSE(BloomFilter(bytes, 6, 5, 0).contains(element)) << bit;
    }
}

TEST(BloomFilter, IsFilledByHashesUpToANumberOfBits) {
    BloomFilter filter({3, 5}, 0, UpdateMode::none);
    // The second hash gives bit 6 again.
    const std::vector<std::uint32_t> hashes{6, 30, 7, 0xffffffff, 2};
    EXPECT_EQ(filter.fill(hashes, 3), 4U);
    EXPECT_EQ(chain::to_hex(filter.bytes()), "c08000");  // bits 6, 7 and 15
    EXPECT_EQ(filter.bits_set(), 3U);
    EXPECT_EQ(filter.fill(hashes, 3), 0U);
    EXPECT_EQ(filter.fill(hashes, 24), 5U);
    EXPECT_EQ(filter.bits_set(), 4U);
}

TEST(BloomFilterVectors, AllHold) {
    const auto vectors = test::read_test_json("vectors/bloom.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    ASSERT_EQ(vectors->at("filters").size(), 4U);
    for (const auto& row : vectors->at("filters")) {
        const FilterSize size =
            filter_size(row.at("n").get<std::size_t>(), row.at("fp").get<double>());
        const auto mode = static_cast<UpdateMode>(row.at("flags").get<std::uint8_t>());
        BloomFilter filter(size, row.at("tweak").get<std::uint32_t>(), mode);
        for (const auto& element : row.at("insert"))
            filter.insert(bytes_from_hex(element.get<std::string>()));
        EXPECT_EQ(chain::to_hex(filter.encode()), row.at("serialized").get<std::string>()) << row;
        if (!row.contains("not_contained")) continue;
        for (const auto& stranger : row.at("not_contained")) {
            EXPECT_FALSE(filter.contains(bytes_from_hex(stranger.get<std::string>()))) << row;
        }
    }
}

TEST(BloomFilter, IsEmptyAtFirst) {
    const BloomFilter filter({10, 3}, 7, UpdateMode::pubkey_only);
    EXPECT_EQ(filter.bytes().size(), 10U);
    EXPECT_EQ(filter.bit_count(), 80U);
    EXPECT_EQ(filter.bits_set(), 0U);
    EXPECT_EQ(filter.hash_functions(), 3U);
    EXPECT_EQ(filter.tweak(), 7U);
    EXPECT_EQ(filter.flags(), 2);
    EXPECT_EQ(filter.false_positive_rate(), 0);
    EXPECT_FALSE(filter.contains({}));
}

TEST(BloomFilter, HoldsTheEmptyElementOnceInserted) {
    BloomFilter filter({10, 3}, 7, UpdateMode::none);
    filter.insert({});
    EXPECT_TRUE(filter.contains({}));
    EXPECT_FALSE(filter.contains("00"_hex));
}

TEST(BloomFilter, InsertingAgainChangesNothing) {
    BloomFilter once({10, 9}, 7, UpdateMode::none);
    once.insert("0102"_hex);
    BloomFilter twice = once;
    twice.insert("0102"_hex);
    EXPECT_EQ(once, twice);
}

TEST(BloomFilter, InsertsAListAsItsElements) {
    std::vector<chain::Bytes> list;
    for (const std::size_t size : {20U, 20U, 32U, 0U, 36U, 600U, 3U}) {
        list.emplace_back(size,
                          static_cast<chain::Byte>(list.size() / 2));  // the first two are equal
        BloomFilter each({500, 13}, 7, UpdateMode::none);
        for (const auto& element : list) each.insert(element);
        BloomFilter together({500, 13}, 7, UpdateMode::none);
        together.insert_all(list);
        EXPECT_EQ(each, together) << list.size();
        EXPECT_EQ(each.bits_set(), together.bits_set()) << list.size();
    }
    BloomFilter empty({500, 13}, 7, UpdateMode::none);
    empty.insert_all({});
    EXPECT_EQ(empty.bits_set(), 0U);
}

TEST(BloomFilter, UnitesWithAFilterAsIfAllWereInserted) {
    const FilterSize size{200, 5, false};
    BloomFilter first(size, 7, UpdateMode::none);
    BloomFilter second = first;
    BloomFilter both = first;
    for (chain::Byte i = 0; i < 40; ++i) {
        const chain::Bytes element(20, i);
        (i < 25 ? first : second).insert(element);
        both.insert(element);
    }
    first.unite(second);
    EXPECT_EQ(first, both);
    first.unite(second);
    EXPECT_EQ(first, both);
}

TEST(BloomFilter, KnowsItsExactRate) {
    const auto filter = BloomFilter::decode(filterload("0f01"_hex, 3));
    ASSERT_TRUE(filter);
    EXPECT_EQ(filter->bits_set(), 5U);
    EXPECT_DOUBLE_EQ(filter->false_positive_rate(), 5.0 / 16 * 5 / 16 * 5 / 16);
}

TEST(BloomFilter, DiffersByEachOfItsParts) {
    const BloomFilter filter({10, 3}, 7, UpdateMode::all);
    EXPECT_EQ(filter, BloomFilter({10, 3}, 7, UpdateMode::all));
    EXPECT_NE(filter, BloomFilter({11, 3}, 7, UpdateMode::all));
    EXPECT_NE(filter, BloomFilter({10, 4}, 7, UpdateMode::all));
    EXPECT_NE(filter, BloomFilter({10, 3}, 8, UpdateMode::all));
    EXPECT_NE(filter, BloomFilter({10, 3}, 7, UpdateMode::none));
    BloomFilter other = filter;
    other.insert("00"_hex);
    EXPECT_NE(filter, other);
}

TEST(BloomFilter, IsOfASizeWithinTheLimits) {
    EXPECT_EQ(BloomFilter({kMaxFilterBytes, kMaxHashFunctions}, 0, UpdateMode::all).bit_count(),
              288'000U);
    EXPECT_DEATH(BloomFilter({0, 1}, 0, UpdateMode::all), "");
    EXPECT_DEATH(BloomFilter({kMaxFilterBytes + 1, 1}, 0, UpdateMode::all), "");
    EXPECT_DEATH(BloomFilter({1, 0}, 0, UpdateMode::all), "");
    EXPECT_DEATH(BloomFilter({1, kMaxHashFunctions + 1}, 0, UpdateMode::all), "");
}

class RandomFilter : public testing::TestWithParam<std::uint32_t> {
protected:
    std::size_t below(std::size_t end) { return random_() % end; }

    chain::Bytes element() {
        chain::Bytes bytes(below(8) == 0 ? below(1'000) : below(80));
        for (auto& byte : bytes) byte = static_cast<chain::Byte>(random_());
        return bytes;
    }

    BloomFilter filter() {
        const FilterSize size{1 + below(below(2) == 0 ? 40 : kMaxFilterBytes),
                              static_cast<std::uint32_t>(1 + below(kMaxHashFunctions))};
        return {size, static_cast<std::uint32_t>(random_()), static_cast<UpdateMode>(below(3))};
    }

private:
    std::mt19937 random_{GetParam()};
};

TEST_P(RandomFilter, NeverDeniesWhatItHoldsAndCountsItsBits) {
    BloomFilter random = filter();
    std::vector<chain::Bytes> inserted;
    for (int i = 0; i < 30; ++i) {
        inserted.push_back(element());
        random.insert(inserted.back());
        ASSERT_EQ(random.bits_set(), popcount(random.bytes()));
    }
    for (const auto& held : inserted) ASSERT_TRUE(random.contains(held));
}

TEST_P(RandomFilter, IsTheSameAfterARoundTrip) {
    BloomFilter random = filter();
    random.insert(element());
    if (random.bits_set() == random.bit_count()) return;
    const auto decoded = BloomFilter::decode(random.encode());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, random);
    EXPECT_EQ(decoded->bits_set(), random.bits_set());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFilter, testing::Range(0U, 50U));

TEST(BloomFilter, MatchesOtherElementsAtItsRate) {
    BloomFilter filter(filter_size(1'000, 0.05), 99, UpdateMode::none);
    std::mt19937 random(1);
    const auto element = [&random] {
        chain::Bytes bytes(20);
        for (auto& byte : bytes) byte = static_cast<chain::Byte>(random());
        return bytes;
    };
    for (int i = 0; i < 1'000; ++i) filter.insert(element());
    int matched = 0;
    for (int i = 0; i < 20'000; ++i) matched += filter.contains(element()) ? 1 : 0;
    EXPECT_NEAR(filter.false_positive_rate(), 0.05, 0.01);
    EXPECT_NEAR(matched / 20'000.0, filter.false_positive_rate(), 0.005);
}

TEST(FilterloadPayload, IsRefusedIfItIsCut) {
    const auto payload = "03614e9b050000000000000001"_hex;
    ASSERT_TRUE(BloomFilter::decode(payload));
    for (std::size_t size = 0; size < payload.size(); ++size) {
        EXPECT_EQ(error_of(chain::ByteView(payload).first(size)), FilterError::malformed) << size;
    }
}

struct RefusedCase {
    std::string name;
    chain::Bytes payload;
    FilterError error;
};

void PrintTo(const RefusedCase& c, std::ostream* out) {
    *out << c.name;
}

class RefusedFilter : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedFilter, SaysWhy) {
    EXPECT_EQ(error_of(GetParam().payload), GetParam().error);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(FilterloadPayload, RefusedFilter, testing::ValuesIn(std::initializer_list<RefusedCase>{
    {"NoBytes",           filterload({}, 1),                        FilterError::no_bytes},
    {"NoBytesNoFunction", filterload({}, 0),                        FilterError::no_bytes},
    {"NoFunction",        filterload({0x01}, 0),                    FilterError::no_hash_functions},
    {"NoFunctionAllOnes", filterload({0xff}, 0),                    FilterError::no_hash_functions},
    {"AllOnes",           filterload({0xff}, 1),                    FilterError::all_ones},
    {"AllOnesLargest",    filterload(chain::Bytes(36'000, 0xff), 50), FilterError::all_ones},
    {"TooLarge",          filterload(chain::Bytes(36'001), 1),      FilterError::too_large},
    {"TooLargeClaimed",   "fda18c"_hex,                         FilterError::too_large},
    {"HugeClaimed",       "ffffffffffffffffff"_hex,                 FilterError::too_large},
    {"TooManyFunctions",  filterload({0xaa}, 51),                   FilterError::too_many_functions},
    {"HugeFunctions",     filterload({0xaa}, 0xffffffff),           FilterError::too_many_functions},
    {"TrailingByte",      "03614e9b05000000000000000100"_hex,       FilterError::malformed},
    {"PaddedSize",        "fd0300614e9b050000000000000001"_hex,     FilterError::malformed},
    {"ClaimsAByteMore",   "04614e9b050000000000000001"_hex,         FilterError::malformed},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// The refused payloads above exceed these by one.
TEST(FilterloadPayload, IsTakenAtTheLimits) {
    EXPECT_TRUE(BloomFilter::decode(filterload(chain::Bytes(36'000), 1)));
    EXPECT_TRUE(BloomFilter::decode(filterload({0xaa}, 50)));
    EXPECT_TRUE(BloomFilter::decode(filterload({0x01}, 1)));
    EXPECT_TRUE(BloomFilter::decode(filterload({0x00}, 1)));
    EXPECT_TRUE(BloomFilter::decode(filterload({0xfe}, 1)));
    EXPECT_TRUE(BloomFilter::decode(filterload({0xff, 0x7f}, 1)));
}

TEST(FilterloadPayload, OfTheLargestFilterIsAsLargeAsBip37Allows) {
    const BloomFilter filter({kMaxFilterBytes, kMaxHashFunctions}, 0, UpdateMode::all);
    EXPECT_EQ(filter.encode().size(), 36'012U);
}

TEST(FilterloadPayload, KeepsItsFields) {
    const auto payload = filterload("0102"_hex, 7, 0x89abcdef, 0xfd);
    const auto filter = BloomFilter::decode(payload);
    ASSERT_TRUE(filter);
    EXPECT_EQ(filter->hash_functions(), 7U);
    EXPECT_EQ(filter->tweak(), 0x89abcdefU);
    EXPECT_EQ(filter->flags(), 0xfd);
    EXPECT_EQ(filter->bits_set(), 2U);
    EXPECT_EQ(filter->encode(), payload);
}

// Bitcoin Core: bloom.h, BLOOM_UPDATE_MASK. The value 3 is neither of the two modes that update.
TEST(FilterFlags, CountByTheirLowTwoBits) {
    const auto mode_of = [](unsigned flags) {
        const auto byte = static_cast<std::uint8_t>(flags);
        return BloomFilter::decode(filterload({0x01}, 1, 0, byte))->update_mode();
    };
    for (const unsigned flags : {0U, 3U, 4U, 7U, 0xfcU, 0xffU}) {
        EXPECT_EQ(mode_of(flags), UpdateMode::none) << flags;
    }
    for (const unsigned flags : {1U, 5U, 0x81U, 0xfdU}) {
        EXPECT_EQ(mode_of(flags), UpdateMode::all) << flags;
    }
    for (const unsigned flags : {2U, 6U, 0xfeU}) {
        EXPECT_EQ(mode_of(flags), UpdateMode::pubkey_only) << flags;
    }
}

TEST(FilterDescriptions, NameEachValue) {
    EXPECT_EQ(describe(UpdateMode::none), "none");
    EXPECT_EQ(describe(UpdateMode::all), "all");
    EXPECT_EQ(describe(UpdateMode::pubkey_only), "p2pubkey-only");
    EXPECT_EQ(describe(FilterError::no_bytes),
              "the filter has no bytes, so it matches everything (Bitcoin Core since "
              "CVE-2013-5700)");
    EXPECT_EQ(describe(FilterError::too_many_functions),
              "the filter has more than 50 hash functions, the limit of BIP37 (Bitcoin Core: "
              "MAX_HASH_FUNCS)");
}

}  // namespace
}  // namespace petal::bloom
