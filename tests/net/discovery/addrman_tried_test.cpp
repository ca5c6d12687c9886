// The tried table: hosts with many ports, slots that two nodes compete for, and anchors.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "net/discovery/addrman.h"
#include "tests/net/discovery/nth_node.h"

namespace petal::net {
namespace {

using chain::Byte;
using test::nth_node;

constexpr std::int64_t kStart = 1'750'000'000;
constexpr std::int64_t kAMinute = 60;
constexpr std::int64_t kAnHour = 60 * kAMinute;
constexpr std::uint16_t kUsualPort = 8333;

class TriedTest : public testing::Test {
protected:
    TriedTest() {
        AddrManOptions options;
        options.default_port = kUsualPort;
        addrman = AddrMan{options};
    }

    bool add(const PeerAddress& address, Byte from = 1) {
        return addrman.add(address, kNodeNetwork | kNodeBloom, now, {1, from, from}, now);
    }
    void succeed(const PeerAddress& address) {
        addrman.on_outcome(address, PeerOutcome::served, now);
    }
    void fail(const PeerAddress& address) {
        addrman.on_contact(now, now);
        addrman.on_attempt(address, now);
        addrman.on_outcome(address, PeerOutcome::unreachable, now);
    }
    bool is_tried(const PeerAddress& address) const {
        const auto peer = addrman.find(address);
        return peer && peer->tried;
    }
    std::optional<PeerAddress> contested() { return addrman.choose_contested(Reach{}, now); }
    std::vector<PeerAddress> choose(std::size_t count, bool with_anchors) {
        return addrman.choose(count, {}, Reach{}, now, with_anchors);
    }

    /// The n-th host's first port is tried; five hours later a second one answers.
    void contest(Byte n) {
        const std::int64_t later = now;
        now = kStart;
        add(nth_node(n, 1'000), n);
        succeed(nth_node(n, 1'000));
        now = later;
        add(nth_node(n, 1'001), n);
        succeed(nth_node(n, 1'001));
    }

    AddrMan addrman{AddrManOptions{}};
    std::int64_t now = kStart;
};

TEST_F(TriedTest, AHostWith120PortsHasFourNewOnesAndATriedOne) {
    for (std::uint16_t port = 20'000; port < 20'120; ++port) {
        for (Byte from = 1; from <= 8; ++from) add(nth_node(1, port), from);
    }
    EXPECT_EQ(addrman.size(), AddrTable::kNewPortsPerHost);
    EXPECT_TRUE(add(nth_node(2))) << "it is another host";
    for (const auto& peer : addrman.peers()) succeed(peer.address);
    for (std::uint16_t port = 20'000; port < 20'120; ++port) {
        add(nth_node(1, port));
        succeed(nth_node(1, port));
    }
    EXPECT_EQ(addrman.size(), AddrTable::kNewPortsPerHost + 2);
    EXPECT_EQ(std::ranges::count_if(addrman.peers(), &KnownPeer::tried), 2);
}

TEST_F(TriedTest, TakesNoMorePortsOfAHostFromAFile) {
    std::size_t taken = 0;
    for (std::uint16_t port = 20'000; port < 20'120; ++port) {
        KnownPeer peer;
        peer.address = nth_node(1, port);
        peer.source = {1, 2, 3};
        peer.tried = port % 2 == 0;
        taken += addrman.restore(peer) ? 1U : 0U;
    }
    EXPECT_EQ(taken, AddrTable::kNewPortsPerHost + 1);
}

TEST_F(TriedTest, FalsePortsDoNotKeepTheirHostOut) {
    for (std::uint16_t port = 20'000; port < 20'004; ++port) ASSERT_TRUE(add(nth_node(1, port)));
    EXPECT_FALSE(add(nth_node(1, 9'000)));
    EXPECT_TRUE(add(nth_node(1))) << "it has the network's default port";
    EXPECT_EQ(addrman.size(), AddrTable::kNewPortsPerHost);
    const auto peers = addrman.peers();
    const auto false_port = std::ranges::find_if(
        peers, [](const KnownPeer& peer) { return peer.address.port != kUsualPort; });
    fail(false_port->address);
    EXPECT_TRUE(add(nth_node(1, 9'000))) << "it replaces a port that has failed";
    EXPECT_FALSE(addrman.find(false_port->address));
    EXPECT_TRUE(addrman.find(nth_node(1)));
}

TEST_F(TriedTest, APortThatAnsweredLatelyStays) {
    now += 4 * kAnHour;
    contest(1);
    EXPECT_FALSE(contested());
    EXPECT_TRUE(is_tried(nth_node(1, 1'000)));
    EXPECT_FALSE(is_tried(nth_node(1, 1'001)));
    now += kAnHour;
    EXPECT_FALSE(contested()) << "the contest is decided";
}

TEST_F(TriedTest, ANodeThatPassesTheTestKeepsItsSlot) {
    now += 4 * kAnHour + 1;
    contest(1);
    ASSERT_EQ(contested(), nth_node(1, 1'000));
    EXPECT_FALSE(is_tried(nth_node(1, 1'001))) << "it waits for the test";
    addrman.on_outcome(nth_node(1, 1'000), PeerOutcome::answered, now);
    EXPECT_FALSE(contested());
    now += kAnHour;
    EXPECT_FALSE(contested());
    EXPECT_TRUE(is_tried(nth_node(1, 1'000)));
    EXPECT_FALSE(is_tried(nth_node(1, 1'001)));
}

TEST_F(TriedTest, ANodeThatFailsTheTestIsReplaced) {
    now += 5 * kAnHour;
    contest(1);
    ASSERT_TRUE(contested());
    fail(nth_node(1, 1'000));
    contested();
    EXPECT_TRUE(is_tried(nth_node(1, 1'000))) << "another attempt may have begun";
    now += kAMinute;
    EXPECT_FALSE(contested());
    EXPECT_TRUE(is_tried(nth_node(1, 1'001)));
    ASSERT_TRUE(addrman.find(nth_node(1, 1'000))) << "it stays known";
    EXPECT_FALSE(is_tried(nth_node(1, 1'000)));
}

TEST_F(TriedTest, AnUntestedNodeIsReplacedAfterFortyMinutes) {
    now += 5 * kAnHour;
    contest(1);
    now += 40 * kAMinute;
    EXPECT_TRUE(contested());
    EXPECT_FALSE(is_tried(nth_node(1, 1'001)));
    now += 1;
    EXPECT_FALSE(contested());
    EXPECT_TRUE(is_tried(nth_node(1, 1'001)));
}

TEST_F(TriedTest, AForgottenNodeContestsNoSlot) {
    now += 5 * kAnHour;
    contest(1);
    ASSERT_TRUE(contested());
    addrman.forget(nth_node(1, 1'001));
    EXPECT_FALSE(contested());
    EXPECT_TRUE(is_tried(nth_node(1, 1'000)));
}

TEST_F(TriedTest, ANewcomerIsTriedEvenIfItsSlotCollidesAMonthLater) {
    // Addresses of one network group and one source share 64 slots, so some of the 500 ports
    // collide.
    for (std::uint16_t port = 1'001; port <= 1'500; ++port) {
        addrman = AddrMan{AddrManOptions{}};
        now = kStart;
        add(nth_node(1, 20'000));
        succeed(nth_node(1, 20'000));
        now += 5 * kAnHour;
        add(nth_node(1, port));
        succeed(nth_node(1, port));
        ASSERT_TRUE(contested());
        now += 31 * 24 * kAnHour;
        EXPECT_FALSE(contested());
        EXPECT_TRUE(is_tried(nth_node(1, port))) << port;
        EXPECT_FALSE(is_tried(nth_node(1, 20'000)));
    }
}

TEST_F(TriedTest, AnOldFailureIsNoTest) {
    add(nth_node(1, 1'000));
    succeed(nth_node(1, 1'000));
    now += kAMinute;
    fail(nth_node(1, 1'000));
    now += 5 * kAnHour;
    add(nth_node(1, 1'001));
    succeed(nth_node(1, 1'001));
    EXPECT_EQ(contested(), nth_node(1, 1'000));
    EXPECT_TRUE(is_tried(nth_node(1, 1'000)));
}

TEST_F(TriedTest, HostsContestASlotAsPortsDo) {
    // One network group has 64 slots in the tried table, so not all of the 200 hosts fit.
    const auto host = [](Byte n) { return PeerAddress{AddressKind::ipv4, {20, 1, 1, n}, 8333}; };
    for (Byte n = 1; n <= 200; ++n) {
        add(host(n), n);
        succeed(host(n));
    }
    Byte waiting = 1;
    while (is_tried(host(waiting)) || !addrman.find(host(waiting))) ++waiting;
    now += 5 * kAnHour;
    EXPECT_FALSE(contested());
    succeed(host(waiting));
    const auto holder = contested();
    ASSERT_TRUE(holder);
    EXPECT_TRUE(is_tried(*holder));
    fail(*holder);
    now += kAMinute;
    EXPECT_FALSE(contested());
    EXPECT_TRUE(is_tried(host(waiting)));
    EXPECT_FALSE(is_tried(*holder));
}

TEST_F(TriedTest, TheNumberOfCollisionsIsBounded) {
    for (Byte n = 1; n <= 30; ++n) {
        add(nth_node(n, 1'000), n);
        succeed(nth_node(n, 1'000));
    }
    std::set<Byte> tried;  // if two hosts share a slot, only one of them is tried
    for (Byte n = 1; n <= 30; ++n) {
        if (is_tried(nth_node(n, 1'000))) tried.insert(n);
    }
    ASSERT_GT(tried.size(), AddrMan::kMaxCollisions);
    now += 5 * kAnHour;
    for (const Byte n : tried) {
        add(nth_node(n, 1'001), n);
        succeed(nth_node(n, 1'001));
    }
    now += 40 * kAMinute + 1;
    contested();
    std::size_t replaced = 0;
    for (const Byte n : tried) replaced += is_tried(nth_node(n, 1'001)) ? 1U : 0U;
    EXPECT_EQ(replaced, AddrMan::kMaxCollisions);
}

TEST_F(TriedTest, TestsNoNodeThatIsBannedOrOutOfReach) {
    now += 5 * kAnHour;
    contest(1);
    EXPECT_FALSE(addrman.choose_contested({.clearnet = false, .onion = true}, now));
    addrman.bans().ban(nth_node(1), {now + kAnHour, true});
    EXPECT_FALSE(contested());
}

TEST_F(TriedTest, AFeelerTargetIsNeitherTriedNorInUse) {
    for (Byte n = 1; n <= 3; ++n) add(nth_node(n), n);
    succeed(nth_node(1));
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(addrman.choose_newcomer({nth_node(2)}, Reach{}, now), nth_node(3));
    }
    EXPECT_FALSE(addrman.choose_newcomer({nth_node(2), nth_node(3)}, Reach{}, now));
}

TEST_F(TriedTest, AnchorsAreDialledFirstOnRequest) {
    for (Byte n = 1; n <= 100; ++n) add(nth_node(n), n);
    for (Byte n = 1; n <= 90; ++n) succeed(nth_node(n));
    addrman.draw_anchors({nth_node(5), nth_node(6)});
    auto first = choose(8, /*with_anchors=*/true);
    std::sort(first.begin(), first.begin() + 2);
    EXPECT_EQ(first[0], nth_node(5));
    EXPECT_EQ(first[1], nth_node(6));
    const auto without = choose(8, /*with_anchors=*/false);
    EXPECT_TRUE(std::ranges::find(without, nth_node(5)) == without.end() ||
                std::ranges::find(without, nth_node(6)) == without.end());
    // Each of the two anchors is dialled first once.
    addrman.on_attempt(nth_node(5), now);
    addrman.on_attempt(nth_node(6), now);
    succeed(nth_node(5));
    succeed(nth_node(6));
    const auto again = choose(8, /*with_anchors=*/true);
    EXPECT_TRUE(std::ranges::find(again, nth_node(5)) == again.end() ||
                std::ranges::find(again, nth_node(6)) == again.end());
}

TEST_F(TriedTest, AnchorsAreDrawnAtRandomFromDifferentNetworks) {
    std::set<PeerAddress> serving;
    for (Byte n = 1; n <= 8; ++n) {
        add(nth_node(n), n);
        serving.insert(nth_node(n));
    }
    PeerAddress near = nth_node(1);
    near.host[3] = 9;
    add(near);
    serving.insert(near);
    std::set<PeerAddress> ever;
    for (int i = 0; i < 100; ++i) {
        addrman.draw_anchors(serving);
        ASSERT_EQ(addrman.anchors().size(), AddrMan::kMaxAnchors);
        std::set<chain::Bytes> groups;
        for (const auto& anchor : addrman.anchors()) groups.insert(network_group(anchor));
        ASSERT_EQ(groups.size(), AddrMan::kMaxAnchors);
        ever.insert(addrman.anchors().begin(), addrman.anchors().end());
    }
    EXPECT_EQ(ever, serving) << "each peer becomes an anchor at some time";
}

TEST_F(TriedTest, AnAnchorThatFailsIsDropped) {
    for (Byte n = 1; n <= 3; ++n) add(nth_node(n), n);
    addrman.draw_anchors({nth_node(1), nth_node(2)});
    addrman.on_outcome(nth_node(1), PeerOutcome::unreachable, now);
    EXPECT_TRUE(addrman.anchors().contains(nth_node(1))) << "this machine may be offline";
    fail(nth_node(1));
    EXPECT_EQ(addrman.anchors(), std::set{nth_node(2)});
    addrman.draw_anchors({});
    EXPECT_EQ(addrman.anchors(), std::set{nth_node(2)})
        << "no peer serves, so the old anchor is kept";
    addrman.forget(nth_node(2));
    EXPECT_TRUE(addrman.anchors().empty());
}

TEST_F(TriedTest, RestoresAtMostTwoAnchorsOfKnownNodes) {
    for (Byte n = 1; n <= 3; ++n) add(nth_node(n), n);
    EXPECT_FALSE(addrman.restore_anchor(nth_node(9)));
    EXPECT_TRUE(addrman.restore_anchor(nth_node(1)));
    EXPECT_TRUE(addrman.restore_anchor(nth_node(2)));
    EXPECT_FALSE(addrman.restore_anchor(nth_node(3)));
}

}  // namespace
}  // namespace petal::net
