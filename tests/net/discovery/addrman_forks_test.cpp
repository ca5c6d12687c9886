// Nodes that state that they follow a fork with another header format.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "net/discovery/addrman.h"
#include "tests/net/discovery/nth_node.h"

namespace petal::net {
namespace {

class NodesOfAFork : public testing::Test {
protected:
    static constexpr std::int64_t kNow = 1'750'000'000;
    static constexpr std::uint64_t kOrdinary = kNodeNetwork | kNodeBloom;
    static constexpr std::uint64_t kOfFork = kOrdinary | kNodeOtherHeaders;

    void add(std::uint32_t number, std::uint64_t services) {
        addrman.add(test::nth_node(number), services, kNow, {}, kNow);
    }
    /// Makes a node tried.
    void serve(std::uint32_t number, std::uint64_t services) {
        addrman.on_version(test::nth_node(number), services, kNow);
        addrman.on_outcome(test::nth_node(number), PeerOutcome::served, kNow);
    }
    std::vector<PeerAddress> choose(std::size_t count) {
        return addrman.choose(count, {}, {}, kNow);
    }

    AddrMan addrman{{.key = {1}, .random_seed = 3}};
};

TEST_F(NodesOfAFork, AreDialledAfterAllOthers) {
    for (const std::uint32_t number : {1U, 2U, 3U}) add(number, kOfFork);
    serve(1, kOfFork);
    for (const std::uint32_t number : {4U, 5U}) add(number, kOrdinary);
    add(6, kNodeNetwork);
    for (int i = 0; i < 20; ++i) {
        const auto chosen = choose(4);
        ASSERT_EQ(chosen.size(), 4U);
        for (const std::uint32_t number : {4U, 5U, 6U}) {
            const auto node = test::nth_node(number);
            EXPECT_EQ(std::count(chosen.begin(), chosen.begin() + 3, node), 1) << number;
        }
    }
    EXPECT_EQ(choose(6).size(), 6U);
}

// Their headers before the fork may have advanced the sync.
TEST_F(NodesOfAFork, HaveTheirOwnOutcomeWhateverTheyServed) {
    for (const auto service : {PeerService::none, PeerService::answered, PeerService::advanced}) {
        EXPECT_EQ(outcome_of(DisconnectReason::other_chain, service), PeerOutcome::other_chain);
        EXPECT_EQ(outcome_of(DisconnectReason::lighter_chain, service), PeerOutcome::lighter_chain);
        EXPECT_EQ(outcome_of(DisconnectReason::excluded_branch, service),
                  PeerOutcome::lighter_chain);
        EXPECT_EQ(outcome_of(DisconnectReason::lesser_branch, service), PeerOutcome::lesser_branch);
    }
}

TEST_F(NodesOfAFork, ThatTheUserNamedAreDialledFirst) {
    addrman.add_by_user(test::nth_node(1), kNow);
    addrman.on_version(test::nth_node(1), kOfFork, kNow);
    for (const std::uint32_t number : {2U, 3U, 4U}) add(number, kOrdinary);
    EXPECT_EQ(choose(2).at(0), test::nth_node(1));
}

TEST_F(NodesOfAFork, AreNeitherAnchorsNorTestedByFeelers) {
    add(1, kOfFork);
    EXPECT_EQ(addrman.choose_newcomer({}, {}, kNow), std::nullopt);
    serve(1, kOfFork);
    addrman.draw_anchors({test::nth_node(1)});
    EXPECT_TRUE(addrman.anchors().empty());
    add(2, kOrdinary);
    EXPECT_EQ(addrman.choose_newcomer({}, {}, kNow), test::nth_node(2));
    serve(2, kOrdinary);
    addrman.draw_anchors({test::nth_node(1), test::nth_node(2)});
    EXPECT_EQ(addrman.anchors(), std::set{test::nth_node(2)});
}

// A peer could gossip that honest nodes follow the fork.
TEST_F(NodesOfAFork, AreSaidToBeByAllGossip) {
    const auto states_it = [this](std::uint32_t number) {
        return (addrman.find(test::nth_node(number))->services & kNodeOtherHeaders) != 0;
    };
    add(1, kOrdinary);
    add(1, kOfFork);
    EXPECT_FALSE(states_it(1));
    add(2, kOfFork);
    add(2, kOfFork);
    EXPECT_TRUE(states_it(2));
    add(2, kOrdinary);
    EXPECT_FALSE(states_it(2));
    // The node's own word counts.
    addrman.on_version(test::nth_node(2), kOfFork, kNow);
    addrman.on_outcome(test::nth_node(2), PeerOutcome::other_chain, kNow);
    add(2, kOrdinary);
    EXPECT_TRUE(states_it(2));
}

}  // namespace
}  // namespace petal::net
