#include "net/discovery/peer_finder.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "net/discovery/addr_collector.h"
#include "tests/net/discovery/nth_node.h"

namespace petal::net {
namespace {

using chain::Byte;
using std::chrono::milliseconds;
using test::nth_node;
using enum DisconnectReason;
using Names = std::vector<std::string>;

constexpr std::int64_t kUnixTime = 1'750'000'000;
constexpr auto kNoService = PeerService::none;

Now at(std::int64_t ms) {
    return {milliseconds{1'000'000 + ms}, kUnixTime + ms / 1'000};
}

class PeerFinderTest : public testing::Test {
protected:
    void know(std::uint32_t count) {
        for (std::uint32_t n = 0; n < count; ++n) {
            const chain::Bytes source{1, static_cast<Byte>(n), static_cast<Byte>(n / 200)};
            addrman.add(nth_node(n), kNodeNetwork | kNodeBloom, kUnixTime, source, kUnixTime);
        }
    }
    PeerFinder make(Names seeds = {}) {
        return PeerFinder{addrman, {std::move(seeds), Reach{}}, at(0)};
    }

    AddrMan addrman{AddrManOptions{}};
};

TEST_F(PeerFinderTest, AsksSeedsOnlyIfTheAddrManHasTooFewNodes) {
    know(20);
    auto finder = make({"a", "b"});
    EXPECT_EQ(finder.choose(8, at(0)).size(), 8U);
    EXPECT_TRUE(finder.choose_seeds(0, at(0)).empty());
    EXPECT_TRUE(finder.choose_seeds(3, at(0)).empty());
    EXPECT_EQ(finder.choose(20, at(1)).size(), 12U);
    EXPECT_EQ(finder.choose_seeds(8, at(1)), (Names{"a", "b"}));
    EXPECT_TRUE(finder.choose_seeds(8, at(2)).empty()) << "the seeds are being asked already";
}

TEST_F(PeerFinderTest, AsksSeedsWhenTheAddrManLeadsToNoNodeForSomeTime) {
    know(20);
    auto finder = make({"a"});
    finder.choose(8, at(0));
    const auto alone = PeerFinder::kAlone.count();
    EXPECT_EQ(finder.look_again_at(at(9'000)), at(alone).steady);
    EXPECT_TRUE(finder.choose_seeds(1, at(alone - 1)).empty());
    EXPECT_EQ(finder.choose_seeds(1, at(alone)), Names{"a"});
}

TEST_F(PeerFinderTest, LooksForOtherNodesAtOnce) {
    addrman.add(nth_node(1), kNodeNetwork | kNodeBloom, kUnixTime, {1}, kUnixTime);
    auto finder = make({"a"});
    EXPECT_EQ(finder.choose(8, at(0)).size(), 1U);
    EXPECT_EQ(finder.choose_seeds(8, at(0)), Names{"a"});
    finder.on_version(nth_node(1), kNodeNetwork | kNodeCompactFilters, at(1));
    finder.on_ended(nth_node(1), no_bloom, kNoService, at(1));
    EXPECT_TRUE(finder.choose(8, at(1)).empty()) << "it lacks what is needed";
    finder.look_for(kNodeNetwork | kNodeCompactFilters, {"b", "c"});
    EXPECT_EQ(finder.choose(8, at(1)).size(), 1U) << "it has what is needed now";
    EXPECT_EQ(finder.choose_seeds(8, at(1)), (Names{"b", "c"}));
    for (const char* const seed : {"a", "b"}) finder.on_seed_answer(seed, {}, at(2));
    EXPECT_FALSE(finder.has_no_candidates()) << "one is still being asked";
    finder.on_seed_answer("c", {}, at(3));
    EXPECT_TRUE(finder.choose(8, at(3)).empty());
    EXPECT_TRUE(finder.has_no_candidates());
    EXPECT_TRUE(finder.choose_seeds(8, at(4)).empty()) << "the next round has a pause before it";
}

// The lists of several services have seeds in common.
TEST_F(PeerFinderTest, AsksNoSeedAgainThatIsBeingAsked) {
    auto finder = make({"a", "b"});
    finder.choose(8, at(0));
    EXPECT_EQ(finder.choose_seeds(8, at(0)), (Names{"a", "b"}));
    finder.look_for(kNodeNetwork | kNodeCompactFilters, {"c", "a"});
    finder.choose(8, at(1));
    EXPECT_EQ(finder.choose_seeds(8, at(1)), Names{"c"});
    for (const char* const seed : {"a", "b", "c"}) finder.on_seed_answer(seed, {}, at(2));
    finder.choose(8, at(2));
    EXPECT_TRUE(finder.has_no_candidates());
    EXPECT_TRUE(finder.choose_seeds(8, at(60'001)).empty());
    EXPECT_EQ(finder.choose_seeds(8, at(60'002)), (Names{"c", "a"})) << "the next round";
}

TEST_F(PeerFinderTest, AsksASeedOnceARoundWhateverIsLookedFor) {
    auto finder = make({"a"});
    for (std::int64_t time = 0; time < 60'000; time += 10'000) {
        finder.look_for(kNodeNetwork, {time % 20'000 == 0 ? "a" : "b"});
        finder.choose(8, at(time));
        const auto seeds = finder.choose_seeds(8, at(time));
        EXPECT_EQ(seeds.size(), time < 20'000 ? 1U : 0U) << time;
        for (const auto& seed : seeds) finder.on_seed_answer(seed, {}, at(time));
    }
    EXPECT_EQ(finder.choose_seeds(8, at(70'000)), Names{"b"});
    finder.on_seed_answer("b", {}, at(70'000));
    EXPECT_TRUE(finder.choose_seeds(8, at(189'999)).empty()) << "the pause has doubled";
    EXPECT_EQ(finder.choose_seeds(8, at(190'000)), Names{"b"});
}

TEST_F(PeerFinderTest, BeginsTheNextRoundIfOnlyQueriedSeedsAreLeft) {
    auto finder = make({"a", "b", "c", "d"});
    finder.choose(8, at(0));
    EXPECT_EQ(finder.choose_seeds(8, at(0)).size(), 3U);
    for (const char* const seed : {"a", "b", "c"}) finder.on_seed_answer(seed, {}, at(0));
    finder.look_for(kNodeNetwork, {"a"});
    finder.choose(8, at(0));
    EXPECT_TRUE(finder.choose_seeds(8, at(59'999)).empty());
    EXPECT_EQ(finder.choose_seeds(8, at(60'000)), Names{"a"});
}

TEST_F(PeerFinderTest, AsksAtMostThreeSeedsAtATime) {
    auto finder = make({"a", "b", "c", "d"});
    EXPECT_TRUE(finder.choose(8, at(0)).empty());
    EXPECT_EQ(finder.choose_seeds(8, at(0)), (Names{"a", "b", "c"}));
    finder.on_seed_answer("b", {}, at(5));
    EXPECT_EQ(finder.choose_seeds(8, at(5)), Names{"d"});
}

TEST_F(PeerFinderTest, DialsWhatSeedsList) {
    auto finder = make({"xd.seed.org"});
    finder.choose(8, at(0));
    finder.choose_seeds(8, at(0));
    EXPECT_FALSE(finder.is_exhausted());
    finder.on_seed_answer("xd.seed.org", {nth_node(1), nth_node(2)}, at(5));
    EXPECT_FALSE(finder.is_exhausted());
    EXPECT_EQ(finder.choose(8, at(5)).size(), 2U);
    EXPECT_EQ(addrman.find(nth_node(1))->services, 0xdU);
    EXPECT_FALSE(finder.has_reached_no_node());
}

TEST_F(PeerFinderTest, BoundsTheNodesTakenFromASeed) {
    auto finder = make({"a"});
    finder.choose(8, at(0));
    finder.choose_seeds(8, at(0));
    std::vector<PeerAddress> listed(AddrMan::kMostOfSeed - 1, nth_node(1));
    listed.push_back(nth_node(2));
    listed.push_back(nth_node(3));
    finder.on_seed_answer("a", listed, at(5));
    EXPECT_TRUE(addrman.find(nth_node(2)).has_value());
    EXPECT_FALSE(addrman.find(nth_node(3)).has_value());
}

TEST_F(PeerFinderTest, IsExhaustedWithoutANodeToDialOrASeedToAsk) {
    auto finder = make({"a"});
    finder.choose(8, at(0));
    EXPECT_FALSE(finder.is_exhausted()) << "seed a is not asked yet";
    finder.choose_seeds(8, at(0));
    finder.on_seed_answer("a", {}, at(5));
    finder.choose(8, at(5));
    EXPECT_TRUE(finder.is_exhausted());
    EXPECT_TRUE(finder.has_reached_no_node());
}

TEST_F(PeerFinderTest, IsNotOfflineIfDnsSaysThatASeedDoesNotExist) {
    auto finder = make({"a", "b"});
    finder.choose(8, at(0));
    finder.choose_seeds(8, at(0));
    finder.on_seed_answer("a", {}, at(5));
    EXPECT_TRUE(finder.has_reached_no_node());
    finder.on_unknown_seed();
    finder.on_seed_answer("b", {}, at(5));
    EXPECT_FALSE(finder.has_reached_no_node());
    EXPECT_TRUE(finder.has_no_known_address());
    know(1);
    EXPECT_FALSE(finder.has_no_known_address());
}

TEST_F(PeerFinderTest, DoesNotSeeOneDeadNodeAsADeadNetwork) {
    know(1);
    auto finder = make();
    finder.choose(8, at(0));
    finder.on_ended(nth_node(0), unreachable, kNoService, at(1));
    EXPECT_FALSE(finder.has_reached_no_node());
    EXPECT_TRUE(finder.is_exhausted());
}

TEST_F(PeerFinderTest, AsksSeedsAgainLaterAndLater) {
    auto finder = make({"a"});
    finder.choose(8, at(0));
    EXPECT_EQ(finder.choose_seeds(8, at(0)), Names{"a"});
    finder.on_seed_answer("a", {}, at(0));
    EXPECT_TRUE(finder.choose_seeds(8, at(59'999)).empty());
    EXPECT_EQ(finder.look_again_at(at(49'999)), at(59'999).steady);
    EXPECT_EQ(finder.look_again_at(at(55'000)), at(60'000).steady);
    EXPECT_EQ(finder.choose_seeds(8, at(60'000)), Names{"a"});
    finder.on_seed_answer("a", {}, at(60'000));
    EXPECT_TRUE(finder.choose_seeds(8, at(179'999)).empty());
    EXPECT_EQ(finder.choose_seeds(8, at(180'000)), Names{"a"});
}

TEST_F(PeerFinderTest, AsksSeedsEveryHourAtLeast) {
    auto finder = make({"a"});
    finder.choose(8, at(0));
    std::vector<std::int64_t> pauses;
    std::int64_t last = 0;
    for (std::int64_t second = 0; pauses.size() < 10; second += 10) {
        if (finder.choose_seeds(8, at(1'000 * second)).empty()) continue;
        finder.on_seed_answer("a", {}, at(1'000 * second));
        pauses.push_back(second - std::exchange(last, second));
    }
    EXPECT_EQ(pauses,
              (std::vector<std::int64_t>{0, 60, 120, 240, 480, 960, 1'920, 3'600, 3'600, 3'600}));
}

TEST_F(PeerFinderTest, TreatsNodesOfSeedsAsSeenThreeDaysAgo) {
    auto finder = make({"xd.seed.org"});
    finder.choose(8, at(0));
    finder.choose_seeds(8, at(0));
    finder.on_seed_answer("xd.seed.org", {nth_node(1)}, at(0));
    EXPECT_EQ(addrman.find(nth_node(1))->last_seen, kUnixTime - 3 * 86'400);
}

TEST_F(PeerFinderTest, RemembersTheSourceOfANode) {
    auto finder = make({"seed"});
    finder.choose(8, at(0));
    finder.choose_seeds(8, at(0));
    finder.on_seed_answer("seed", {nth_node(1)}, at(0));
    finder.on_gossip({1, 20, 7}, {{nth_node(2), 0, kUnixTime}}, 0, at(0).steady, at(0));
    EXPECT_EQ(addrman.find(nth_node(1))->source, (chain::Bytes{'s', 'e', 'e', 'd'}));
    EXPECT_EQ(addrman.find(nth_node(2))->source, (chain::Bytes{1, 20, 7}));
}

TEST_F(PeerFinderTest, IsNoLongerExhaustedOnceGossipNamesANewNode) {
    auto finder = make();
    finder.choose(8, at(0));
    ASSERT_TRUE(finder.has_no_candidates());
    const GossipedAddress told{nth_node(1), 0, kUnixTime};
    EXPECT_TRUE(finder.on_gossip({1, 20, 7}, {told}, 0, at(0).steady, at(0)));
    EXPECT_FALSE(finder.has_no_candidates());
    finder.choose(8, at(0));
    ASSERT_TRUE(finder.has_no_candidates());
    EXPECT_FALSE(finder.on_gossip({1, 20, 7}, {told}, 1, at(0).steady, at(0)));
    EXPECT_TRUE(finder.has_no_candidates()) << "these addresses were known already";
}

TEST_F(PeerFinderTest, ChoosesNoNodeOfAGroupInUse) {
    know(1);
    auto near = nth_node(0);
    near.host[3] = 9;
    addrman.add(near, kNodeNetwork | kNodeBloom, kUnixTime, {1, 9, 9}, kUnixTime);
    auto finder = make();
    const auto chosen = finder.choose(8, at(0));
    ASSERT_EQ(chosen.size(), 1U);
    EXPECT_TRUE(finder.choose(8, at(1)).empty());
    finder.on_ended(chosen[0], unreachable, kNoService, at(2));
    EXPECT_EQ(finder.choose(8, at(3)).size(), 1U) << "the other one";
}

TEST_F(PeerFinderTest, RemembersTheOutcomeOfAConnection) {
    know(1);
    auto finder = make();
    finder.choose(1, at(0));
    finder.on_answer(at(1));
    finder.on_version(nth_node(0), 5, at(2));
    finder.on_ended(nth_node(0), finished, PeerService::advanced, at(3'000));
    const auto peer = addrman.find(nth_node(0)).value();
    EXPECT_TRUE(peer.tried);
    EXPECT_EQ(peer.services, 5U);
    EXPECT_EQ(peer.last_success, kUnixTime + 3);
}

TEST_F(PeerFinderTest, BansOnlyForProvenBadData) {
    know(2);
    auto finder = make();
    finder.choose(2, at(0));
    finder.on_ended(nth_node(0), invalid_proof, kNoService, at(1));
    finder.on_ended(nth_node(1), malformed_message, kNoService, at(1));
    EXPECT_TRUE(addrman.bans().is_banned(nth_node(0), kUnixTime));
    EXPECT_FALSE(addrman.bans().is_banned(nth_node(0), kUnixTime + 24 * 60 * 60 + 1));
    EXPECT_FALSE(addrman.bans().is_banned(nth_node(1), kUnixTime));
}

TEST_F(PeerFinderTest, ForgetsItsOwnAddress) {
    know(1);
    auto finder = make();
    finder.choose(1, at(0));
    finder.on_ended(nth_node(0), self, kNoService, at(1));
    EXPECT_EQ(addrman.size(), 0U);
}

TEST_F(PeerFinderTest, BlamesNoNodeWhileNothingCanBeReached) {
    know(40);
    auto finder = make();
    std::size_t dialled = 0;
    while (!finder.seems_offline()) {
        for (const auto& address : finder.choose(8, at(0))) {
            finder.on_ended(address, unreachable, kNoService, at(1));
            ++dialled;
        }
    }
    EXPECT_EQ(dialled, Connectivity::kOfflineAfter);
    for (const auto& peer : addrman.peers()) EXPECT_EQ(peer.failures, 0U);
    EXPECT_TRUE(finder.choose(8, at(2)).empty()) << "the finder pauses";
    EXPECT_EQ(finder.look_again_at(at(12'000)), at(15'001).steady);
    EXPECT_EQ(finder.choose(8, at(15'001)).size(), 8U);
}

TEST_F(PeerFinderTest, IsNotOfflineOnceANodeAnswers) {
    know(40);
    auto finder = make();
    for (const auto& address : finder.choose(20, at(0))) {
        finder.on_ended(address, unreachable, kNoService, at(1));
    }
    EXPECT_TRUE(finder.seems_offline());
    finder.on_answer(at(2));
    EXPECT_FALSE(finder.seems_offline());
    EXPECT_FALSE(finder.has_reached_no_node());
    EXPECT_FALSE(finder.choose(8, at(2)).empty());
}

TEST_F(PeerFinderTest, AsksAllSeedsBeforeItSeemsOffline) {
    know(40);
    auto finder = make({"a", "b", "c", "d"});
    for (const auto& address : finder.choose(20, at(0))) {
        finder.on_ended(address, unreachable, kNoService, at(1));
    }
    EXPECT_FALSE(finder.seems_offline());
    EXPECT_EQ(finder.choose_seeds(8, at(1)), (Names{"a", "b", "c"}));
    for (const auto* name : {"a", "b", "c"}) finder.on_seed_answer(name, {}, at(2));
    EXPECT_FALSE(finder.seems_offline()) << "one node is left";
    EXPECT_EQ(finder.choose_seeds(8, at(2)), Names{"d"});
    finder.on_seed_answer("d", {}, at(3));
    EXPECT_TRUE(finder.seems_offline());
}

TEST_F(PeerFinderTest, NamesAFutureTimeAfterEachLook) {
    know(200);
    auto finder = make({"a", "b"});
    std::size_t looks = 0;
    for (std::int64_t time = 0; time < 600'000; ++looks) {
        for (const auto& address : finder.choose(8, at(time))) {
            finder.on_ended(address, unreachable, kNoService, at(time));
        }
        for (const auto& name : finder.choose_seeds(8, at(time))) {
            finder.on_seed_answer(name, {}, at(time));
        }
        const auto next = (finder.look_again_at(at(time)) - at(0).steady).count();
        ASSERT_GT(next, time);
        time = next;
    }
    EXPECT_LT(looks, 200U);
}

TEST_F(PeerFinderTest, PausesAfterASeedAnsweredToo) {
    know(40);
    auto finder = make({"a"});
    finder.choose(40, at(0));
    finder.choose(8, at(0));
    finder.choose_seeds(8, at(0));
    finder.on_seed_answer("a", {nth_node(100)}, at(1));
    for (std::uint32_t n = 0; n < 40; ++n) {
        finder.on_ended(nth_node(n), unreachable, kNoService, at(2));
    }
    EXPECT_TRUE(finder.seems_offline());
    EXPECT_TRUE(finder.choose(8, at(3)).empty());
    EXPECT_FALSE(finder.has_reached_no_node()) << "the seed was reached";
}

TEST_F(PeerFinderTest, RemembersAServingNodeBeforeItsConnectionEnds) {
    know(2);
    auto finder = make({"a"});
    finder.choose(2, at(0));
    finder.on_service(nth_node(0), PeerService::answered, at(1));
    EXPECT_FALSE(addrman.find(nth_node(0))->tried) << "the node has not advanced the sync yet";
    finder.on_service(nth_node(0), PeerService::advanced, at(2));
    EXPECT_TRUE(addrman.find(nth_node(0))->tried);
    EXPECT_TRUE(finder.choose_seeds(6, at(PeerFinder::kAlone.count())).empty())
        << "the address manager has led to a node";
}

TEST_F(PeerFinderTest, IsNotOfflineWhileANodeSpeaks) {
    know(40);
    auto finder = make();
    for (const auto& address : finder.choose(20, at(0))) {
        finder.on_ended(address, unreachable, kNoService, at(1));
    }
    EXPECT_TRUE(finder.seems_offline());
    finder.on_heard(at(0).steady, at(2));
    EXPECT_FALSE(finder.seems_offline());
}

TEST_F(PeerFinderTest, DoesNotHoldTheProxyAgainstNodes) {
    know(1);
    auto finder = make();
    finder.choose(1, at(0));
    finder.on_answer(at(0));
    finder.on_no_verdict(nth_node(0), at(1));
    EXPECT_EQ(addrman.find(nth_node(0))->failures, 0U);
    EXPECT_EQ(addrman.find(nth_node(0))->last_outcome, std::nullopt);
    EXPECT_EQ(finder.choose(1, at(60'000)).size(), 1U);
}

TEST_F(PeerFinderTest, LimitsTheGossipOfOneConnection) {
    auto finder = make();
    std::vector<GossipedAddress> flood;
    for (std::uint32_t n = 0; n < 3'000; ++n) flood.push_back({nth_node(n), 0, kUnixTime});
    const chain::Bytes source{1, 2, 3};
    finder.on_gossip(source, {flood.begin() + 2'000, flood.end()}, kFirstGossip, at(0).steady,
                     at(9'999));
    EXPECT_EQ(addrman.size(), 0U);
    finder.on_gossip(source, {flood.begin() + 2'000, flood.end()}, kFirstGossip, at(0).steady,
                     at(20'000));
    EXPECT_EQ(addrman.size(), 2U) << "one address in ten seconds";
}

class FeelerTest : public PeerFinderTest {
protected:
    static constexpr std::int64_t kInterval = 120'000;

    /// A finder whose only connection is to a peer that serves.
    PeerFinder serving() {
        auto finder = make();
        first = finder.choose(1, at(0)).at(0);
        finder.on_answer(at(1));
        finder.on_service(first, PeerService::answered, at(2));
        return finder;
    }

    PeerAddress first;
};

TEST_F(FeelerTest, TestsANewcomerEveryTwoMinutes) {
    know(20);
    auto finder = serving();
    EXPECT_EQ(finder.feelers().next_at(), at(kInterval).steady);
    EXPECT_FALSE(finder.choose_feeler(at(kInterval - 1)));
    const auto tested = finder.choose_feeler(at(kInterval));
    ASSERT_TRUE(tested);
    EXPECT_NE(*tested, first);
    EXPECT_FALSE(finder.feelers().next_at());
    EXPECT_FALSE(finder.choose_feeler(at(2 * kInterval))) << "one feeler at a time";
    finder.on_feeler_answered(kNodeBloom | kNodeNetwork, at(2 * kInterval));
    const auto peer = addrman.find(*tested).value();
    EXPECT_TRUE(peer.tried);
    EXPECT_EQ(peer.last_outcome, PeerOutcome::answered);
    EXPECT_EQ(peer.services, kNodeBloom | kNodeNetwork);
    EXPECT_EQ(peer.last_attempt, kUnixTime + kInterval / 1'000);
    EXPECT_EQ(peer.last_success, kUnixTime + 2 * kInterval / 1'000);
    EXPECT_NE(finder.choose_feeler(at(2 * kInterval)), tested);
}

TEST_F(FeelerTest, BlamesANodeThatFails) {
    know(20);
    auto finder = serving();
    const auto tested = finder.choose_feeler(at(kInterval)).value();
    finder.feelers().on_failed(malformed_message, at(kInterval));
    EXPECT_EQ(addrman.find(tested)->last_outcome, PeerOutcome::bad_data);
    EXPECT_FALSE(addrman.find(tested)->tried);
    const auto own = finder.choose_feeler(at(2 * kInterval)).value();
    finder.feelers().on_failed(self, at(2 * kInterval));
    EXPECT_FALSE(addrman.find(own));
    const auto behind_proxy = finder.choose_feeler(at(3 * kInterval)).value();
    finder.feelers().on_no_verdict();
    EXPECT_EQ(addrman.find(behind_proxy)->failures, 0U);
    EXPECT_TRUE(finder.choose_feeler(at(4 * kInterval)));
}

TEST_F(FeelerTest, TestsNoNodeWhileThisMachineMayBeOffline) {
    know(20);
    auto without_service = make();
    without_service.choose(1, at(0));
    EXPECT_FALSE(without_service.choose_feeler(at(kInterval)));
    EXPECT_EQ(without_service.feelers().next_at(), at(2 * kInterval).steady)
        << "the finder tries again later";
    auto finder = serving();
    const auto other = finder.choose(1, at(2)).at(0);
    finder.on_ended(other, unreachable, kNoService, at(3));
    EXPECT_FALSE(finder.choose_feeler(at(kInterval)));
    finder.on_heard(at(0).steady, at(kInterval));
    EXPECT_TRUE(finder.choose_feeler(at(2 * kInterval)));
}

TEST_F(FeelerTest, KeepsOtherDialsOutOfItsNetworkGroup) {
    know(2);
    auto finder = serving();
    ASSERT_TRUE(finder.choose_feeler(at(kInterval)));
    EXPECT_TRUE(finder.choose(8, at(kInterval)).empty());
    finder.feelers().on_no_verdict();
    EXPECT_EQ(finder.choose(8, at(2 * kInterval)).size(), 1U);
}

TEST_F(FeelerTest, TestsTheHolderOfAContestedSlotFirst) {
    know(20);
    const std::int64_t hours_ago = kUnixTime - 5 * 3'600;
    const auto second_port = nth_node(7, 9'000);
    addrman.add(second_port, kNodeNetwork | kNodeBloom, kUnixTime, {1, 2, 3}, kUnixTime);
    addrman.on_outcome(nth_node(7), PeerOutcome::served, hours_ago);
    addrman.on_outcome(second_port, PeerOutcome::served, kUnixTime);
    addrman.on_outcome(nth_node(8), PeerOutcome::served, kUnixTime);
    auto finder = make();
    finder.on_service(nth_node(8), PeerService::answered, at(0));
    EXPECT_EQ(finder.choose_feeler(at(kInterval)), nth_node(7));
    finder.on_feeler_answered(kNodeBloom | kNodeNetwork, at(kInterval));
    EXPECT_TRUE(addrman.find(nth_node(7))->tried);
    EXPECT_NE(finder.choose_feeler(at(2 * kInterval)), nth_node(7));
}

TEST_F(FeelerTest, CountsAConnectedPeerAsTested) {
    const auto second_port = nth_node(7, 9'000);
    addrman.add(nth_node(7), kNodeNetwork | kNodeBloom, kUnixTime, {1, 2, 3}, kUnixTime);
    addrman.on_outcome(nth_node(7), PeerOutcome::served, kUnixTime - 5 * 3'600);
    auto finder = serving();
    ASSERT_EQ(first, nth_node(7));
    addrman.add(second_port, kNodeNetwork | kNodeBloom, kUnixTime, {1, 2, 3}, kUnixTime);
    addrman.on_outcome(second_port, PeerOutcome::served, kUnixTime);
    EXPECT_EQ(finder.choose_feeler(at(kInterval)), second_port) << "it is a newcomer";
    EXPECT_EQ(addrman.find(first)->last_success, kUnixTime + kInterval / 1'000);
    EXPECT_FALSE(addrman.choose_contested(Reach{}, kUnixTime + kInterval / 1'000));
    EXPECT_TRUE(addrman.find(first)->tried);
}

TEST_F(PeerFinderTest, DialsTheLastServingNodesFirstTheNextTime) {
    know(60);
    for (std::uint32_t n = 0; n < 60; ++n) {
        addrman.on_outcome(nth_node(n), PeerOutcome::served, kUnixTime);
    }
    auto finder = make();
    const auto dialled = finder.choose(5, at(0));
    finder.on_service(dialled[0], PeerService::answered, at(1));
    finder.on_service(dialled[1], PeerService::answered, at(1));
    finder.on_service(dialled[2], PeerService::advanced, at(1));
    finder.on_ended(dialled[0], finished, PeerService::answered, at(2));
    finder.on_ended(dialled[2], gone, PeerService::advanced, at(2));
    finder.on_ended(dialled[3], finished, kNoService, at(2));
    finder.draw_anchors();
    EXPECT_EQ(addrman.anchors(), (std::set{dialled[0], dialled[1]}));

    AddrMan stored{AddrManOptions{}};
    for (const auto& peer : addrman.peers()) ASSERT_TRUE(stored.restore(peer));
    for (const auto& anchor : addrman.anchors()) ASSERT_TRUE(stored.restore_anchor(anchor));
    PeerFinder next{stored, {}, at(0)};
    next.dial_anchors_first();
    const auto first = next.choose(2, at(0));
    EXPECT_TRUE(stored.anchors().contains(first.at(0)));
    const auto rest = next.choose(1, at(0));
    EXPECT_TRUE(stored.anchors().contains(rest.at(0))) << "only one place was for a newcomer";
}

}  // namespace
}  // namespace petal::net
