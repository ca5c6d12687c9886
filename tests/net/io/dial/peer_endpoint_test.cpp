#include "net/io/dial/peer_endpoint.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

using chain::Bytes;

constexpr const char* kOnionHost = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion";

TEST(PeerEndpoint, RoundTripsAddresses) {
    for (const char* host : {"203.0.113.5", "2001:db8::7", kOnionHost}) {
        const Endpoint endpoint{host, 8333};
        const auto address = address_of(endpoint);
        ASSERT_TRUE(address.has_value()) << host;
        EXPECT_EQ(address->host.size(), address_bytes(address->kind)) << host;
        EXPECT_EQ(endpoint_of(*address), endpoint);
    }
}

TEST(PeerEndpoint, UnmapsIpv4Addresses) {
    const PeerAddress expected{AddressKind::ipv4, Bytes{203, 0, 113, 5}, 1};
    EXPECT_EQ(address_of(Endpoint{"::ffff:203.0.113.5", 1}), expected);
}

TEST(PeerEndpoint, HasNoAddressForNames) {
    for (const char* host : {"seed.example.org", "localhost", "abc.onion", "", "1.2.3"}) {
        EXPECT_EQ(address_of(Endpoint{host, 1}), std::nullopt) << host;
    }
}

const auto kReached = boost::asio::ip::make_address("203.0.113.5");

TEST(PeerIdentity, FollowsTheReachedAddressWhateverTheName) {
    const auto by_name = identity_of({"node.example.org", 8333}, kReached);
    EXPECT_EQ(by_name.address, "node.example.org:8333");
    EXPECT_EQ(by_name.node, identity_of({"203.0.113.5", 8333}).node);
    EXPECT_EQ(by_name.group, identity_of({"203.0.1.1", 1}).group);
    EXPECT_NE(by_name.node, identity_of({"node.example.org", 8334}, kReached).node);
}

TEST(PeerIdentity, FollowsTheNameIfTheAddressIsUnknown) {
    const auto one = identity_of({"node.example.org", 8333});
    EXPECT_NE(one.node, identity_of({"203.0.113.5", 8333}).node);
    EXPECT_NE(one.node, identity_of({"other.example.org", 8333}).node);
    EXPECT_NE(one.group, identity_of({"other.example.org", 8333}).group);
    for (const char* spelling : {"NODE.example.Org", "node.example.org."}) {
        EXPECT_EQ(identity_of({spelling, 8333}).node, one.node) << spelling;
        EXPECT_EQ(identity_of({spelling, 8333}).group, one.group) << spelling;
    }
}

struct SameGroup {
    std::string one;
    std::string other;
    bool same;
};

TEST(PeerIdentity, GroupsByNetworkAndNeverByPort) {
    const std::string onion = kOnionHost;
    const SameGroup rows[] = {
        {"203.0.113.5", "203.0.200.9", true},
        {"203.0.113.5", "203.1.113.5", false},
        {"203.0.113.5", "203.0.113.5.", true},
        {"2001:db8::1", "2001:db8:ffff::2", true},
        {"2001:db8::1", "2001:db9::1", false},
        {"::ffff:203.0.113.5", "203.0.113.5", true},
        {"localhost", "127.0.0.1", true},
        {"node.Localhost.", "::1", true},
        {"localhost.example", "localhost", false},
        {onion, onion, true},
        {onion, "node.example.org", false},
        {"node.example", "node2.example", false},
        {"xd.seed.example", "x5.seed.example", true},
        {"x5.seed.example", "seed.example", true},
        {"xd.seed.example", "xd.other.example", false},
        {"x.seed.example", "seed.example", false},
    };
    for (const auto& [one, other, same] : rows) {
        EXPECT_EQ(identity_of({one, 1}).group == identity_of({other, 2}).group, same)
            << one << " and " << other;
        EXPECT_NE(identity_of({one, 1}).node, identity_of({other, 2}).node);
    }
}

}  // namespace
}  // namespace petal::net
