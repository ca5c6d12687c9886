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
    EXPECT_EQ(Uint256(Uint256(0) - 1), largest);
}

TEST(Uint256, RoundTripsThroughBytes) {
    std::array<Byte, 32> bytes{};
    for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<Byte>(i * 7 + 1);
    EXPECT_EQ(to_little_endian(from_little_endian(bytes)), bytes);
    EXPECT_EQ(from_little_endian(bytes) & 0xffffU, 0x0801U);

    const std::array<Byte, 32> zero{};
    EXPECT_EQ(to_little_endian(Uint256(0)), zero);
    EXPECT_EQ(from_little_endian(zero), 0);
    const std::array<Byte, 32> one{1};
    EXPECT_EQ(to_little_endian(Uint256(1)), one);
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
