#include "cli/text/amount.h"

#include <gtest/gtest.h>

#include <ostream>

namespace petal::cli {
namespace {

struct GoodAmount {
    const char* text;
    chain::Satoshis satoshis;
};
void PrintTo(const GoodAmount& row, std::ostream* out) {
    *out << row.text;
}

class GoodAmounts : public testing::TestWithParam<GoodAmount> {};

TEST_P(GoodAmounts, AreRead) {
    const auto amount = parse_amount(GetParam().text);
    ASSERT_TRUE(amount);
    EXPECT_EQ(*amount, GetParam().satoshis);
}

INSTANTIATE_TEST_SUITE_P(All, GoodAmounts,
                         testing::Values(GoodAmount{"0", 0}, GoodAmount{"1", 100'000'000},
                                         GoodAmount{"0.001", 100'000}, GoodAmount{"0.00000001", 1},
                                         GoodAmount{"20999999.99999999", 2'099'999'999'999'999},
                                         GoodAmount{"21000000", 2'100'000'000'000'000},
                                         GoodAmount{"21000000.00000000", 2'100'000'000'000'000},
                                         GoodAmount{"1sat", 1}, GoodAmount{"100000 sat", 100'000},
                                         GoodAmount{"2100000000000000sat", 2'100'000'000'000'000}));

struct BadAmount {
    const char* text;
    AmountError error;
};
void PrintTo(const BadAmount& row, std::ostream* out) {
    *out << row.text;
}

class BadAmounts : public testing::TestWithParam<BadAmount> {};

TEST_P(BadAmounts, AreRefused) {
    const auto amount = parse_amount(GetParam().text);
    ASSERT_FALSE(amount);
    EXPECT_EQ(amount.error(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadAmounts,
    testing::Values(
        BadAmount{"", AmountError::not_a_number}, BadAmount{"sat", AmountError::not_a_number},
        BadAmount{".5", AmountError::not_a_number}, BadAmount{"5.", AmountError::not_a_number},
        BadAmount{"-1", AmountError::not_a_number}, BadAmount{"+1", AmountError::not_a_number},
        BadAmount{"1e3", AmountError::not_a_number}, BadAmount{"1,5", AmountError::not_a_number},
        BadAmount{"1.2.3", AmountError::not_a_number}, BadAmount{" 1", AmountError::not_a_number},
        BadAmount{"0.000000001", AmountError::too_many_decimals},
        BadAmount{"1.5sat", AmountError::too_many_decimals},
        BadAmount{"21000000.00000001", AmountError::too_large},
        BadAmount{"21000001", AmountError::too_large},
        BadAmount{"2100000000000001sat", AmountError::too_large},
        BadAmount{"99999999999999999999999999", AmountError::too_large}));

TEST(Amount, IsWrittenWithAllDecimals) {
    EXPECT_EQ(format_btc(0), "0.00000000");
    EXPECT_EQ(format_btc(1), "0.00000001");
    EXPECT_EQ(format_btc(-100'000), "-0.00100000");
    EXPECT_EQ(format_btc(chain::kMaxMoney), "21000000.00000000");
}

TEST(Amount, IsWrittenShortWithoutZerosAtTheEnd) {
    EXPECT_EQ(format_btc_short(0), "0");
    EXPECT_EQ(format_btc_short(100'000), "0.001");
    EXPECT_EQ(format_btc_short(2'000'000'000), "20");
}

TEST(Amount, IsWrittenInSatoshiIfItIsAFee) {
    EXPECT_EQ(fee_in_sat(1'410), "1,410 sat");
    EXPECT_EQ(fee_in_sat(-1'410), "-1,410 sat");
}

TEST(Amount, HasTwoDecimalsInAFeeRate) {
    EXPECT_EQ(format_fee_rate(1), "1.00 sat/vB");
    EXPECT_EQ(format_fee_rate(3.504), "3.50 sat/vB");
}

}  // namespace
}  // namespace petal::cli
