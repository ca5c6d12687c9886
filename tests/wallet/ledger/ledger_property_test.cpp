// Compares the ledger with the naive one over hundreds of random histories.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/both_ledgers.h"
#include "tests/support/random_history.h"
#include "tests/wallet/ledger/print_records.h"
#include "wallet/ledger/ledger_view.h"

namespace petal::wallet {
namespace {

void compare(const test::BothLedgers& both) {
    const LedgerView view(both.ledger());
    EXPECT_EQ(view.balance(), both.naive().balance());
    EXPECT_EQ(view.coins(), both.naive().coins());
    EXPECT_EQ(view.history(0), both.naive().history());
    EXPECT_EQ(view.received(), both.naive().received());
    EXPECT_TRUE(view.watched_outpoints() == both.naive().watched_outpoints());
}

std::size_t count_conflicts(const test::BothLedgers& both) {
    const auto history = LedgerView(both.ledger()).history(0);
    return static_cast<std::size_t>(std::ranges::count_if(
        history, [](const HistoryEntry& entry) { return entry.replaced_by.has_value(); }));
}

TEST(LedgerProperty, AgreesWithTheNaiveLedger) {
    std::size_t conflicts = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        test::BothLedgers both;
        test::RandomHistory history(test::random_choice(seed), both, [](KeyPath path) {
            return test::own_script(path.index, static_cast<KeyChain>(path.descriptor.value));
        });
        for (int step = 0; step < 60; ++step) {
            if (step % 7 == 3) both.broadcast_next();
            history.step();
            if (step % 20 == 15) both.forget_one(seed);
            if (step % 5 == 2) both.prefer_one(seed + static_cast<std::uint64_t>(step));
            if (step % 30 == 29) {
                EXPECT_TRUE(both.restart());
            }
            if (step % 12 == 11) compare(both);
            if (testing::Test::HasFailure()) FAIL() << "at step " << step;
        }
        conflicts += count_conflicts(both);
    }
    EXPECT_GT(conflicts, 300U) << "the histories have too few conflicts to test anything";
}

}  // namespace
}  // namespace petal::wallet
