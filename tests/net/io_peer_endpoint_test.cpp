#include "net/io/peer_endpoint.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

using chain::Bytes;

constexpr const char* kOnion = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion";

TEST(PeerEndpoint, LeadsThereAndBack) {
    for (const char* host : {"203.0.113.5", "2001:db8::7", kOnion}) {
        const Endpoint endpoint{host, 8333};
        const auto address = address_of(endpoint);
        ASSERT_TRUE(address.has_value()) << host;
        EXPECT_EQ(address->host.size(), address_bytes(address->kind)) << host;
        EXPECT_EQ(endpoint_of(*address), endpoint);
    }
}

TEST(PeerEndpoint, TakesMappedAddressesForWhatTheyAre) {
    const PeerAddress expected{AddressKind::ipv4, Bytes{203, 0, 113, 5}, 1};
    EXPECT_EQ(address_of(Endpoint{"::ffff:203.0.113.5", 1}), expected);
}

TEST(PeerEndpoint, HasNoAddressForNames) {
    for (const char* host : {"seed.example.org", "localhost", "abc.onion", "", "1.2.3"}) {
        EXPECT_EQ(address_of(Endpoint{host, 1}), std::nullopt) << host;
    }
}

}  // namespace
}  // namespace petal::net
