// Peers for several watchers, each of which has its own filter.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "net/discovery/peer_finder.h"
#include "tests/net/discovery/nth_node.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::nth_node;

constexpr std::int64_t kFirstTime = 1'750'000'000;

Now after(std::int64_t ms) {
    return {milliseconds{1'000'000 + ms}, kFirstTime + ms / 1'000};
}

class SeveralWatchersTest : public testing::Test {
protected:
    void know(std::uint32_t count) {
        for (std::uint32_t n = 0; n < count; ++n) {
            const chain::Bytes source{1, static_cast<chain::Byte>(n)};
            addrman.add(nth_node(n), kNodeNetwork | kNodeBloom, kFirstTime, source, kFirstTime);
        }
    }

    /// Connects a watcher to nodes that serve it, and closes the connections.
    std::vector<PeerAddress> serve(std::size_t watcher, std::size_t count) {
        const auto nodes = finder.choose(count, after(0), watcher);
        for (const PeerAddress& node : nodes) {
            finder.on_version(node, kNodeNetwork | kNodeBloom, after(1), watcher);
            finder.on_ended(node, DisconnectReason::finished, PeerService::advanced, after(2));
        }
        return nodes;
    }
    static constexpr std::int64_t kLater = 600'000;

    AddrMan addrman{AddrManOptions{}};
    PeerFinder finder{addrman, {{}, Reach{}}, after(0)};
};

TEST_F(SeveralWatchersTest, NeverShareAPeerEvenAtDifferentTimes) {
    know(20);
    const auto first = serve(0, 12);
    ASSERT_EQ(first.size(), 12U);
    const auto second = finder.choose(20, after(kLater), 1);
    EXPECT_EQ(second.size(), 8U);
    for (const PeerAddress& node : second) EXPECT_EQ(std::ranges::count(first, node), 0);
    const auto again = finder.choose(20, after(kLater), 0);
    EXPECT_EQ(std::set(again.begin(), again.end()), std::set(first.begin(), first.end()));
}

TEST_F(SeveralWatchersTest, LookForServicesOfTheirOwn) {
    constexpr std::uint64_t of_first = kNodeNetwork | kNodeBloom;
    constexpr std::uint64_t of_second = kNodeNetwork | kNodeCompactFilters;
    for (const auto& [n, services] : {std::pair{1U, of_first}, std::pair{2U, of_second}}) {
        addrman.add(nth_node(n), services, kFirstTime, {1}, kFirstTime);
        addrman.on_version(nth_node(n), services, kFirstTime);  // stated by the node itself
    }
    for (const bool first_is_last : {false, true}) {
        if (!first_is_last) finder.look_for(of_first, {}, 0);
        finder.look_for(of_second, {}, 1);
        if (first_is_last) finder.look_for(of_first, {}, 0);
        EXPECT_EQ(finder.choose(8, after(0), 0), std::vector{nth_node(1)});
        EXPECT_EQ(finder.choose(8, after(0), 1), std::vector{nth_node(2)});
        for (const std::uint32_t n : {1U, 2U}) {
            finder.on_ended(nth_node(n), DisconnectReason::finished, PeerService::advanced,
                            after(0));
        }
    }
}

TEST_F(SeveralWatchersTest, HaveNoHostInCommonAtAnotherPort) {
    know(1);
    addrman.add(nth_node(0, 9'000), kNodeNetwork | kNodeBloom, kFirstTime, {7, 7, 7}, kFirstTime);
    ASSERT_EQ(addrman.size(), 2U);
    serve(0, 1);
    EXPECT_TRUE(finder.choose(2, after(kLater), 1).empty());
    EXPECT_FALSE(finder.choose(2, after(kLater), 0).empty());
}

TEST_F(SeveralWatchersTest, MayEachTryANodeThatGotNoFilter) {
    know(1);
    const auto node = finder.choose(1, after(0), 0).at(0);
    EXPECT_TRUE(finder.choose(1, after(0), 1).empty()) << "another watcher uses the node";
    finder.on_ended(node, DisconnectReason::unreachable, PeerService::none, after(1));
    finder.on_answer(after(2));
    EXPECT_EQ(finder.choose(1, after(24 * 3'600'000), 1).size(), 1U);
}

TEST_F(SeveralWatchersTest, ShareTheNodesEvenly) {
    know(6);
    for (const std::size_t watcher : {0U, 1U, 2U}) finder.owners().begin(watcher);
    const auto dialled = [this](std::size_t watcher) {
        return finder.choose(8, after(0), watcher).size();
    };
    EXPECT_EQ(dialled(0), 1U) << "the other watchers have none yet";
    EXPECT_EQ(dialled(0), 0U);
    EXPECT_EQ(dialled(1), 1U);
    EXPECT_EQ(dialled(2), 2U) << "one more than the other watchers have";
    EXPECT_EQ(dialled(0), 1U);
    finder.owners().end(1);
    EXPECT_EQ(dialled(2), 1U) << "a watcher that has ended keeps no share";
}

TEST_F(SeveralWatchersTest, ReplaceANodeThatFailed) {
    know(4);
    finder.owners().begin(0);
    finder.owners().begin(1);
    const auto node = finder.choose(1, after(0), 0).at(0);
    ASSERT_EQ(finder.choose(1, after(0), 1).size(), 1U);
    finder.on_ended(node, DisconnectReason::unreachable, PeerService::none, after(1));
    finder.on_answer(after(2));
    EXPECT_TRUE(finder.choose(8, after(3), 1).empty());
    EXPECT_EQ(finder.choose(8, after(3), 0).size(), 2U);
}

TEST_F(SeveralWatchersTest, KnowIfOtherWatchersHaveNodes) {
    know(2);
    EXPECT_FALSE(finder.owners().any_is_of_others(0));
    serve(0, 1);
    EXPECT_FALSE(finder.owners().any_is_of_others(0));
    EXPECT_TRUE(finder.owners().any_is_of_others(1));
}

TEST_F(SeveralWatchersTest, HaveNoHostInCommonUnderAnotherOfItsAddresses) {
    // Each pair belongs to one machine: an IPv4 address and its 6to4 address, and two addresses of
    // one /64.
    const PeerAddress ipv4{AddressKind::ipv4, {20, 1, 1, 1}, 8333};
    PeerAddress carried{AddressKind::ipv6, chain::Bytes(16), 8333};
    std::ranges::copy(chain::Bytes{0x20, 0x02, 20, 1, 1, 1}, carried.host.begin());
    PeerAddress ipv6{AddressKind::ipv6, chain::Bytes(16, 0x2a), 8333};
    PeerAddress neighbour = ipv6;
    neighbour.host.back() = 7;
    AddrManOptions accepting;
    accepting.accept_private = true;
    AddrMan all{accepting};
    PeerFinder search{all, {{}, Reach{}}, after(0)};
    chain::Byte source = 0;
    for (const PeerAddress& address : {ipv4, carried, ipv6, neighbour}) {
        ASSERT_TRUE(
            all.add(address, kNodeNetwork | kNodeBloom, kFirstTime, {1, ++source}, kFirstTime));
    }
    const auto nodes = search.choose(4, after(0), 0);
    ASSERT_EQ(nodes.size(), 2U);
    for (const PeerAddress& node : nodes) {
        search.on_version(node, kNodeNetwork | kNodeBloom, after(1), 0);
        search.on_ended(node, DisconnectReason::finished, PeerService::advanced, after(2));
    }
    EXPECT_TRUE(search.choose(4, after(kLater), 1).empty());
    EXPECT_EQ(search.choose(4, after(kLater), 0).size(), 2U);
}

// In the next run, an anchor could be given to another watcher and so receive two watchers'
// filters.
TEST_F(SeveralWatchersTest, NeitherSaveAnchorsNorUseThem) {
    know(20);
    for (std::uint32_t n = 0; n < 20; ++n) {
        addrman.on_outcome(nth_node(n), PeerOutcome::served, kFirstTime);
    }
    serve(0, 4);
    finder.draw_anchors();
    const auto before = addrman.anchors();
    ASSERT_EQ(before.size(), 2U);

    PeerFinder several{addrman, {{}, Reach{}}, after(kLater)};
    several.keep_anchors();
    for (const PeerAddress& node : several.choose(4, after(kLater), 0)) {
        several.on_version(node, kNodeNetwork | kNodeBloom, after(kLater), 0);
        several.on_ended(node, DisconnectReason::finished, PeerService::advanced, after(kLater));
    }
    several.draw_anchors();
    EXPECT_EQ(addrman.anchors(), before);
}

}  // namespace
}  // namespace petal::net
