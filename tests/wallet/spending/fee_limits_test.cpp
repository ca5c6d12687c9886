#include "wallet/spending/fee_limits.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

namespace petal::wallet {
namespace {

using chain::Satoshis;

struct FeeCase {
    std::string name;
    Satoshis fee = 0;
    std::size_t virtual_size = 141;
    std::optional<Satoshis> paid;
    FeeTerms terms = {};
    std::optional<Satoshis> exceeded = {};
};

void PrintTo(const FeeCase& row, std::ostream* out) {
    *out << row.name;
}

class FeeLimits : public testing::TestWithParam<FeeCase> {};

TEST_P(FeeLimits, AreNamedWhereTheFeeExceedsThem) {
    const FeeCase& row = GetParam();
    EXPECT_EQ(exceeded_limit(row.fee, row.virtual_size, row.paid, row.terms), row.exceeded);
}

constexpr Satoshis kBtc = 100'000'000;

// clang-format off
INSTANTIATE_TEST_SUITE_P(All, FeeLimits, testing::ValuesIn(std::initializer_list<FeeCase>{
    {"SmallFeeOfASmallerAmount",      10'000, 141, 1'000, {}, {}},
    {"AboveTheFeeOfAnyShare",         10'001, 141, 1'000, {}, 10'000},
    {"TenthOfTheAmount",              20'000, 141, 200'000, {}, {}},
    {"TenthOfTheAmountRoundedDown",   20'000, 141, 200'009, {}, {}},
    {"AboveTheTenth",                 20'001, 141, 200'009, {}, 20'000},
    {"HighestRate",                1'410'000, 141, kBtc, {}, {}},
    {"AboveTheHighestRate",        1'410'001, 141, kBtc, {}, 1'410'000},
    {"HighestFee",                10'000'000, 2'000, 10 * kBtc, {}, {}},
    {"AboveTheHighestFee",        10'000'001, 2'000, 10 * kBtc, {}, 10'000'000},
    {"HighRateOfAnUnknownAmount",  1'410'001, 141, {}, {}, 1'410'000},
    {"NoShareOfAnUnknownAmount",   1'410'000, 141, {}, {}, {}},
    {"HighFeeOfAnUnknownAmount",  10'000'001, 2'000, {}, {}, 10'000'000},
    {"OwnLimitForASmallAmount",       15'000, 141, 1'000, {15'000, false}, {}},
    {"AboveTheOwnLimit",              15'001, 141, 1'000, {15'000, false}, 15'000},
    {"AboveALowerOwnLimit",              283, 141, kBtc, {282, false}, 282},
    {"OwnLimitInsteadOfTheRate",   5'000'000, 141, kBtc, {5'000'000, false}, {}},
    {"OwnLimitAboveTheHighestFee", 3 * kBtc, 141, {}, {3 * kBtc, false}, {}},
    {"AnyFee",                     3 * kBtc, 141, 1'000, {{}, true}, {}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

}  // namespace
}  // namespace petal::wallet
