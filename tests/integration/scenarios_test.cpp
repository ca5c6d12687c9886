/// One list of scenarios for every kind of server. The whole ledger is compared.
#include "tests/integration/scenario.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "tests/integration/faulty_relay.h"
#include "tests/integration/process.h"

namespace petal::test {
namespace {

using wallet::KeyChain;

TEST_P(Scenario, ReceivesAndSpendsWithAndWithoutChange) {
    const auto first = pay(0);
    const auto second = pay(1);
    const auto third = pay(2);
    mine({first, second, third});
    server->mine_empty(5, World::script());
    sync_and_expect_truth();

    const auto with_change =
        spend({{first.txid(), 0}},
              {{60'000, World::script()}, {39'000, owner.script({KeyChain::change, 0})}});
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
    listen_until_seen(3);  // and the transaction in a block
    TrueLedger(*server, owner, {confirmed_later, replaced}).expect_equals(client.open());

    mine({confirmed_later});
    sync();
    TrueLedger(*server, owner, {replaced}).expect_equals(client.open());

    // The replacement pays the wallet nothing. The wallet sees it because both spend the same
    // input.
    const auto replacement = world->replace(replaced, {{kCoin, World::script()}});
    mine({replacement});
    sync();
    TrueLedger(*server, owner, {}, {{replaced, replacement.txid()}}).expect_equals(client.open());
}

TEST_P(Scenario, FollowsReplacementsInsideTheMempool) {
    if (!server->replaces_in_mempool())
        GTEST_SKIP() << "its mempool keeps the first of two conflicting transactions";
    const auto first = pay(0);
    server->submit(first);
    listen_until_seen(1);
    TrueLedger(*server, owner, {first}).expect_equals(client.open());

    const auto second = world->replace(first, {{kCoin / 2, owner.receive(1)}}, 2);
    server->submit(second);
    listen_until_seen(1);
    TrueLedger(*server, owner, {second}, {{first, second.txid()}}).expect_equals(client.open());

    // The last replacement pays the wallet nothing, so the earlier payments are lost.
    const auto third = world->replace(first, {{kCoin, World::script()}}, 3);
    server->submit(third);
    listen_until_seen(1);
    const std::vector<Replaced> replaced{{first, third.txid()}, {second, third.txid()}};
    TrueLedger(*server, owner, {}, replaced).expect_equals(client.open());

    mine({third});
    sync();
    TrueLedger(*server, owner, {}, replaced).expect_equals(client.open());
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
    const auto double_spend = world->replace(double_spent, {{kCoin, owner.receive(4)}});
    server->reorganise(fork);
    mine({kept, double_spend});
    // Bitcoin Core returns the transactions of undone blocks to its mempool.
    if (GetParam().node != NodeKind::bitcoind) {
        for (const auto& transaction : {dropped, undone_spend}) server->submit(transaction);
    }
    const auto run = sync();
    EXPECT_EQ(run.status.counts.reorgs, 1U);
    TrueLedger(*server, owner, {dropped, undone_spend}, {}).expect_equals(client.open());
}

TEST_P(Scenario, FollowsWhatHappensWhileItListens) {
    mine({pay(0)});
    const auto announced = pay(1);
    const std::vector<std::function<void()>> happenings{
        [&] { server->submit(announced); },
        [&] { mine({announced}); },
        [&] {
            server->reorganise(server->height() - 1);
            mine({announced, pay(2)});
        },
        [&] {
            mine({spend({{announced.txid(), 0}}, {{99'000, World::script()}})});
        },
    };
    // Each step happens once the previous one is known.
    const std::vector<std::uint64_t> known_transactions{1, 2, 3, 5, 6};
    std::size_t next = 0;
    const auto run = client.follow(server->endpoint(), [&](const net::SyncStatus& status) {
        const bool synced =
            status.phase == net::SyncPhase::listening && status.synced_height == server->height();
        if (!synced || status.counts.transactions < known_transactions[next]) return false;
        if (next == happenings.size()) return true;
        happenings[next++]();
        return false;
    });
    EXPECT_EQ(run.result.outcome, net::SyncOutcome::interrupted);
    EXPECT_EQ(run.status.counts.reorgs, 1U);
    EXPECT_EQ(next, happenings.size());
    TrueLedger(*server, owner).expect_equals(client.open());
}

TEST_P(Scenario, HasNothingToDoTheSecondTime) {
    mine({pay(0)});
    sync_and_expect_truth();
    const auto run = sync();
    EXPECT_EQ(run.status.counts.filtered_blocks, 0U);
    EXPECT_EQ(run.status.counts.headers, 0U);
    EXPECT_EQ(run.status.counts.filter_loads, 0U);
    TrueLedger(*server, owner).expect_equals(client.open());
}

TEST_P(Scenario, ContinuesWhenADisconnectedPeerReturns) {
    mine_long_history();
    const std::uint64_t whole = bytes_of_whole_sync();
    using Kind = RelayFault::Kind;
    // Before the first byte, within the handshake, within the headers, and within the blocks.
    const FaultyRelay relay(server->endpoint(), {{Kind::close, 0},
                                                 {Kind::close, 30},
                                                 {Kind::close, whole / 10},
                                                 {Kind::close, whole / 4},
                                                 {Kind::close, whole / 5}});
    net::SpvOptions impatient;
    impatient.redial.first_backoff = impatient.redial.last_backoff = std::chrono::milliseconds{20};
    const auto run = client.sync({relay.endpoint()}, {}, impatient);
    EXPECT_EQ(run.result.outcome, net::SyncOutcome::synced);
    EXPECT_EQ(relay.struck(), 5U);
    EXPECT_EQ(run.result.endpoints[0].dials, 6U);
    TrueLedger(*server, owner).expect_equals(client.open());
}

TEST_P(Scenario, SyncsFromSeveralPeersAlthoughOneFails) {
    mine_long_history();
    const std::uint64_t whole = bytes_of_whole_sync();
    for (const auto kind :
         {RelayFault::Kind::close, RelayFault::Kind::garble, RelayFault::Kind::stall}) {
        const FaultyRelay faulty(server->endpoint(),
                                 std::vector<RelayFault>(10, {kind, whole / 2}));
        // The others serve nothing before the fault, which therefore happens among the blocks.
        const FaultyRelay second(server->endpoint(), {}, &faulty);
        const FaultyRelay third(server->endpoint(), {}, &faulty);
        const FaultyRelay fourth(server->endpoint(), {}, &faulty);
        Client newcomer;
        net::SyncOptions options;
        options.expected_peers = 4;
        const auto run = newcomer.sync(
            {faulty.endpoint(), second.endpoint(), third.endpoint(), fourth.endpoint()}, options);
        EXPECT_EQ(run.result.outcome, net::SyncOutcome::synced);
        EXPECT_GE(faulty.struck(), 1U);
        EXPECT_GE(run.status.peers.size(), 4U);
        TrueLedger(*server, owner).expect_equals(newcomer.open());
    }
}

TEST_P(Scenario, IsExactAfterBeingKilledAtAnyMoment) {
    mine_long_history();
    const std::uint64_t whole = bytes_of_whole_sync();
    const TrueLedger truth(*server, owner);
    std::optional<Client> killed(std::in_place);
    std::mt19937_64 random(20'261'121);  // NOLINT: the same moments in every run
    int kills = 0;
    for (int round = 0; round < 20; ++round) {
        // Later rounds have less left to download, so the fault comes later in them or not at all.
        const FaultyRelay relay(server->endpoint(), {{RelayFault::Kind::stall, random() % whole}});
        Process process(killed->command(relay.endpoint()));
        ASSERT_TRUE(relay.wait_for_first(std::chrono::seconds{60}));
        if (relay.struck() == 1) {
            ASSERT_TRUE(process.kill())
                << "it cannot have ended without the bytes that are held back";
            EXPECT_NE(killed->open().sync_state().synced, server->tip());
            ++kills;
        } else {
            EXPECT_EQ(process.wait(), 0);
            truth.expect_equals(killed->open());
            killed.emplace();
        }
    }
    EXPECT_GE(kills, 10);
    Process last(killed->command(server->endpoint()));
    EXPECT_EQ(last.wait(), 0);
    truth.expect_equals(killed->open());
}

INSTANTIATE_TEST_SUITE_P(Servers, Scenario, testing::ValuesIn(kServers), suffix_of);

}  // namespace
}  // namespace petal::test
