#include "bloom/murmur3.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::bloom {
namespace {

using test::bytes_from_hex;

struct Murmur3Case {
    std::string name;
    std::uint32_t seed;
    std::string data;
    std::uint32_t hash;
};

void PrintTo(const Murmur3Case& c, std::ostream* out) {
    *out << c.name;
}

class Murmur3 : public testing::TestWithParam<Murmur3Case> {};

TEST_P(Murmur3, HashesAsBitcoinCore) {
    const auto& c = GetParam();
    EXPECT_EQ(murmur3(c.seed, bytes_from_hex(c.data)), c.hash);
}

// Bitcoin Core: src/test/hash_tests.cpp, murmurhash3. The rows cover zero, one and two blocks, and
// every number of remaining bytes.
// clang-format off
INSTANTIATE_TEST_SUITE_P(BitcoinCore, Murmur3, testing::ValuesIn(std::initializer_list<Murmur3Case>{
    {"Nothing",            0x00000000, "",                   0x00000000},
    {"NothingSeeded",      0xfba4c795, "",                   0x6a396f08},
    {"NothingLargestSeed", 0xffffffff, "",                   0x81f16f39},
    {"Zero",               0x00000000, "00",                 0x514e28b7},
    {"ZeroSeeded",         0xfba4c795, "00",                 0xea3f0b17},
    {"Ff",                 0x00000000, "ff",                 0xfd6cf10d},
    {"TwoBytes",           0x00000000, "0011",               0x16c6b7ab},
    {"ThreeBytes",         0x00000000, "001122",             0x8eb51c3d},
    {"FourBytes",          0x00000000, "00112233",           0xb4471bf8},
    {"FiveBytes",          0x00000000, "0011223344",         0xe2301fa8},
    {"SixBytes",           0x00000000, "001122334455",       0xfc2e4a15},
    {"SevenBytes",         0x00000000, "00112233445566",     0xb074502c},
    {"EightBytes",         0x00000000, "0011223344556677",   0x8034d2a0},
    {"NineBytes",          0x00000000, "001122334455667788", 0xb4698def},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(Murmur3Vectors, AllHold) {
    const auto vectors = test::read_test_json("vectors/murmur3.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    ASSERT_EQ(vectors->at("vectors").size(), 14U);
    for (const auto& row : vectors->at("vectors")) {
        const auto seed = std::stoul(row.at("seed").get<std::string>(), nullptr, 16);
        const auto hash = std::stoul(row.at("hash").get<std::string>(), nullptr, 16);
        const auto data = row.at("data").get<std::string>();
        EXPECT_EQ(murmur3(static_cast<std::uint32_t>(seed), bytes_from_hex(data)), hash) << data;
    }
}

}  // namespace
}  // namespace petal::bloom
