// Blocks whose time is more than two hours ahead of the clock when they are announced.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "chain/headers/header_rules.h"
#include "net/sync/headers/too_new_header.h"
#include "tests/net/sync/awkward_scene.h"

namespace petal {
namespace {

using net::StallReason;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::following_with;
using test::HandDriven;
using test::ListWatcher;
using test::options_for;
using test::Simulated;

/// Mines a block that pays the watcher, and counts `later` from now on.
void mine_early(regtest::RegtestChain& chain, net::Now now, seconds later) {
    chain.set_time(now.unix_seconds + chain::kMaxFutureTime + later.count());
    chain.mine(1, ListWatcher::script(1));
}

class EarlyHeaders : public testing::Test {
protected:
    EarlyHeaders() { chain.mine(110); }

    regtest::RegtestChain chain;
};

TEST_F(EarlyHeaders, AreTakenByAFollowerWhenTheyCount) {
    Simulated sync(following_with(1));
    const auto peer = sync.network.connect(chain);
    sync.network.run_for(minutes{1});
    ASSERT_TRUE(sync.is_listening());
    ASSERT_EQ(sync.engine.status().stall_reason, StallReason::none);
    mine_early(chain, sync.network.now(), seconds{600});
    mine_early(chain, sync.network.now(), seconds{630});
    mine_early(chain, sync.network.now(), seconds{660});
    sync.network.run_for(seconds{599});
    EXPECT_EQ(sync.headers.tip().height, 110U);
    EXPECT_TRUE(sync.is_listening());
    EXPECT_EQ(sync.engine.status().stall_reason, StallReason::ahead_of_clock);
    EXPECT_EQ(sync.engine.status().early_until, sync.network.now().unix_seconds + 1);
    EXPECT_EQ(sync.engine.status().peers[0].ahead_of_clock, net::AheadOfClock::early);
    for (const std::uint32_t height : {111U, 112U, 113U}) {
        sync.network.run_for(seconds{2});
        EXPECT_EQ(sync.watcher.sync_state().synced->height, height);
        sync.network.run_for(seconds{28});
    }
    EXPECT_EQ(sync.engine.status().stall_reason, StallReason::none);
    EXPECT_EQ(sync.engine.status().early_until, std::nullopt);
    EXPECT_EQ(sync.network.dropped(peer), std::nullopt);
    // One for each of the blocks, and two for the first ones.
    EXPECT_LE(sync.network.sent(peer).at("getheaders"), 6U);
}

TEST_F(EarlyHeaders, AreTakenIfTheyAreOnlyAnnouncedByInv) {
    HandDriven sync(following_with(1));
    auto& network = sync.network;
    const auto peer = network.connect(chain);
    network.deliver_all(peer);
    ASSERT_TRUE(sync.is_listening());
    mine_early(chain, network.now(), seconds{100});
    network.drop_pending(peer);
    network.inject(peer, net::Inv{{{net::InventoryType::block, {chain.tip().bytes}}}});
    network.deliver_all(peer);
    EXPECT_EQ(sync.engine.status().stall_reason, StallReason::ahead_of_clock);
    network.advance(seconds{100});
    network.deliver_all(peer);
    EXPECT_EQ(sync.headers.tip().height, 111U);
}

// The clock is slow by half an hour, and set right.
TEST_F(EarlyHeaders, AreTakenAsSoonAsTheClockIsSet) {
    Simulated sync(following_with(1));
    sync.network.connect(chain);
    sync.network.run_for(minutes{1});
    mine_early(chain, sync.network.now(), minutes{30});
    sync.network.run_for(seconds{30});
    ASSERT_EQ(sync.headers.tip().height, 110U);
    sync.network.sleep(minutes{30});
    sync.network.run_for(minutes{1});
    EXPECT_EQ(sync.headers.tip().height, 111U);
}

// The peer that showed the block leaves. Any peer that has the block by then is asked.
TEST_F(EarlyHeaders, OfAPeerThatLeavesAreAskedOfAllPeers) {
    regtest::RegtestChain behind;
    behind.mine(110);
    HandDriven sync(following_with(2));
    auto& network = sync.network;
    const auto stays = network.connect(behind);
    network.deliver_all(stays);
    const auto leaves = network.connect(chain);
    network.deliver_all(leaves);
    mine_early(chain, network.now(), seconds{100});
    network.advance(seconds{1});
    network.deliver_all(leaves);
    ASSERT_TRUE(sync.engine.status().early_until);
    network.cut(leaves);
    EXPECT_EQ(sync.engine.status().early_until, std::nullopt) << "no connected peer shows it";
    EXPECT_EQ(sync.engine.status().stall_reason, StallReason::none);

    // It gets the block, but does not announce it.
    const auto header = chain.block_at(111).header;
    network.alter_messages(stays, [&](net::Message& message) {
        auto* headers = std::get_if<net::Headers>(&message);
        if (headers != nullptr) headers->headers = {header};
    });
    const auto asked = network.sent(stays, "getheaders");
    network.advance(seconds{98});
    EXPECT_EQ(network.sent(stays, "getheaders"), asked);
    network.advance(seconds{1});
    network.deliver_all(stays);
    EXPECT_EQ(network.sent(stays, "getheaders"), asked + 1);
    EXPECT_EQ(sync.headers.tip().height, 111U);
}

// However many peers leave, two times are kept. Until the last one, all peers are asked once a
// minute.
TEST_F(EarlyHeaders, OfManyPeersThatLeaveCostFewRequests) {
    Simulated sync(following_with(2));
    const auto honest = sync.network.connect(chain);
    std::deque<regtest::RegtestChain> lies;
    for (int i = 0; i < 50; ++i) {
        regtest::RegtestChain& lie = lies.emplace_back();
        lie.mine(110);
        mine_early(lie, sync.network.now(), seconds{30 + 140 * i});
        const auto liar = sync.network.connect(lie);
        sync.network.run_for(milliseconds{10});
        sync.network.cut(liar);
    }
    const auto asked = sync.network.sent(honest)["getheaders"];
    sync.network.run_for(std::chrono::hours{5});
    EXPECT_GE(sync.network.sent(honest)["getheaders"], asked + 2);
    EXPECT_LE(sync.network.sent(honest)["getheaders"], asked + 122);
    EXPECT_EQ(sync.headers.tip().height, 110U);
}

// Clocks differ by seconds. Another peer does not have the block.
TEST_F(EarlyHeaders, ThatCountSoonAreWaitedForByASyncWithAnEnd) {
    regtest::RegtestChain behind;
    behind.mine(110);
    for (const bool is_alone : {true, false}) {
        for (const auto later : {seconds{9}, seconds{11}}) {
            regtest::RegtestChain ahead;
            ahead.mine(110);
            Simulated sync(options_for(is_alone ? 1 : 2));
            mine_early(ahead, sync.network.now(), later);
            sync.network.connect(ahead);
            if (!is_alone) sync.network.connect(behind);
            const auto start = sync.network.now().steady;
            EXPECT_TRUE(sync.network.run());
            const bool waits = later == seconds{9};
            EXPECT_EQ(sync.headers.tip().height, waits ? 111U : 110U);
            EXPECT_EQ(sync.network.now().steady - start >= later, waits);
            EXPECT_EQ(sync.engine.status().early_until.has_value(), !waits) << "it says so";
            EXPECT_EQ(sync.watcher.sync_state().synced->height, sync.headers.tip().height);
        }
    }
}

TEST_F(EarlyHeaders, AreWaitedForAsLongAsTheUserAllowsIfEveryPeerHasThem) {
    for (const bool all_have_it : {true, false}) {
        regtest::RegtestChain behind;
        behind.mine(110);
        regtest::RegtestChain ahead;
        ahead.mine(110);
        net::SyncOptions options = options_for(2);
        options.blocks.early_patience = minutes{10};
        Simulated sync(options);
        mine_early(ahead, sync.network.now(), minutes{5});
        sync.network.connect(ahead);
        sync.network.connect(all_have_it ? ahead : behind);
        const auto start = sync.network.now().steady;
        EXPECT_TRUE(sync.network.run());
        EXPECT_EQ(sync.headers.tip().height, all_have_it ? 111U : 110U);
        EXPECT_EQ(sync.network.now().steady - start > minutes{4}, all_have_it);
    }
}

// A peer shows a new block that counts in a few seconds, again and again.
TEST_F(EarlyHeaders, DoNotKeepASyncFromItsEnd) {
    HandDriven sync(options_for(1));
    auto& network = sync.network;
    mine_early(chain, network.now(), seconds{3});
    const auto peer = network.connect(chain);
    for (int i = 0; i < 30 && !sync.engine.finished(); ++i) {
        network.deliver_all(peer);
        network.advance(seconds{1});
        if (sync.engine.status().early_until == std::nullopt) {
            mine_early(chain, network.now(), seconds{3});
        }
    }
    EXPECT_TRUE(sync.engine.finished());
    EXPECT_LE(network.now().steady, seconds{15});
}

// The peer shows a block that counts in five seconds, and then sends nothing.
TEST_F(EarlyHeaders, AreNotWaitedForIfTheirPeerIsSilent) {
    regtest::RegtestChain behind;
    behind.mine(110);
    HandDriven sync(options_for(2));
    auto& network = sync.network;
    mine_early(chain, network.now(), seconds{5});
    const auto peer = network.connect(chain);
    network.deliver_all(peer);
    network.deliver_all(network.connect(behind));
    const auto start = network.now().steady;
    while (!sync.engine.finished() && network.now().steady < start + minutes{1}) {
        network.drop_pending(peer);
        network.advance(milliseconds{500});
    }
    EXPECT_TRUE(sync.engine.finished());
    EXPECT_EQ(network.now().steady, start + seconds{7});
}

// The block is years ahead: nothing waits for it, and no peer is blamed.
TEST_F(EarlyHeaders, YearsAheadAreIgnored) {
    Simulated sync(following_with(1));
    const auto peer = sync.network.connect(chain);
    sync.network.run_for(minutes{1});
    mine_early(chain, sync.network.now(), std::chrono::hours{24 * 365 * 5});
    sync.network.run_for(std::chrono::hours{3});
    EXPECT_EQ(sync.engine.status().early_until, std::nullopt);
    EXPECT_EQ(sync.engine.status().stall_reason, StallReason::none);
    EXPECT_EQ(sync.network.dropped(peer), std::nullopt);
    EXPECT_LE(sync.network.sent(peer)["getheaders"], 2U);
    EXPECT_EQ(sync.engine.status().peers[0].ahead_of_clock, net::AheadOfClock::far) << "it is told";
}

TEST_F(EarlyHeaders, AreTakenByEveryWatcherOfTheChain) {
    chain::HeaderChain headers{*chain::find_network("regtest")};
    net::SharedHeaders shared;
    ListWatcher watchers[2];
    net::SyncEngine first(headers, watchers[0], following_with(1), &shared);
    net::SyncEngine second(headers, watchers[1], following_with(1), &shared);
    test::SimulatedNetwork networks[]{test::SimulatedNetwork{first},
                                      test::SimulatedNetwork{second}};
    regtest::RegtestChain behind;
    behind.mine(110);
    const auto peer = networks[0].connect(chain);
    networks[1].connect(behind);
    const auto run_for = [&](seconds time) {
        for (auto left = milliseconds{time}; left.count() > 0; left -= milliseconds{50}) {
            for (auto& network : networks) network.run_for(milliseconds{50});
        }
    };
    run_for(seconds{5});
    mine_early(chain, networks[0].now(), seconds{20});
    run_for(seconds{15});
    EXPECT_EQ(first.status().stall_reason, StallReason::ahead_of_clock);
    run_for(seconds{10});
    // The second watcher's peer does not have the block, but its header is known.
    EXPECT_EQ(headers.tip().height, 111U);
    EXPECT_EQ(watchers[0].sync_state().synced->height, 111U);
    EXPECT_EQ(second.status().header_height, 111U);

    // A header that the first watcher's peer has shown is asked of the second's.
    mine_early(chain, networks[0].now(), seconds{20});
    run_for(seconds{5});
    networks[0].cut(peer);
    const auto asked = networks[1].sent(1)["getheaders"];
    run_for(seconds{20});
    EXPECT_EQ(networks[1].sent(1)["getheaders"], asked + 1);
}

// As on testnet4: each block has the latest time that its miner's clock allows, and this machine's
// clock is slower. One peer sees each block late, and connections break.
TEST_F(EarlyHeaders, OfDaysAreAllTaken) {
    std::mt19937_64 random{11};  // NOLINT(cert-msc51-cpp): the same run each time
    const auto draw = [&random](std::uint64_t below) { return random() % below; };
    Simulated sync(following_with(2));
    auto peer = sync.network.connect(chain);
    const auto other = sync.network.connect(chain);
    sync.network.run_for(minutes{1});
    for (int block = 0; block < 500; ++block) {
        std::int64_t latest = 0;
        for (auto left = 1 + draw(8) / 6; left > 0; --left) {
            const auto slow = static_cast<std::int64_t>(draw(block % 50 == 0 ? 1'800 : 20));
            latest = std::max(latest, slow);
            mine_early(chain, sync.network.now(), seconds{slow});
        }
        sync.network.run_for(seconds{draw(5)});
        if (draw(5) == 0) {
            sync.network.cut(peer);
            peer = sync.network.connect(chain);
        }
        sync.network.run_for(seconds{latest + 2});
        ASSERT_EQ(sync.watcher.sync_state().synced->hash, chain.tip()) << block;
        ASSERT_EQ(sync.engine.status().stall_reason, StallReason::none) << block;
        sync.network.run_for(seconds{draw(900)});
    }
    EXPECT_TRUE(sync.network.is_open(peer));
    EXPECT_TRUE(sync.network.is_open(other));
    EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
}

}  // namespace
}  // namespace petal
