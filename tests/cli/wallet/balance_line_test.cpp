#include "cli/wallet/balance_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

struct BalanceRow {
    const char* name;
    std::vector<std::pair<std::int64_t, chain::Satoshis>> history;  // time and net amount
    std::size_t columns;
    std::string blocks;

    friend void PrintTo(const BalanceRow& row, std::ostream* stream) { *stream << row.name; }
};

class BalanceLine : public testing::TestWithParam<BalanceRow> {};

std::vector<wallet::HistoryEntry> history_of(const BalanceRow& row) {
    std::vector<wallet::HistoryEntry> history;
    for (const auto& [time, net] : row.history) {
        wallet::HistoryEntry entry;
        entry.time = time;
        entry.net = net;
        history.insert(history.begin(), entry);
    }
    return history;
}

TEST_P(BalanceLine, HasALevelForEachSpan) {
    EXPECT_EQ(balance_blocks(history_of(GetParam()), GetParam().columns), GetParam().blocks);
}

// A level is an eighth: the balance times 7 over the highest, rounded.
INSTANTIATE_TEST_SUITE_P(
    Wallet, BalanceLine,
    testing::Values(
        BalanceRow{"no transactions", {}, 10, ""},
        BalanceRow{"none that counts", {{100, 0}, {200, 0}}, 10, ""},
        BalanceRow{"one", {{100, 5}}, 10, "█"},
        BalanceRow{"two at once", {{100, 5}, {100, 3}}, 10, "█"},
        BalanceRow{"each level",
                   {{0, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 0}},
                   8,
                   "▂▃▄▅▆▇██"},
        BalanceRow{"received and spent", {{0, 100}, {50, -50}, {100, -50}}, 4, "█▅▅▁"},
        BalanceRow{"the last transaction is in the last span", {{0, 1}, {10, 6}}, 3, "▂▂█"},
        BalanceRow{"replaced ones count zero", {{0, 70}, {5, 0}, {10, -60}}, 2, "█▂"},
        BalanceRow{"spent before it was seen", {{0, -40}, {1, 100}, {10, 40}}, 5, "▅▅▅▅█"},
        BalanceRow{"one column", {{0, 10}, {10, -5}}, 1, "▅"},
        BalanceRow{"large amounts and times",
                   {{0, 2'100'000'000'000'000}, {4'000'000'000, -1'050'000'000'000'000}},
                   2,
                   "█▅"}));

TEST(BalanceLines, NameTheDatesAndTheHighestBalance) {
    const test::ScopedVariable zone("TZ", "UTC");
    const BalanceRow row{"", {{1'714'756'869, 70'000'000}, {1'717'435'269, -10'000'000}}, 4, ""};
    EXPECT_EQ(balance_lines(history_of(row), 4),
              "balance over time:\n███▇\n2024-05-03 to 2024-06-03, highest 0.70000000 BTC\n");
    const BalanceRow one_day{"", {{1'714'756'869, 2}, {1'714'756'870, -1}}, 4, ""};
    EXPECT_EQ(balance_lines(history_of(one_day), 4), "");
    EXPECT_EQ(balance_lines({}, 4), "");
    EXPECT_EQ(balance_lines(history_of({"", {{1'714'756'869, 5}}, 4, ""}), 4), "") << "one point";
}

}  // namespace
}  // namespace petal::cli
