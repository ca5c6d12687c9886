#include "net/discovery/peer_draw.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace petal::net {
namespace {

using chain::Byte;

constexpr int kDraws = 2'000;

class PeerDraw : public testing::Test {
protected:
    KnownPeer& add(Byte network, Byte host, std::uint16_t port = 8333) {
        KnownPeer peer;
        peer.address = {AddressKind::ipv4, {20, network, 1, host}, port};
        return peers.emplace(peer.address, peer).first->second;
    }

    std::vector<PeerAddress> draw(std::size_t count, std::set<chain::Bytes> taken = {}) {
        std::vector<const KnownPeer*> candidates;
        for (const auto& [address, peer] : peers) candidates.push_back(&peer);
        return draw_peers(candidates, count, taken, random);
    }

    /// How often an address for which `is` holds is drawn, when one address is drawn.
    template <typename Is>
    int count_of(Is is) {
        int count = 0;
        for (int i = 0; i < kDraws; ++i) count += is(draw(1).at(0)) ? 1 : 0;
        return count;
    }

    std::map<PeerAddress, KnownPeer> peers;
    SplitMix64 random{7};
};

TEST_F(PeerDraw, ManyHostsMakeNoGroupLikelier) {
    for (Byte host = 1; host <= 100; ++host) add(1, host);
    add(2, 1);
    const int crowded = count_of([](const PeerAddress& drawn) { return drawn.host[1] == 1; });
    EXPECT_GT(crowded, kDraws * 45 / 100);
    EXPECT_LT(crowded, kDraws * 55 / 100);
}

TEST_F(PeerDraw, ManyPortsMakeNoHostLikelier) {
    for (std::uint16_t port = 1'000; port < 1'120; ++port) add(1, 1, port);
    add(1, 2);
    const int crowded = count_of([](const PeerAddress& drawn) { return drawn.host[3] == 1; });
    EXPECT_GT(crowded, kDraws * 45 / 100);
    EXPECT_LT(crowded, kDraws * 55 / 100);
}

TEST_F(PeerDraw, DrawsEachPortOfAHost) {
    for (std::uint16_t port = 1'000; port < 1'004; ++port) add(1, 1, port);
    for (std::uint16_t port = 1'000; port < 1'004; ++port) {
        EXPECT_GT(count_of([&](const PeerAddress& drawn) { return drawn.port == port; }),
                  kDraws * 20 / 100);
    }
}

TEST_F(PeerDraw, DrawsNoGroupTwiceAndNoGroupInUse) {
    for (Byte network = 1; network <= 5; ++network) {
        for (Byte host = 1; host <= 3; ++host) add(network, host);
    }
    const auto drawn = draw(9, {chain::Bytes{1, 20, 3}});
    std::set<chain::Bytes> groups;
    for (const auto& address : drawn) groups.insert(network_group(address));
    EXPECT_EQ(drawn.size(), 4U);
    EXPECT_EQ(groups.size(), 4U);
    EXPECT_FALSE(groups.contains(chain::Bytes{1, 20, 3}));
    EXPECT_EQ(draw(2).size(), 2U);
    EXPECT_TRUE(draw(0).empty());
}

// Bitcoin Core, AddrInfo::GetChance: each failure multiplies the chance by 0.66. Of two groups, the
// one with that weight gets 0.66 / 1.66 = 40 % of the draws. The least weight is 0.66^8 = 3.5 %;
// the share of the draws is somewhat higher, because the chance of both grows with each rejected
// draw.
TEST_F(PeerDraw, DrawsFailedNodesLessOftenButSometimes) {
    add(1, 1).failures = 1;
    add(2, 1);
    const auto fails = [](const PeerAddress& drawn) { return drawn.host[1] == 1; };
    const int once = count_of(fails);
    EXPECT_GT(once, kDraws * 35 / 100);
    EXPECT_LT(once, kDraws * 45 / 100);
    add(1, 1).failures = 1'000;
    const int often = count_of(fails);
    EXPECT_GT(often, 0);
    EXPECT_LT(often, kDraws * 10 / 100);
    peers.erase(PeerAddress{AddressKind::ipv4, {20, 2, 1, 1}, 8333});
    EXPECT_EQ(draw(1).size(), 1U) << "it is the only one left";
}

}  // namespace
}  // namespace petal::net
