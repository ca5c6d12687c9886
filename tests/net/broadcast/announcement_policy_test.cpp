// Which peers the transaction is announced to, and which peers are replaced.
#include "net/broadcast/announcement_policy.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/net/broadcast/session_samples.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::new_session;
using test::taker;
using test::taker_with_filter;

constexpr milliseconds kSearchEnds{20'000};
constexpr milliseconds kPatienceEnds{40'000};

class AnnouncementPolicyTest : public testing::Test {
protected:
    BroadcastSession& add(BroadcastSession session) {
        return sessions.all.emplace_back(std::move(session));
    }
    std::vector<PeerId> recipients(bool has_spread = false) {
        std::vector<PeerId> ids;
        for (const auto* of : policy.choose_recipients(sessions, has_spread)) {
            ids.push_back(of->peer.id());
        }
        return ids;
    }
    /// The id of the peer that is replaced; 0 if no peer is.
    PeerId replaced() {
        const auto* of = policy.choose_replaced(sessions);
        return of == nullptr ? 0 : of->peer.id();
    }

    using Ids = std::vector<PeerId>;

    BroadcastSessions sessions;
    AnnouncementPolicy policy{{.search_until = kSearchEnds, .until = kPatienceEnds}};
};

TEST_F(AnnouncementPolicyTest, AnnouncesToTheLatestHalfOfThePeersThatTakeIt) {
    for (const PeerId id : {1U, 2U, 3U}) add(taker(id));
    add(new_session(4));
    add(taker(5)).shown.claims.takes_transactions = false;
    add(taker(6)).shown.ended = DisconnectReason::gone;
    EXPECT_EQ(recipients(), (Ids{3, 2}));
}

TEST_F(AnnouncementPolicyTest, CountsToldPeersUnlessTheyRefuse) {
    BroadcastSession& first = add(taker(1));
    add(taker(2));
    test::announce_to(first);
    EXPECT_EQ(recipients(), Ids{});
    first.shown.refusal = "dust";
    EXPECT_EQ(recipients(), Ids{2});
}

TEST_F(AnnouncementPolicyTest, TellsNoPeerThatHasShownIt) {
    add(taker(1)).shown.has_it = true;
    EXPECT_EQ(recipients(), Ids{});
}

TEST_F(AnnouncementPolicyTest, SparesPeersWithAFilterWhileOthersMayCome) {
    add(taker_with_filter(1));
    EXPECT_EQ(recipients(), Ids{});
    sessions.availability = PeerAvailability::none;
    EXPECT_EQ(recipients(), Ids{1});
}

TEST_F(AnnouncementPolicyTest, AnnouncesToAFilterPeerAfterItsPatienceEnds) {
    add(taker_with_filter(1));
    add(taker_with_filter(2));
    BroadcastSession& other = add(taker(3));
    test::announce_to(other);
    policy.on_wake({kPatienceEnds - milliseconds{1}});
    EXPECT_EQ(recipients(), Ids{});
    policy.on_wake({kPatienceEnds});
    EXPECT_EQ(recipients(), Ids{1});
    test::announce_to(sessions.all.at(0));
    EXPECT_EQ(recipients(), Ids{});
}

TEST_F(AnnouncementPolicyTest, SparesPeersWithAFilterOnceItIsKnownToSpread) {
    add(taker_with_filter(1));
    policy.on_wake({kPatienceEnds});
    EXPECT_EQ(recipients(true), Ids{});
}

TEST_F(AnnouncementPolicyTest, WaitsForAPeerThatReturnsItOnlyUntilItsPatienceEnds) {
    sessions.availability = PeerAvailability::none;
    add(taker_with_filter(1));
    BroadcastSession& other = add(taker(2));
    test::announce_to(other);
    other.shown.fetched = other.shown.has_it = true;
    EXPECT_EQ(recipients(), Ids{});
    policy.on_wake({kPatienceEnds});
    EXPECT_EQ(recipients(), Ids{1}) << "it may keep the transaction to itself";
}

TEST_F(AnnouncementPolicyTest, TellsTheObserversIfNoneOfThemAnnouncesIt) {
    for (const PeerId id : {1U, 2U}) add(taker(id));
    for (const PeerId id : {3U, 4U}) {
        BroadcastSession& told = add(taker(id));
        test::announce_to(told);
        told.shown.fetched = told.shown.has_it = true;
    }
    EXPECT_EQ(recipients(), Ids{});
    policy.on_wake({kPatienceEnds});
    EXPECT_EQ(recipients(true), Ids{});
    EXPECT_EQ(recipients(), (Ids{2, 1}));
}

TEST_F(AnnouncementPolicyTest, ReplacesUselessPeersIfOthersAreAvailable) {
    add(taker(1));
    add(taker(2)).shown.claims.takes_transactions = false;
    EXPECT_EQ(replaced(), 0U) << "places are free";
    sessions.availability = PeerAvailability::later;
    EXPECT_EQ(replaced(), 2U);
}

TEST_F(AnnouncementPolicyTest, ReplacesAPeerWithAFilterWhileOthersAreSearched) {
    sessions.availability = PeerAvailability::later;
    add(taker_with_filter(1));
    EXPECT_EQ(replaced(), 0U) << "no other peer can be connected";
    add(taker_with_filter(2));
    EXPECT_EQ(replaced(), 1U);
    policy.on_wake({kSearchEnds});
    EXPECT_EQ(replaced(), 0U);
}

TEST_F(AnnouncementPolicyTest, ReplacesNoMorePeersThanMayBeOfUse) {
    sessions.availability = PeerAvailability::later;
    add(taker(1)).shown.claims.takes_transactions = false;
    for (int i = 0; i < AnnouncementPolicy::kMostReplaced; ++i) EXPECT_EQ(replaced(), 1U);
    EXPECT_EQ(replaced(), 0U);
}

TEST_F(AnnouncementPolicyTest, WakesWhenItsPatienceEnds) {
    EXPECT_EQ(policy.wakes_at(), kSearchEnds);
    policy.on_wake({kSearchEnds});
    EXPECT_EQ(policy.wakes_at(), kPatienceEnds);
    policy.on_wake({kPatienceEnds});
    EXPECT_EQ(policy.wakes_at(), std::nullopt);
}

}  // namespace
}  // namespace petal::net
