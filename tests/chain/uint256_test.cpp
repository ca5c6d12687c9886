#include "chain/uint256.h"

#include <gtest/gtest.h>

#include "tests/support/hex.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

TEST(Uint256, IsTheNumberThatAHashShows) {
    const auto hash = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"_block;
    EXPECT_EQ(to_hex(to_uint256(hash)), "19d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
}

TEST(Uint256, WrapsAround) {
    const Uint256 largest = ~Uint256(0);
    EXPECT_EQ(Uint256(largest + 1), 0);
}

TEST(Uint256, ComputesOverAllOfItsBits) {
    const Uint256 a =
        *uint256_from_hex("f000000000000001000000000000000000000000000000000000000000000003");
    const Uint256 b = *uint256_from_hex("100000000000000000000000000000002");
    EXPECT_EQ(to_hex(a + b), "f000000000000001000000000000000100000000000000000000000000000005");
    EXPECT_EQ(to_hex(a * b), "e000000000000002000000000000000300000000000000000000000000000006");
    EXPECT_EQ(to_hex(a / b), "f000000000000000fffffffffffffffe");
    EXPECT_EQ(to_hex(b << 124), "1000000000000000000000000000000020000000000000000000000000000000");
    EXPECT_EQ(to_hex(a >> 192), "f000000000000001");
    EXPECT_EQ(to_hex(~b), "fffffffffffffffffffffffffffffffefffffffffffffffffffffffffffffffd");
}

TEST(Uint256, IsOrderedByItsMostSignificantBits) {
    const Uint256 large = Uint256(1) << 200;
    EXPECT_LT(Uint256(7), large);
    EXPECT_LT(large, large + 1);
    EXPECT_GT(large, (Uint256(1) << 199) + 5);
}

TEST(Uint256, KnowsHowManyBitsItTakes) {
    EXPECT_EQ(Uint256(0).bit_length(), 0U);
    EXPECT_EQ(Uint256(1).bit_length(), 1U);
    EXPECT_EQ((Uint256(1) << 64).bit_length(), 65U);
    EXPECT_EQ((~Uint256(0)).bit_length(), 256U);
}

TEST(Uint256, RoundTripsThroughBytes) {
    std::array<Byte, 32> bytes{};
    for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<Byte>(i * 7 + 1);
    const Uint256 value = Uint256::from_little_endian(bytes);
    EXPECT_EQ(value.to_little_endian(), bytes);
    EXPECT_EQ(value.low_bits(), 0x322b241d160f0801U);
    EXPECT_EQ((value >> 248).low_bits(), bytes[31]);

    const std::array<Byte, 32> zero{};
    EXPECT_EQ(Uint256(0).to_little_endian(), zero);
    EXPECT_EQ(Uint256::from_little_endian(zero), 0);
    const std::array<Byte, 32> one{1};
    EXPECT_EQ(Uint256(1).to_little_endian(), one);
}

TEST(Uint256, IsWrittenWithoutLeadingZeros) {
    EXPECT_EQ(to_hex(Uint256(0)), "0");
    EXPECT_EQ(to_hex(Uint256(0xabcdef)), "abcdef");
    EXPECT_EQ(to_hex(Uint256(~Uint256(0))), std::string(64, 'f'));
}

TEST(Uint256, IsReadFromAtMost64Digits) {
    EXPECT_EQ(uint256_from_hex("0"), Uint256(0));
    EXPECT_EQ(uint256_from_hex("aBc"), Uint256(0xabc));
    EXPECT_EQ(uint256_from_hex(std::string(64, 'f')), Uint256(~Uint256(0)));
    EXPECT_EQ(uint256_from_hex(std::string(65, '0')), std::nullopt);
    EXPECT_EQ(uint256_from_hex(""), std::nullopt);
    EXPECT_EQ(uint256_from_hex("0x1"), std::nullopt);
    EXPECT_EQ(uint256_from_hex("-1"), std::nullopt);
    EXPECT_EQ(uint256_from_hex("12 "), std::nullopt);
}

}  // namespace
}  // namespace petal::chain
