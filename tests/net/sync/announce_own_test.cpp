// The watcher's own transactions are announced again after each block until a block confirms them.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <variant>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ListWatcher;

constexpr seconds kWithin{30};

net::SyncOptions announcing(std::optional<milliseconds> within) {
    net::SyncOptions options;
    options.wait_unconfirmed = net::SyncOptions::kForever;
    options.announce_own_within = within;
    return options;
}

class AnnouncesOwn : public testing::Test {
protected:
    explicit AnnouncesOwn(std::optional<milliseconds> within = kWithin)
        : engine(headers, watcher, announcing(within)) {
        chain.mine(110);
        const chain::Txid coin = chain.pay(ListWatcher::script(0), 100'000);
        chain.mine();
        own = test::make_spend(chain, std::array{chain::Outpoint{coin, 0}},
                               {{99'000, chain::Bytes{0x51}}});
        own = test::signed_by_watcher(own, chain);
        watcher.make({own, 1'000});
    }

    std::size_t times_announced(net::PeerId peer) const {
        const auto sent = network.sent(peer);
        const auto found = sent.find("inv");
        return found == sent.end() ? 0 : found->second;
    }
    void mine_and_wait() {
        chain.mine();
        network.run_for(kWithin + seconds{5});
    }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    net::SyncEngine engine;
    test::SimulatedNetwork network{engine};
    chain::Transaction own;
};

TEST_F(AnnouncesOwn, OnceAfterTheBlocksAreScanned) {
    const auto peer = network.connect(chain);
    network.run_for(kWithin + seconds{5});
    EXPECT_EQ(times_announced(peer), 1U);
    EXPECT_EQ(network.taken(peer), std::vector{own});
    network.run_for(std::chrono::minutes{30});
    EXPECT_EQ(times_announced(peer), 1U) << "not announced again before the next block";
}

TEST_F(AnnouncesOwn, AfterEachBlockUntilOneConfirmsIt) {
    const auto peer = network.connect(chain);
    network.run_for(kWithin + seconds{5});
    mine_and_wait();
    EXPECT_EQ(network.taken(peer).size(), 2U);
    chain.mine_block({own});
    network.run_for(kWithin + seconds{5});
    EXPECT_EQ(network.taken(peer).size(), 2U);
    mine_and_wait();
    EXPECT_EQ(times_announced(peer), 2U);
}

TEST_F(AnnouncesOwn, ToHalfOfThePeers) {
    const std::array peers{network.connect(chain), network.connect(chain), network.connect(chain),
                           network.connect(chain)};
    network.run_for(kWithin + seconds{5});
    std::size_t told = 0;
    for (const auto peer : peers) told += times_announced(peer);
    EXPECT_EQ(told, 2U);
}

TEST_F(AnnouncesOwn, NotToAPeerThatAnnouncedIt) {
    chain.submit(own);
    const auto peer = network.connect(chain);
    network.run_for(kWithin + seconds{5});
    chain.mine_block({});
    network.run_for(kWithin + seconds{5});
    EXPECT_EQ(times_announced(peer), 0U) << "only the owner would announce it to this peer";
}

TEST_F(AnnouncesOwn, AndDoesNotCountAnEcho) {
    const std::array peers{network.connect(chain), network.connect(chain)};
    network.run_for(kWithin + seconds{5});
    for (const auto peer : peers) {
        engine.on_message(peer, net::Inv{{{net::InventoryType::tx, {own.txid().bytes}}}},
                          network.now());
    }
    EXPECT_EQ(engine.seen_from(own.txid()), 1U) << "only from the peer that was not told";
}

TEST_F(AnnouncesOwn, AtARandomTimeAfterABlock) {
    const auto peer = network.connect(chain);
    network.run_for(kWithin + seconds{5});
    chain.mine();
    network.run_for(milliseconds{10});
    EXPECT_EQ(times_announced(peer), 1U) << "not announced together with the block";
}

// Only the owner announces it again. The moment and the peers must not give the owner away.
TEST_F(AnnouncesOwn, AtAMomentAndToPeersThatAreDrawn) {
    std::set<milliseconds> moments;
    std::set<net::PeerId> first_peers;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        auto options = announcing(kWithin);
        options.random_seed = seed;
        chain::HeaderChain fresh_headers{*chain::find_network("regtest")};
        ListWatcher fresh_watcher;
        fresh_watcher.make({own, 1'000});
        net::SyncEngine seeded{fresh_headers, fresh_watcher, options};
        test::SimulatedNetwork fresh_network{seeded};
        std::vector<net::PeerId> told;
        fresh_network.on_command = [&](const net::Command& command) {
            const auto* const send = std::get_if<net::Send>(&command);
            if (send == nullptr || !std::holds_alternative<net::Inv>(send->message)) return;
            if (told.empty()) moments.insert(fresh_network.now().steady);
            told.push_back(send->peer);
        };
        for (int i = 0; i < 4; ++i) fresh_network.connect(chain);
        fresh_network.run_for(kWithin + seconds{5});
        ASSERT_EQ(told.size(), 2U);
        first_peers.insert(told[0]);
    }
    EXPECT_GT(moments.size(), 5U);
    EXPECT_GT(first_peers.size(), 1U);
}

TEST_F(AnnouncesOwn, NotToAPeerWithoutTransactionRelay) {
    regtest::NodeBehaviour deaf;
    deaf.takes_transactions = false;
    const auto peer = network.connect(chain, deaf);
    network.run_for(kWithin + seconds{5});
    EXPECT_EQ(times_announced(peer), 0U);
    EXPECT_EQ(network.dropped(peer), std::nullopt);
    const auto taker = network.connect(chain);
    network.run_for(2 * kWithin + seconds{5});
    EXPECT_EQ(network.taken(taker).size(), 1U) << "a later peer is told instead";
}

TEST_F(AnnouncesOwn, ToHalfOfThePeersThatTakeIt) {
    regtest::NodeBehaviour dear;
    dear.mempool.least_fee_rate = 1'000'000;
    for (int i = 0; i < 3; ++i) network.connect(chain, dear);
    const auto taker = network.connect(chain);
    network.run_for(kWithin + seconds{5});
    EXPECT_EQ(times_announced(taker), 1U);
}

TEST_F(AnnouncesOwn, NotToAPeerWithAHigherFeeFilter) {
    regtest::NodeBehaviour dear;
    dear.mempool.least_fee_rate = 1'000'000;
    const auto peer = network.connect(chain, dear);
    network.run_for(kWithin + seconds{5});
    EXPECT_EQ(times_announced(peer), 0U);
}

class AnnouncesOwnAtOnce : public AnnouncesOwn {
protected:
    AnnouncesOwnAtOnce() : AnnouncesOwn(milliseconds{0}) {}
};

TEST_F(AnnouncesOwnAtOnce, WithoutRetryingInALoop) {
    regtest::NodeBehaviour deaf;
    deaf.takes_transactions = false;
    network.connect(chain, deaf);
    const auto start = network.now().steady;
    network.run_for(seconds{10});
    EXPECT_EQ(network.now().steady - start, seconds{10})
        << "a timer that is always due would stop it";
    const auto taker = network.connect(chain);
    network.run_for(seconds{2});
    EXPECT_EQ(times_announced(taker), 1U);
}

class AnnouncesNothing : public AnnouncesOwn {
protected:
    AnnouncesNothing() : AnnouncesOwn(std::nullopt) {}
};

TEST_F(AnnouncesNothing, UnlessItIsEnabled) {
    const auto peer = network.connect(chain);
    network.run_for(kWithin + seconds{5});
    EXPECT_EQ(times_announced(peer), 0U);
}

TEST_F(AnnouncesOwn, AndRequestsWitnessesOfReceivedPayments) {
    const auto peer = network.connect(chain);
    network.run_for(kWithin + seconds{5});
    auto payment = chain.make_payment({{5'000, ListWatcher::script(1)}});
    payment.inputs[0].witness = {chain::Bytes(72, 1)};
    chain.submit(payment);
    network.run_for(seconds{5});
    EXPECT_EQ(watcher.last_unconfirmed(), payment);
    EXPECT_EQ(network.dropped(peer), std::nullopt);
}

}  // namespace
}  // namespace petal
