// Which peers the transaction is announced to, and which peers are replaced.
#include "net/broadcast/announcement_policy.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/net/broadcast/session_samples.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSearchEnds{20'000};
constexpr milliseconds kPatienceEnds{40'000};

class AnnouncementPolicyTest : public testing::Test {
protected:
    using enum RelayState;

    BroadcastSession& add(PeerId id, RelayState state = observing) {
        return sessions.all.emplace_back(test::session_of(id, state));
    }
    BroadcastSession& add_filter_peer(PeerId id) {
        return sessions.all.emplace_back(test::session_of(id, observing, true));
    }
    std::vector<PeerId> recipients() {
        std::vector<PeerId> ids;
        for (const auto* of : policy.choose_recipients(sessions, now)) {
            ids.push_back(of->peer.id());
        }
        return ids;
    }
    /// The id of the peer that is replaced; 0 if no peer is.
    PeerId replaced() {
        const auto* of = policy.choose_replaced(sessions, now);
        return of == nullptr ? 0 : of->peer.id();
    }

    using Ids = std::vector<PeerId>;

    Now now;
    BroadcastSessions sessions;
    AnnouncementPolicy policy{
        AnnouncementPolicy::Patience{.search_until = kSearchEnds, .until = kPatienceEnds}};
};

TEST_F(AnnouncementPolicyTest, AnnouncesToTheLatestHalfOfThePeersThatTakeIt) {
    for (const PeerId id : {1U, 2U, 3U}) add(id);
    add(4, connecting);
    add(5, no_relay);
    add(6).shown.ended = DisconnectReason::gone;
    EXPECT_EQ(recipients(), (Ids{3, 2}));
}

TEST_F(AnnouncementPolicyTest, AnnouncesToAnotherPeerIfOneDoesNotTakeTheNextStep) {
    BroadcastSession& first = add(1);
    add(2);
    for (const RelayState active : {announced, fetched, accepted}) {
        first.shown.state = active;
        EXPECT_EQ(recipients(), Ids{}) << static_cast<int>(active);
    }
    for (const RelayState failed : {ignored, silent, rejected}) {
        first.shown.state = failed;
        EXPECT_EQ(recipients(), Ids{2}) << static_cast<int>(failed);
    }
}

TEST_F(AnnouncementPolicyTest, AnnouncesToNoPeerThatHasRelayedIt) {
    add(1, relayed);
    EXPECT_EQ(recipients(), Ids{});
}

TEST_F(AnnouncementPolicyTest, SparesPeersWithAFilterWhileOthersMayCome) {
    add_filter_peer(1);
    EXPECT_EQ(recipients(), Ids{});
    sessions.availability = PeerAvailability::none;
    EXPECT_EQ(recipients(), Ids{1});
}

TEST_F(AnnouncementPolicyTest, AnnouncesToAFilterPeerAfterItsPatienceEnds) {
    add_filter_peer(1);
    add_filter_peer(2);
    add(3, announced);
    now.steady = kPatienceEnds - milliseconds{1};
    EXPECT_EQ(recipients(), Ids{});
    now.steady = kPatienceEnds;
    EXPECT_EQ(recipients(), Ids{1});
    sessions.all.at(0).shown.state = announced;
    EXPECT_EQ(recipients(), Ids{});
}

TEST_F(AnnouncementPolicyTest, SparesPeersWithAFilterOnceItIsKnownToSpread) {
    add_filter_peer(1);
    now.steady = kPatienceEnds;
    sessions.progress = BroadcastProgress::relayed;
    EXPECT_EQ(recipients(), Ids{});
}

TEST_F(AnnouncementPolicyTest, WaitsForAPeerThatReturnsItOnlyUntilItsPatienceEnds) {
    sessions.availability = PeerAvailability::none;
    add_filter_peer(1);
    add(2, accepted);
    EXPECT_EQ(recipients(), Ids{});
    now.steady = kPatienceEnds;
    EXPECT_EQ(recipients(), Ids{1}) << "it may keep the transaction to itself";
}

TEST_F(AnnouncementPolicyTest, AnnouncesToTheObserversIfNoneOfThemAnnouncesIt) {
    for (const PeerId id : {1U, 2U}) add(id);
    for (const PeerId id : {3U, 4U}) add(id, accepted);
    EXPECT_EQ(recipients(), Ids{});
    now.steady = kPatienceEnds;
    EXPECT_EQ(recipients(), (Ids{1, 2}));
    sessions.progress = BroadcastProgress::relayed;
    EXPECT_EQ(recipients(), Ids{});
}

TEST_F(AnnouncementPolicyTest, ReplacesUselessPeersIfOthersAreAvailable) {
    add(1);
    BroadcastSession& useless = add(2);
    for (const RelayState state : {no_relay, fee_too_low, ignored}) {
        useless.shown.state = state;
        sessions.availability = PeerAvailability::now;
        EXPECT_EQ(replaced(), 0U) << "places are free";
        sessions.availability = PeerAvailability::later;
        EXPECT_EQ(replaced(), 2U);
    }
}

TEST_F(AnnouncementPolicyTest, ReplacesAPeerWithAFilterWhileOthersAreSearched) {
    sessions.availability = PeerAvailability::later;
    add_filter_peer(1);
    EXPECT_EQ(replaced(), 0U) << "no other peer can be connected";
    add_filter_peer(2);
    EXPECT_EQ(replaced(), 1U);
    now.steady = kSearchEnds;
    EXPECT_EQ(replaced(), 0U);
}

TEST_F(AnnouncementPolicyTest, ReplacesNoMorePeersThanMayBeOfUse) {
    sessions.availability = PeerAvailability::later;
    add(1, no_relay);
    for (int i = 0; i < AnnouncementPolicy::kMostReplaced; ++i) EXPECT_EQ(replaced(), 1U);
    EXPECT_EQ(replaced(), 0U);
}

TEST_F(AnnouncementPolicyTest, ChangesItsChoicesWhenItsPatienceEnds) {
    EXPECT_EQ(policy.next_change(now), kSearchEnds);
    now.steady = kSearchEnds;
    EXPECT_EQ(policy.next_change(now), kPatienceEnds);
    now.steady = kPatienceEnds;
    EXPECT_EQ(policy.next_change(now), std::nullopt);
    EXPECT_EQ(AnnouncementPolicy(std::nullopt).next_change({}), std::nullopt) << "without filters";
}

}  // namespace
}  // namespace petal::net
