#include "net/discovery/addr_collector.h"

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

void greet(AddrCollector& collector) {
    collector.on_message(version_with(kNodeBloom));
    collector.on_message(Verack{});
}

TEST(AddrCollector, TakesBothKindsOfGossipAfterTheHandshake) {
    AddrCollector collector;
    greet(collector);
    collector.on_message(Addr{{node(1)}});
    collector.on_message(AddrV2{{node(2)}});
    EXPECT_EQ(collector.take_gossip(), (std::vector{node(1), node(2)}));
    EXPECT_TRUE(collector.take_gossip().empty());
}

TEST(AddrCollector, IgnoresGossipBeforeTheHandshakeIsComplete) {
    AddrCollector collector;
    collector.on_message(Addr{{node(1)}});
    collector.on_message(Verack{});
    collector.on_message(Addr{{node(2)}});
    collector.on_message(version_with(kNodeBloom));
    collector.on_message(AddrV2{{node(3)}});
    EXPECT_TRUE(collector.take_gossip().empty());
    EXPECT_EQ(collector.gossip_count(), 0U);
    collector.on_message(Verack{});
    collector.on_message(Addr{{node(4)}});
    EXPECT_EQ(collector.take_gossip(), std::vector{node(4)});
}

TEST(AddrCollector, CountsTheAddressesOfEarlierMessages) {
    AddrCollector collector;
    greet(collector);
    collector.on_message(Addr{{node(1), node(2)}});
    EXPECT_EQ(collector.gossip_count(), 0U);
    collector.take_gossip();
    collector.on_message(Addr{{node(3)}});
    EXPECT_EQ(collector.gossip_count(), 2U);
}

TEST(AddrCollector, ReportsTheServicesOfTheFirstVersionOnce) {
    AddrCollector collector;
    EXPECT_EQ(collector.take_services(), std::nullopt);
    collector.on_message(version_with(kNodeBloom));
    collector.on_message(version_with(kNodeNetwork));
    EXPECT_EQ(collector.take_services(), kNodeBloom);
    collector.on_message(version_with(kNodeNetwork));
    EXPECT_EQ(collector.take_services(), std::nullopt);
}

TEST(GossipLimit, AllowsOneAnswerThenOneAddressInTenSeconds) {
    EXPECT_EQ(gossip_left(0, std::chrono::milliseconds{0}), 1'000U);
    EXPECT_EQ(gossip_left(999, std::chrono::milliseconds{0}), 1U);
    EXPECT_EQ(gossip_left(1'000, std::chrono::milliseconds{9'999}), 0U);
    EXPECT_EQ(gossip_left(1'000, std::chrono::milliseconds{10'000}), 1U);
    EXPECT_EQ(gossip_left(1'001, std::chrono::milliseconds{3'600'000}), 359U);
}

TEST(GossipLimit, AllowsNoneToAPeerThatHasSentTooMany) {
    EXPECT_EQ(gossip_left(50'000, std::chrono::milliseconds{10'000}), 0U);
}

}  // namespace
}  // namespace petal::net
