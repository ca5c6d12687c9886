// Peers that could make a sync stand still, or blame the wrong peer.
#include <gtest/gtest.h>

#include <vector>

#include "tests/net/sync/awkward_scene.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using test::HandDriven;
using test::listening_for;
using test::ListWatcher;
using test::options_for;
using test::Simulated;

net::Inv announcement_of(const chain::BlockHash& block) {
    net::Inv inv;
    inv.entries.push_back({net::InventoryType::block, chain::Hash256{block.bytes}});
    return inv;
}

class AwkwardPeers : public testing::Test {
protected:
    regtest::RegtestChain chain;
};

// A peer that sends one new header in each answer always makes progress, but never reaches an end.
TEST_F(AwkwardPeers, CannotBlockHeaderRequestsToOtherPeers) {
    chain.mine(500);
    HandDriven sync(options_for(2));
    auto& network = sync.network;
    const auto miser = network.connect(chain);
    network.alter_messages(miser, [this, shown = 0U](net::Message& message) mutable {
        auto* headers = std::get_if<net::Headers>(&message);
        if (headers != nullptr) headers->headers.assign(1, chain.block_at(++shown).header);
    });
    network.deliver_all(miser);
    const auto honest = network.connect(chain);
    for (int i = 0; i < 480; ++i) {
        network.advance(milliseconds{500});
        network.deliver_all(miser);
        network.deliver_all(honest);
    }
    EXPECT_EQ(sync.headers.tip().height, 500U);
    EXPECT_TRUE(sync.engine.finished());
}

// It may be this machine's clock that is wrong.
TEST_F(AwkwardPeers, AreNotBlamedForHeadersAheadOfTheClock) {
    constexpr std::int64_t kFiveHours = 5 * 3'600;
    chain.mine(50);
    regtest::RegtestChain ahead;
    ahead.mine(50);
    Simulated sync(options_for(1));
    ahead.set_time(sync.network.now().unix_seconds + kFiveHours);
    ahead.mine();
    const auto peer = sync.network.connect(ahead);
    sync.network.run_for(milliseconds{10'000});
    const auto& status = sync.engine.status();
    EXPECT_EQ(status.stall_reason, net::StallReason::ahead_of_clock);
    EXPECT_FALSE(sync.network.run());
    EXPECT_EQ(sync.network.dropped(peer), net::DisconnectReason::ahead_of_clock);
    EXPECT_EQ(status.peers[0].misbehaviour, 0U);

    // Beside a peer without the block, the sync ends, and the report tells of it.
    Simulated served(options_for(2));
    served.network.connect(chain);
    served.network.connect(ahead);
    EXPECT_TRUE(served.network.run());
    EXPECT_EQ(served.headers.tip().height, 50U);
    EXPECT_EQ(served.engine.status().peers[0].ahead_of_clock, net::AheadOfClock::no);
    EXPECT_NE(served.engine.status().peers[1].ahead_of_clock, net::AheadOfClock::no);
}

// Each announcement makes the sync request headers from the announcer, which does not send any.
TEST_F(AwkwardPeers, CannotPutOffTheEndWithUnknownBlocks) {
    chain.mine(200);
    HandDriven sync(listening_for(milliseconds{10'000}, 2));
    auto& network = sync.network;
    const auto honest = network.connect(chain);
    network.deliver_all(honest);
    ASSERT_TRUE(sync.is_listening());

    const auto liar = network.connect_silent_peer();
    net::Version version;
    version.services = 0xffff;
    version.nonce = 5;
    network.inject(liar, version);
    network.inject(liar, net::Verack{});
    for (int i = 1; i <= 300 && !sync.engine.finished(); ++i) {
        chain::BlockHash unknown;
        unknown.bytes = {static_cast<chain::Byte>(i), static_cast<chain::Byte>(i >> 8), 0x77};
        network.inject(liar, announcement_of(unknown));
        if (const auto nonce = network.take_ping(liar)) network.inject(liar, net::Pong{*nonce});
        network.advance(milliseconds{1'500});
    }
    EXPECT_TRUE(sync.engine.finished());
}

// Two blocks have the same height. Each peer lacks the other's block, and neither is to blame.
TEST_F(AwkwardPeers, MayHaveAnotherTip) {
    regtest::RegtestChain other;
    chain.mine(200);
    other.mine(199);
    other.mine(1, ListWatcher::script(900));
    ASSERT_EQ(chain.block_at(199).header.hash(), other.block_at(199).header.hash());
    ASSERT_NE(chain.tip(), other.tip());
    Simulated sync(options_for(2));
    regtest::NodeBehaviour slow;
    slow.block_time = milliseconds{5};
    const auto one = sync.network.connect(chain, slow);
    const auto another = sync.network.connect(other, slow);
    sync.network.run();
    EXPECT_EQ(sync.network.dropped(one), std::nullopt);
    EXPECT_EQ(sync.network.dropped(another), std::nullopt);
}

// The header is known already, but the announcement shows that this peer has the block.
TEST_F(AwkwardPeers, MayAnnounceABlockThatIsKnownAlready) {
    regtest::RegtestChain ahead;
    chain.mine(200);
    ahead.mine(201);
    HandDriven sync(listening_for(milliseconds{1'000'000}, 2));
    auto& network = sync.network;
    const auto staying = network.connect(chain);
    network.deliver_all(staying);
    ASSERT_EQ(sync.watcher.sync_state().synced->height, 200U);
    const auto leaving = network.connect(ahead);
    while (sync.headers.tip().height < 201) network.deliver_next(leaving);
    network.cut(leaving);
    network.deliver_all(staying);  // it is asked for the block, which it does not have yet

    chain.mine(1);
    ASSERT_EQ(chain.tip(), ahead.tip());
    const auto asked = network.sent(staying, "getdata");
    // Its announcement may be a headers message; the inv below has the same meaning.
    network.drop_pending(staying);
    network.inject(staying, announcement_of(chain.tip()));
    for (int i = 0; i < 5; ++i) {
        network.advance(milliseconds{1'000});
        network.deliver_all(staying);
    }
    EXPECT_GT(network.sent(staying, "getdata"), asked);
    EXPECT_EQ(sync.watcher.sync_state().synced->height, 201U);
}

// The height in Bitcoin Core's version message may be lower than its last block.
TEST_F(AwkwardPeers, AreAskedForBlocksThatNoPeerClaimsToHave) {
    for (const bool has_them : {true, false}) {
        regtest::RegtestChain whole;
        whole.mine(20, ListWatcher::script(1));
        regtest::RegtestChain part;
        part.mine(18, ListWatcher::script(1));
        chain::HeaderChain headers{*chain::find_network("regtest")};
        ListWatcher first;
        net::SyncEngine stores_headers(headers, first, {});
        test::SimulatedNetwork earlier(stores_headers);
        earlier.connect(whole);
        ASSERT_TRUE(earlier.run());

        ListWatcher watcher;
        net::SyncEngine engine(headers, watcher, options_for(1));
        test::HandDrivenNetwork network(engine);
        const auto peer = network.connect(has_them ? whole : part);
        network.alter_messages(peer, [](net::Message& message) {
            if (auto* version = std::get_if<net::Version>(&message)) version->start_height = 18;
        });
        for (int i = 0; i < 100; ++i) {
            network.deliver_all(peer);
            network.advance(milliseconds{1'000});
        }
        EXPECT_EQ(engine.status().synced_height, has_them ? 20U : 18U);
        EXPECT_EQ(engine.status().phase, net::SyncPhase::done)
            << "without blocks that are withheld";
        EXPECT_FALSE(network.is_dropped(peer));
    }
}

TEST_F(AwkwardPeers, MayNotSkipBlocksThatTheyHaveShown) {
    regtest::RegtestChain shown;
    shown.mine(20, ListWatcher::script(1));
    HandDriven sync(options_for(1));
    const auto peer = sync.network.connect(shown);
    while (sync.network.sent(peer, "getdata") == 0 && sync.network.deliver_next(peer)) {
    }
    const auto fence = sync.network.take_ping(peer);
    ASSERT_TRUE(fence);
    sync.network.drop_pending(peer);
    sync.network.inject(peer, net::Pong{*fence});
    EXPECT_TRUE(sync.network.is_dropped(peer));
    EXPECT_EQ(sync.engine.status().peers.at(0).ended, net::DisconnectReason::incomplete);
}

// The time to listen is over, but a new peer that has sent nothing yet may have more blocks. The
// sync waits for that peer, so the next deadline is not the end of the listening time.
TEST_F(AwkwardPeers, LeaveNoDeadlineInThePast) {
    chain.mine(20);
    HandDriven sync(listening_for(milliseconds{5'000}, 2));
    auto& network = sync.network;
    const auto honest = network.connect(chain);
    network.deliver_all(honest);
    ASSERT_TRUE(sync.is_listening());
    network.advance(milliseconds{4'900});
    network.connect_silent_peer();
    network.cut(honest);
    network.advance(milliseconds{200});
    EXPECT_FALSE(sync.engine.finished());
    ASSERT_TRUE(sync.engine.next_deadline().has_value());
    EXPECT_GT(*sync.engine.next_deadline(), network.now().steady);
}

}  // namespace
}  // namespace petal
