// Compares the ledger with the naive one over hundreds of random histories.
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/support/both_ledgers.h"
#include "tests/support/random_history.h"
#include "tests/wallet/ledger/print_records.h"
#include "wallet/ledger/ledger_view.h"

namespace petal::wallet {
namespace {

chain::Satoshis net_of(const std::vector<HistoryEntry>& history) {
    chain::Satoshis sum = 0;
    for (const HistoryEntry& entry : history) {
        sum += entry.net;
        EXPECT_TRUE(entry.counts() || entry.net == 0);
    }
    return sum;
}

void compare(const test::BothLedgers& both) {
    const LedgerView view(both.ledger());
    EXPECT_EQ(net_of(view.history(0)), view.balance().total());
    EXPECT_EQ(view.balance(), both.naive().balance());
    EXPECT_EQ(view.coins(), both.naive().coins());
    EXPECT_EQ(view.history(0), both.naive().history());
    EXPECT_EQ(view.received(), both.naive().received());
    EXPECT_TRUE(view.watched_outpoints() == both.naive().watched_outpoints());
}

/// The ledger that has followed hostile miners, and the naive one that has not.
void compare_with_honest(const test::BothLedgers& both) {
    const LedgerView view(both.ledger());
    const test::NaiveLedger& honest = both.naive();
    EXPECT_EQ(both.ledger().synced(), honest.synced());
    EXPECT_EQ(view.balance(), honest.balance());
    EXPECT_EQ(view.coins(), honest.coins());
    EXPECT_EQ(test::without_seen_times(view.history(0)),
              test::without_seen_times(honest.history()));
    for (const std::uint32_t confirmations : {0U, 1U, 6U}) {
        EXPECT_EQ(view.received(confirmations), honest.received(confirmations));
    }
    EXPECT_TRUE(view.watched_outpoints() == honest.watched_outpoints());
}

/// The seeds, or those of PETAL_LEDGERS=FIRST-LAST, for a long search or to replay one.
std::pair<std::uint64_t, std::uint64_t> seeds(std::uint64_t first, std::uint64_t last) {
    if (const char* range = std::getenv("PETAL_LEDGERS")) {
        EXPECT_EQ(std::sscanf(range, "%" SCNu64 "-%" SCNu64, &first, &last), 2) << range;
    }
    return {first, last};
}

test::RandomHistory::Script own_script_of() {
    return [](KeyPath path) {
        return test::own_script(path.index, static_cast<KeyChain>(path.descriptor.value));
    };
}

std::size_t count_conflicts(const test::BothLedgers& both) {
    const auto history = LedgerView(both.ledger()).history(0);
    return static_cast<std::size_t>(std::ranges::count_if(
        history, [](const HistoryEntry& entry) { return entry.replaced_by.has_value(); }));
}

TEST(LedgerProperty, AgreesWithTheNaiveLedger) {
    std::size_t conflicts = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        test::BothLedgers both;
        test::RandomHistory history(test::random_choice(seed), both, own_script_of());
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
    EXPECT_GT(conflicts, 120U) << "the histories have too few conflicts to test anything";
}

/// Counts the hostile branches.
struct CountedLedgers : test::BothLedgers {
    CountedLedgers() : BothLedgers({.told = Told::no_hostile_branch}) {}

    void begin_hostile_branch() override {
        ++branches;
        BothLedgers::begin_hostile_branch();
    }
    std::size_t branches = 0;
};

TEST(LedgerProperty, HostileMinersLeaveNothingBehind) {
    std::size_t branches = 0;
    const auto [first, last] = seeds(1, 200);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        CountedLedgers both;
        test::RandomHistory history(test::random_choice(seed), both, own_script_of());
        both.follow(history.chain());
        for (int step = 0; step < 60; ++step) {
            if (step % 7 == 3) both.broadcast_next();
            history.step();
            if (step % 6 == 5) history.follow_hostile_miner();
            if (step % 5 == 2) both.prefer_one(seed + static_cast<std::uint64_t>(step));
            if (step % 30 == 29) {
                EXPECT_TRUE(both.restart());
            }
            if (step % 6 == 5) {
                both.forget_undone();
                compare_with_honest(both);
            }
            if (testing::Test::HasFailure()) FAIL() << "at step " << step;
        }
        branches += both.branches;
    }
    EXPECT_GE(branches, 10 * (last - first + 1));
}

}  // namespace
}  // namespace petal::wallet
