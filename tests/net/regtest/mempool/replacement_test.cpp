#include "net/regtest/mempool/replacement.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>

namespace petal::net {
namespace {

/// 200 vB that replace one transaction with a fee of 1,000 satoshi. 20 satoshi more is the least.
Replacement good_replacement() {
    return {{1'020, 200}, 1, 1'000, true, false};
}

struct ReplacementRow {
    const char* name;
    std::optional<RejectReason> expected;
    std::function<void(Replacement&)> change;
};
void PrintTo(const ReplacementRow& row, std::ostream* out) {
    *out << row.name;
}

class ReplacementRule : public testing::TestWithParam<ReplacementRow> {};

TEST_P(ReplacementRule, IsBitcoinCores) {
    Replacement replacement = good_replacement();
    GetParam().change(replacement);
    EXPECT_EQ(find_replacement_fault(replacement), GetParam().expected);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, ReplacementRule, testing::ValuesIn<ReplacementRow>({
    {"PaysForItself", std::nullopt, [](Replacement&) {}},
    {"OneSatoshiLess", RejectReason::insufficient_fee, [](Replacement& it) { --it.paid.fee; }},
    {"LessThanWhatItEvicts", RejectReason::insufficient_fee, [](Replacement& it) { it.evicted_fees = 2'000; }},
    {"ReplacesNothing", std::nullopt, [](Replacement& it) { it = {{0, 200}, 0, 0, true, false}; }},
    {"AHundredConflicts", std::nullopt, [](Replacement& it) { it.conflicts = 100; }},
    {"TooManyConflicts", RejectReason::too_many_replaced, [](Replacement& it) { it.conflicts = 101; }},
    {"AWorseFeeRate", RejectReason::worse_fee_rate, [](Replacement& it) { it.pays_more_than_each = false; }},
    {"SpendsWhatItEvicts", RejectReason::spends_conflict, [](Replacement& it) { it.spends_evicted = true; }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(PaidSize, ComparesFeeRates) {
    const PaidSize ten{1'000, 100};
    EXPECT_FALSE(ten.pays_more_than(ten));
    EXPECT_TRUE((PaidSize{2'001, 200}).pays_more_than(ten));
    EXPECT_FALSE((PaidSize{1'999, 200}).pays_more_than(ten));
    EXPECT_TRUE((PaidSize{chain::kMaxMoney, 100}).pays_more_than({chain::kMaxMoney, 101}));
}

}  // namespace
}  // namespace petal::net
