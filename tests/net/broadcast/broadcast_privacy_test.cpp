// A peer that holds a filter of the wallet is told of the transaction only if no other peer can be.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/net/broadcast/broadcast_fixture.h"

namespace petal::net {
namespace {

const std::string kHolder = "203.0.113.5:8333";
const std::string kSecondHolder = "198.51.100.7:8333";

BroadcastOptions options_with_holders() {
    BroadcastOptions options;
    options.has_filter = [](const std::string& node) {
        return node == kHolder || node == kSecondHolder;
    };
    return options;
}

class BroadcastPrivacy : public Broadcast {
protected:
    BroadcastPrivacy() : Broadcast(kFee, options_with_holders()) {}
    PeerId meet_holder() { return meet({.address = kHolder}); }
};

TEST_F(BroadcastPrivacy, AnnouncesOnlyToPeersWithoutAFilter) {
    const PeerId first = meet_holder();
    const PeerId second = meet({.address = kSecondHolder});
    const PeerId other = meet();
    EXPECT_TRUE(is_told(other));
    settle();
    fetch(other);
    give_back(other);
    pass(seconds{35});
    EXPECT_FALSE(is_told(first));
    EXPECT_FALSE(is_told(second));
    EXPECT_EQ(engine.report().announced_to_filter_peers, 0U);
}

TEST_F(BroadcastPrivacy, LetsAPeerWithAFilterWatch) {
    const PeerId holder = meet_holder();
    fetch(meet());
    settle();
    announce(holder);
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::relayed);
}

TEST_F(BroadcastPrivacy, AnnouncesToAFilterPeerIfNoOtherCanCome) {
    const PeerId holder = meet_holder();
    EXPECT_FALSE(is_told(holder)) << "another peer may come";
    settle();
    EXPECT_TRUE(is_told(holder));
    EXPECT_EQ(engine.report().announced_to_filter_peers, 1U);
    EXPECT_TRUE(engine.report().peers.at(0).has_filter);
}

TEST_F(BroadcastPrivacy, WaitsForThePongOfAnotherPeer) {
    const PeerId holder = meet_holder();
    const PeerId silent = greet({});
    settle();
    EXPECT_FALSE(is_told(holder));
    engine.on_closed(silent, now);
    EXPECT_FALSE(engine.take_commands().empty()) << "no other peer is left";
    EXPECT_TRUE(engine.report().peers.at(0).was_announced_to());
}

TEST_F(BroadcastPrivacy, AnnouncesToAFilterPeerIfTheOthersTakeNothing) {
    meet({.relay = false});
    meet({.least_fee_rate = 1'000'000});
    const PeerId holder = meet_holder();
    settle();
    EXPECT_TRUE(is_told(holder));
}

TEST_F(BroadcastPrivacy, ReplacesAPeerWithAFilter) {
    const PeerId holder = meet_holder();
    const PeerId second = meet({.address = kSecondHolder});
    settle(PeerAvailability::later);
    EXPECT_EQ(dropped, (std::map{std::pair{holder, DisconnectReason::finished}}));
    EXPECT_TRUE(is_told(meet()));
    EXPECT_FALSE(is_told(second));
}

TEST_F(BroadcastPrivacy, KeepsTheLastPeerWithAFilter) {
    const PeerId holder = meet_holder();
    settle(PeerAvailability::later);
    EXPECT_TRUE(dropped.empty()) << "no other peer may ever come";
    EXPECT_TRUE(is_told(holder));
}

TEST_F(BroadcastPrivacy, KeepsAPeerWithAFilterBesideAnother) {
    meet_holder();
    meet();
    settle(PeerAvailability::later);
    EXPECT_TRUE(dropped.empty()) << "the peer with the filter watches";
}

TEST_F(BroadcastPrivacy, WaitsTwentySecondsForOthersToBeFound) {
    const PeerId holder = meet_holder();
    pass(milliseconds{19'999});
    EXPECT_FALSE(is_told(holder));
    pass(milliseconds{1});
    EXPECT_TRUE(is_told(holder));
}

TEST_F(BroadcastPrivacy, AnnouncesToAFilterPeerIfAnotherDoesNotRelay) {
    const PeerId holder = meet_holder();
    meet({.address = kSecondHolder});
    fetch(meet());
    settle();
    pass(milliseconds{19'999});
    EXPECT_EQ(engine.report().announced_to_filter_peers, 0U);
    pass(milliseconds{1});
    EXPECT_EQ(engine.report().announced_to_filter_peers, 1U)
        << "the other peer with a filter may watch";
    fetch(is_told(holder) ? holder : 2);
    pass(seconds{59});
    EXPECT_FALSE(engine.finished());
}

TEST_F(BroadcastPrivacy, SparesFilterPeersForAWhileIfAnotherReturnsTheTransaction) {
    const PeerId holder = meet_holder();
    const PeerId other = meet();
    fetch(other);
    settle();
    pass(seconds{15});
    give_back(other);
    pass(seconds{20});
    EXPECT_FALSE(is_told(holder));
    pass(seconds{20});
    EXPECT_TRUE(is_told(holder)) << "the other may keep it to itself";
}

TEST_F(BroadcastPrivacy, AnnouncesToAnotherPeerIfOneDoesNotRelay) {
    const PeerId holder = meet_holder();
    const PeerId second = meet();
    fetch(second);
    pass(milliseconds{1'500});
    const PeerId third = meet();
    settle();
    EXPECT_FALSE(is_told(third));
    pass(milliseconds{18'500});
    EXPECT_TRUE(is_told(third));
    EXPECT_FALSE(is_told(holder));
}

TEST_F(BroadcastPrivacy, WaitsTwentySecondsForAPeerThatSendsNoPong) {
    const PeerId holder = meet_holder();
    pass(seconds{15});
    greet({});
    settle();
    pass(milliseconds{4'999});
    EXPECT_FALSE(is_told(holder));
    pass(milliseconds{1});
    EXPECT_TRUE(is_told(holder));
}

TEST_F(BroadcastPrivacy, WaitsFortySecondsForOthersToRequestIt) {
    const PeerId holder = meet_holder();
    for (int i = 0; i < 8; ++i) {  // each peer is told, and none requests the transaction
        meet();
        pass(milliseconds{4'999});
    }
    EXPECT_FALSE(is_told(holder));
    meet();
    pass(milliseconds{8});
    EXPECT_TRUE(is_told(holder));
}

class HastyBroadcast : public Broadcast {
protected:
    static BroadcastOptions hasty() {
        BroadcastOptions options = options_with_holders();
        options.timeout = seconds{10};
        return options;
    }
    HastyBroadcast() : Broadcast(kFee, hasty()) {}
};

TEST_F(HastyBroadcast, WaitsHalfOfItsTimeForOtherPeers) {
    const PeerId holder = meet({.address = kHolder});
    pass(milliseconds{4'999});
    EXPECT_FALSE(is_told(holder));
    pass(milliseconds{1});
    EXPECT_TRUE(is_told(holder));
}

TEST_F(HastyBroadcast, WaitsHalfOfItsTimeForAnAnnouncement) {
    const PeerId holder = meet({.address = kHolder});
    pass(seconds{1});
    fetch(meet());
    meet();
    pass(milliseconds{3'999});
    EXPECT_FALSE(is_told(holder));
    pass(milliseconds{1});
    EXPECT_TRUE(is_told(holder));
}

}  // namespace
}  // namespace petal::net
