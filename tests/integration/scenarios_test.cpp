// One list of scenarios for every kind of server. What is compared is the whole ledger.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "tests/integration/actors.h"
#include "tests/integration/client.h"
#include "tests/integration/full_node.h"
#include "tests/integration/true_ledger.h"

namespace petal::test {
namespace {

using wallet::KeyChain;

constexpr chain::Satoshis kCoin = 100'000;

class Scenario : public testing::TestWithParam<NodeKind> {
protected:
    void SetUp() override {
        if (const auto why = why_missing(GetParam()); !why.empty()) GTEST_SKIP() << why;
        server = FullNode::start(GetParam());
        world.emplace(*server);
        world->prepare();
    }

    chain::Transaction pay(std::uint32_t index, chain::Satoshis value = kCoin) {
        return world->pay({{value, owner.receive(index)}});
    }

    /// The wallet spends these coins of its own; without change where `outputs` has none.
    chain::Transaction spend(const std::vector<chain::Outpoint>& coins,
                             std::vector<chain::TxOutput> outputs) {
        chain::Transaction transaction;
        for (const auto& coin : coins) transaction.inputs.push_back({coin, {}, 0xfffffffd, {}});
        transaction.outputs = std::move(outputs);
        std::map<chain::Outpoint, chain::TxOutput> spent;
        for (const auto& coin : coins) spent[coin] = {kCoin, script_of(coin)};
        owner.sign(transaction, spent);
        return transaction;
    }

    /// Spends a payment that is not in a block yet.
    chain::Transaction spend_at_once(const chain::Transaction& payment, std::uint32_t index) {
        pending_scripts[{payment.txid(), 0}] = owner.receive(index);
        return spend({{payment.txid(), 0}}, {{99'000, World::script()}});
    }

    chain::Bytes script_of(const chain::Outpoint& coin) const {
        for (const auto& block : server->blocks()) {
            for (std::size_t i = 0; i < block.txids.size(); ++i) {
                if (block.txids[i] == coin.txid) {
                    return block.transactions[i].outputs.at(coin.index).script_pubkey;
                }
            }
        }
        return pending_scripts.at(coin);
    }

    void mine(std::vector<chain::Transaction> transactions) {
        server->mine(std::move(transactions), World::script());
    }

    SyncRun sync(net::SyncOptions options = {}) {
        SyncRun run = client.sync({server->endpoint()}, std::move(options));
        EXPECT_EQ(run.result.outcome, net::SyncOutcome::synced);
        return run;
    }

    void sync_and_expect_truth() {
        sync();
        TrueLedger(*server, owner).expect_equals(client.open());
    }

    static net::SyncOptions listening(std::chrono::milliseconds time) {
        net::SyncOptions options;
        options.wait_unconfirmed = time;
        return options;
    }

    /// Long enough for the answer to `mempool`, which other nodes than ours hold back for some five seconds.
    static std::chrono::milliseconds listening_time() {
        return std::chrono::milliseconds{GetParam() == NodeKind::embedded ? 500 : 7'000};
    }

    Owner owner;
    std::unique_ptr<FullNode> server;
    std::optional<World> world;
    Client client;
    std::map<chain::Outpoint, chain::Bytes> pending_scripts;
};

TEST_P(Scenario, ReceivesAndSpendsWithAndWithoutChange) {
    const auto first = pay(0);
    const auto second = pay(1);
    const auto third = pay(2);
    mine({first, second, third});
    server->mine_empty(5, World::script());
    sync_and_expect_truth();

    const auto with_change = spend({{first.txid(), 0}}, {{60'000, World::script()},
                                                         {39'000, owner.script({KeyChain::change, 0})}});
    mine({with_change});
    const auto sweep = spend({{second.txid(), 0}}, {{99'000, World::script()}});
    mine({sweep});
    sync_and_expect_truth();

    server->mine_empty(20, World::script());
    const auto last_sweep = spend({{third.txid(), 0}}, {{99'000, World::script()}});
    mine({last_sweep});
    sync_and_expect_truth();
    EXPECT_EQ(TrueLedger(*server, owner).history().size(), 6U);
}

TEST_P(Scenario, SweepsWithoutChangeAreSeenInOneScanOfEverything) {
    for (std::uint32_t i = 0; i < 10; ++i) {
        const auto payment = pay(i);
        mine({payment, spend_at_once(payment, i)});
        const auto later = pay(i);
        mine({later});
        server->mine_empty(3, World::script());
        mine({spend({{later.txid(), 0}}, {{99'000, World::script()}})});
    }
    sync_and_expect_truth();
    EXPECT_TRUE(TrueLedger(*server, owner).coins().empty());
}

TEST_P(Scenario, FindsMorePaymentsInOneBlockThanAreWatched) {
    std::vector<chain::Transaction> payments;
    for (std::uint32_t i = 0; i < 100; ++i) payments.push_back(pay(i, 1'000 + i));
    mine(std::move(payments));
    server->mine_empty(3, World::script());
    sync_and_expect_truth();
    EXPECT_EQ(TrueLedger(*server, owner).coins().size(), 100U);
}

TEST_P(Scenario, FollowsHopsWithinTheGapOverBlocksAndInsideOne) {
    std::uint32_t index = 19;
    for (int hop = 0; hop < 10; ++hop, index += 20) mine({pay(index)});
    std::vector<chain::Transaction> hops;
    for (int hop = 0; hop < 10; ++hop, index += 20) hops.push_back(pay(index));
    mine(std::move(hops));
    sync_and_expect_truth();
    EXPECT_EQ(TrueLedger(*server, owner).coins().size(), 20U);
}

TEST_P(Scenario, KeepsACoinbaseBackUntilItIsMature) {
    server->mine({}, owner.receive(0));
    server->mine_empty(98, World::script());
    sync_and_expect_truth();
    EXPECT_EQ(client.open().balance().confirmed, 0);
    EXPECT_GT(client.open().balance().immature, 0);
    server->mine_empty(1, World::script());
    sync_and_expect_truth();
    EXPECT_GT(client.open().balance().confirmed, 0);
    EXPECT_EQ(client.open().balance().immature, 0);
}

TEST_P(Scenario, SeesUnconfirmedThenConfirmedThenReplaced) {
    mine({pay(0)});
    const auto confirmed_later = pay(1);
    const auto replaced = pay(2);
    server->submit(confirmed_later);
    server->submit(replaced);
    sync(listening(listening_time()));
    TrueLedger(*server, owner, {confirmed_later, replaced}).expect_equals(client.open());

    mine({confirmed_later});
    sync();
    TrueLedger(*server, owner, {replaced}).expect_equals(client.open());

    // The replacement pays the wallet nothing: it is seen by the inputs that both spend.
    const auto replacement = world->conflict_with(replaced, {{kCoin, World::script()}});
    mine({replacement});
    sync();
    TrueLedger(*server, owner).expect_equals(client.open());
    const auto entry = client.open().transaction(replaced.txid());
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(entry->replaced_by, replacement.txid());
}

TEST_P(Scenario, GoesThroughAReorganisationOfThirtyBlocks) {
    mine({pay(0)});
    const std::uint32_t fork = server->height();
    const auto dropped = pay(1);
    const auto kept = pay(2);
    const auto double_spent = pay(3);
    mine({dropped, kept, double_spent});
    server->mine_empty(28, World::script());
    mine({spend({{kept.txid(), 0}}, {{99'000, World::script()}})});
    sync_and_expect_truth();
    ASSERT_EQ(server->height() - fork, 30U);

    const auto undone_spend = server->blocks().back().transactions[1];
    server->reorganise(fork);
    mine({kept, world->conflict_with(double_spent, {{kCoin, owner.receive(4)}})});
    const auto run = sync();
    EXPECT_EQ(run.status.reorgs, 1U);
    const auto known = client.open();
    EXPECT_EQ(known.transaction(kept.txid())->height, server->height());
    EXPECT_EQ(known.transaction(dropped.txid())->height, std::nullopt);
    EXPECT_TRUE(known.transaction(double_spent.txid())->replaced_by.has_value());
    TrueLedger(*server, owner, {dropped, undone_spend}).expect_equals(known);
}

TEST_P(Scenario, HasNothingToDoTheSecondTime) {
    mine({pay(0)});
    sync_and_expect_truth();
    const auto run = sync();
    EXPECT_EQ(run.status.filtered_blocks, 0U);
    EXPECT_EQ(run.status.headers, 0U);
    EXPECT_EQ(run.status.filter_loads, 0U);
    TrueLedger(*server, owner).expect_equals(client.open());
}

TEST_P(Scenario, IsExactAfterBeingKilledAtAnyMoment) {
    for (std::uint32_t i = 0; i < 15; ++i) {
        const auto payment = pay(i);
        mine({payment});
        server->mine_empty(10, World::script());
        mine({spend({{payment.txid(), 0}}, {{50'000, World::script()}, {49'000, owner.receive(i + 1)}})});
    }
    std::mt19937 random(20'261'121);  // NOLINT: the same moments in every run
    for (int kill = 0; kill < 20; ++kill) {
        Process process(client.command(server->endpoint()));
        std::this_thread::sleep_for(std::chrono::microseconds{random() % 120'000});
        process.kill();
    }
    Process last(client.command(server->endpoint()));
    EXPECT_EQ(last.wait(), 0);
    TrueLedger(*server, owner).expect_equals(client.open());
}

INSTANTIATE_TEST_SUITE_P(Servers, Scenario,
                         testing::Values(NodeKind::embedded, NodeKind::bcoin, NodeKind::bitcoind),
                         [](const auto& row) { return std::string(name_of(row.param)); });

}  // namespace
}  // namespace petal::test
