#include "net/sync/hearsay.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

GossipedAddress node(chain::Byte number) {
    return {{AddressKind::ipv4, {20, number, 1, 1}, 8333}, kNodeBloom, 1'700'000'000};
}

Version version_with(std::uint64_t services) {
    Version version;
    version.services = services;
    return version;
}

void greet(Hearsay& hearsay) {
    hearsay.note(version_with(kNodeBloom));
    hearsay.note(Verack{});
}

TEST(Hearsay, TakesBothKindsOfGossipBehindTheHandshake) {
    Hearsay hearsay;
    greet(hearsay);
    hearsay.note(Addr{{node(1)}});
    hearsay.note(AddrV2{{node(2)}});
    EXPECT_EQ(hearsay.take_gossip(), (std::vector{node(1), node(2)}));
    EXPECT_TRUE(hearsay.take_gossip().empty());
}

TEST(Hearsay, IgnoresGossipBeforeTheHandshakeIsComplete) {
    Hearsay hearsay;
    hearsay.note(Addr{{node(1)}});
    hearsay.note(Verack{});
    hearsay.note(Addr{{node(2)}});
    hearsay.note(version_with(kNodeBloom));
    hearsay.note(AddrV2{{node(3)}});
    EXPECT_TRUE(hearsay.take_gossip().empty());
    EXPECT_EQ(hearsay.told(), 0U);
    hearsay.note(Verack{});
    hearsay.note(Addr{{node(4)}});
    EXPECT_EQ(hearsay.take_gossip(), std::vector{node(4)});
}

TEST(Hearsay, CountsWhatWasToldBefore) {
    Hearsay hearsay;
    greet(hearsay);
    hearsay.note(Addr{{node(1), node(2)}});
    EXPECT_EQ(hearsay.told(), 0U);
    hearsay.take_gossip();
    hearsay.note(Addr{{node(3)}});
    EXPECT_EQ(hearsay.told(), 2U);
}

TEST(Hearsay, BelievesTheFirstVersionAloneAndSaysItOnce) {
    Hearsay hearsay;
    EXPECT_EQ(hearsay.take_services(), std::nullopt);
    hearsay.note(version_with(kNodeBloom));
    hearsay.note(version_with(kNodeNetwork));
    EXPECT_EQ(hearsay.take_services(), kNodeBloom);
    hearsay.note(version_with(kNodeNetwork));
    EXPECT_EQ(hearsay.take_services(), std::nullopt);
}

}  // namespace
}  // namespace petal::net
