/// What a wallet must get right, whichever node serves it.

#include <algorithm>
#include <numeric>

#include "tests/integration/scenario.h"

namespace petal::test {
namespace {

constexpr chain::Satoshis kCoin = 1'000'000;

std::vector<std::uint32_t> range(std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> indexes(count);
    std::iota(indexes.begin(), indexes.end(), first);
    return indexes;
}

// A sweep pays nothing to the wallet, and a segwit input shows nothing but its outpoint: a filter
// without the coin's outpoint can't see it.
TEST_P(Scenario, ReceivesAndSpendsWithAndWithoutChange) {
    const chain::Transaction funding = pay({0, 1, 2, 3}, kCoin);
    server().submit(funding);
    mine();
    sync();
    expect_exact();

    // Over connections of their own, of which none saw the coins arrive.
    server().submit(spend({coin(funding, 0)}, {{300'000, foreign()},
                                               {700'000 - fee_for(1, 2), keys().change(0)}}));
    mine();
    sync();
    expect_exact();
    server().submit(sweep(coin(funding, 1), foreign()));
    mine();
    sync();
    expect_exact();

    // Coins that come and go between two syncs.
    const chain::Transaction passing = pay({4}, kCoin);
    server().submit(passing);
    mine();
    server().submit(sweep(coin(passing), foreign()));
    mine();
    const chain::Transaction brief = pay({5}, kCoin);
    server().mine_block({brief, sweep(coin(brief), foreign()),
                         spend({coin(funding, 2), coin(funding, 3)},
                               {{2 * kCoin - fee_for(2, 1), foreign()}})});
    sync();
    expect_exact();
    expect_same_from_scratch();
}

TEST_P(Scenario, FindsMorePaymentsInOneBlockThanItLooksAhead) {
    server().mine_block({pay(range(0, 25), kCoin), pay(range(25, 25), kCoin)});
    mine(2);
    sync();
    expect_exact();
    expect_same_from_scratch();
}

TEST_P(Scenario, FindsManyTimesMorePaymentsInOneBlockThanItLooksAhead) {
    std::vector<chain::Transaction> payments;
    for (std::uint32_t first = 0; first < 240; first += 12) {
        payments.push_back(pay(range(first, 12), kCoin / 10));
    }
    // The furthest come first, so that no single pass over the block finds them.
    std::ranges::reverse(payments);
    server().mine_block(payments);
    mine(2);
    sync();
    expect_exact();
}

TEST_P(Scenario, FollowsLongHopsOverManyBlocks) {
    for (std::uint32_t hop = 0; hop < 12; ++hop) {
        const chain::Transaction payment = pay({19 + 20 * hop}, kCoin);
        server().mine_block({payment});
        if (hop % 3 == 0) server().mine_block({sweep(coin(payment), keys().change(19 + 20 * hop / 3))});
        if (hop % 4 == 1) server().mine_block({sweep(coin(payment), foreign())});
    }
    sync();
    expect_exact();
    expect_same_from_scratch();
}

TEST_P(Scenario, FollowsLongHopsInsideOneBlock) {
    std::vector<chain::Transaction> payments;
    for (std::uint32_t hop = 0; hop < 10; ++hop) payments.push_back(pay({19 + 20 * hop}, kCoin));
    std::ranges::reverse(payments);
    // One coin that wanders through the wallet and out of it, all in this block.
    chain::Transaction step = payments.front();
    for (std::uint32_t hop = 0; hop < 10; ++hop) {
        step = sweep(coin(step), keys().change(19 + 20 * hop));
        payments.push_back(step);
    }
    payments.push_back(sweep(coin(step), foreign()));
    server().mine_block(payments);
    mine(2);
    sync();
    expect_exact();
    expect_same_from_scratch();
}

TEST_P(Scenario, CountsACoinbaseFromItsHundredthConfirmation) {
    server().mine(1, keys().receive(0));
    mine(98);
    sync();
    expect_exact();
    EXPECT_EQ(wallet().open().balance().confirmed, 0);
    EXPECT_GT(wallet().open().balance().immature, 0);

    mine();
    sync();
    expect_exact();
    EXPECT_GT(wallet().open().balance().confirmed, 0);
    EXPECT_EQ(wallet().open().balance().immature, 0);

    const net::Block reward = server().block(server().hash_at(server().height() - 99));
    server().submit(sweep(coin(reward.transactions[0]), foreign()));
    mine();
    sync();
    expect_exact();
}

TEST_P(Scenario, SeesUnconfirmedThenConfirmedThenReplaced) {
    const chain::Transaction funding = pay({0, 1}, kCoin);
    server().submit(funding);
    mine();
    const chain::Transaction receipt = pay({2}, kCoin);
    server().submit(receipt);
    server().submit(sweep(coin(funding, 0), keys().change(0)));
    sync_and_listen(2);
    expect_exact(Unconfirmed::known);

    mine();
    sync();
    expect_exact();

    const chain::Transaction first = sweep(coin(funding, 1), keys().change(1));
    server().submit(first);
    sync_and_listen(1);
    expect_exact(Unconfirmed::known);

    // What takes its place pays a higher fee, so that nodes relay it.
    const chain::Transaction second =
        spend({coin(funding, 1)}, {{kCoin - 50 * fee_for(1, 1), keys().change(2)}});
    if (server().replaces_unconfirmed()) {
        server().submit(second);
        const auto knows_second = [&](const wallet::Wallet& wallet) {
            return wallet.transaction(second.txid()).has_value();
        };
        EXPECT_TRUE(wallet()
                        .sync({.endpoints = {server().endpoint()}, .until = knows_second})
                        .until_held);
        expect_exact(Unconfirmed::known);
    }
    server().mine_block({second});
    sync();
    expect_exact();
}

TEST_P(Scenario, SurvivesAReorganisationThatDropsKeepsAndDoubleSpends) {
    const chain::Transaction funding = pay({0, 1, 2, 3}, kCoin);
    server().mine_block({funding});
    mine(3);
    sync();

    const chain::Transaction dropped = pay({4}, kCoin);
    const chain::Transaction dropped_spend = sweep(coin(funding, 0), keys().change(0));
    const chain::Transaction kept = pay({5}, kCoin);
    const chain::Transaction kept_spend = sweep(coin(funding, 1), foreign());
    const chain::Transaction loser = pay({6}, kCoin);
    const chain::Transaction loser_child = sweep(coin(loser), keys().change(1));
    const chain::Transaction loser_spend = sweep(coin(funding, 2), keys().change(2));
    server().mine_block({dropped, kept, loser});
    mine(10);
    server().mine_block({dropped_spend, kept_spend, loser_child, loser_spend});
    mine(18);
    sync();
    expect_exact();

    const chain::Transaction winner =
        world_->treasury.pay_instead(loser, {{kCoin / 2, keys().receive(7)}});
    const chain::Transaction winner_spend =
        spend({coin(funding, 2)}, {{kCoin / 4, keys().change(3)}});
    const chain::Transaction fresh = pay({8}, kCoin);
    server().reorganise(30, {{kept, winner}, {kept_spend, fresh}, {winner_spend}});
    const SyncEnd end = sync();
    EXPECT_EQ(end.status.reorgs, 1U);
    expect_exact();

    // What was dropped is confirmed again by blocks that follow.
    std::vector<chain::Transaction> back{dropped, dropped_spend};
    server().mine_block(back);
    sync();
    expect_exact();
    expect_same_from_scratch();
}

TEST_P(Scenario, DoesNothingWhenThereIsNothingNew) {
    server().mine_block({pay({0}, kCoin)});
    EXPECT_GT(sync().status.filtered_blocks, 0U);
    const SyncEnd again = sync();
    EXPECT_EQ(again.status.headers, 0U);
    EXPECT_EQ(again.status.filtered_blocks, 0U);
    EXPECT_EQ(again.status.transactions, 0U);
    expect_exact();
}

INSTANTIATE_TEST_SUITE_P(Embedded, Scenario, testing::Values(ServerKind::embedded));
INSTANTIATE_TEST_SUITE_P(Bcoin, Scenario, testing::Values(ServerKind::bcoin));
INSTANTIATE_TEST_SUITE_P(Bitcoind, Scenario, testing::Values(ServerKind::bitcoind));

}  // namespace
}  // namespace petal::test
