#include "net/wire/peer_address.h"

#include <gtest/gtest.h>

#include "net/wire/host_key.h"

namespace petal::net {
namespace {

using chain::Bytes;

std::string group(AddressKind kind, const char* host) {
    return chain::to_hex(network_group({kind, *chain::from_hex(host), 1}));
}

TEST(PeerAddress, GroupsByNetwork) {
    EXPECT_EQ(group(AddressKind::ipv4, "01020304"), "010102");
    EXPECT_EQ(group(AddressKind::ipv6, "20010db8000000000000000000000001"), "0220010db8");
    const std::string key(64, 'b');
    EXPECT_EQ(group(AddressKind::onion, key.c_str()), "04b0")
        << "a key costs nothing, so few bits count";
    EXPECT_EQ(group(AddressKind::ipv4, "01"), "0101") << "not an address, but harmless";
}

TEST(PeerAddress, GroupsWhatCarriesIpv4WithIt) {
    const auto ipv6 = [](const char* host) { return group(AddressKind::ipv6, host); };
    EXPECT_EQ(ipv6("00000000000000000000ffff01020304"), "010102") << "mapped";
    EXPECT_EQ(ipv6("0064ff9b000000000000000001020304"), "010102") << "NAT64";
    EXPECT_EQ(ipv6("20020102030400000000000000000001"), "010102") << "6to4";
    EXPECT_EQ(ipv6("00000000000000000000000000000001"), "017f00") << "this machine's own";
    EXPECT_EQ(ipv6("0064ff9b000000000000000101020304"), "020064ff9b") << "not quite NAT64";
    EXPECT_EQ(ipv6("00000000000000000000000000000002"), "0200000000");
    EXPECT_EQ(ipv6("20030102030400000000000000000001"), "0220030102");
}

TEST(PeerAddress, TellsHostsApartAsFarAsTheirAddressesShow) {
    const auto key = [](AddressKind kind, const char* host, std::uint16_t port = 1) {
        return chain::to_hex(host_key({kind, *chain::from_hex(host), port}));
    };
    EXPECT_EQ(key(AddressKind::ipv4, "01020304", 1), "0101020304");
    EXPECT_EQ(key(AddressKind::ipv4, "01020304", 2), "0101020304");
    EXPECT_EQ(key(AddressKind::ipv6, "0064ff9b000000000000000001020304"), "0101020304") << "NAT64";
    EXPECT_EQ(key(AddressKind::ipv6, "20020102030400000000000000000001"), "0101020304") << "6to4";
    EXPECT_EQ(key(AddressKind::ipv6, "2a000001000200030000000000000001"), "022a00000100020003");
    EXPECT_EQ(key(AddressKind::ipv6, "2a00000100020003ffffffffffffffff"), "022a00000100020003");
    const std::string onion(64, 'b');
    EXPECT_EQ(key(AddressKind::onion, onion.c_str()), "04" + onion);
}

TEST(PeerAddress, UnwrapsIpv4AndRefusesOldOnions) {
    const auto mapped = from_ipv6_bytes(*chain::from_hex("00000000000000000000ffff01020304"), 7);
    EXPECT_EQ(mapped, (PeerAddress{AddressKind::ipv4, {1, 2, 3, 4}, 7}));
    const auto plain = from_ipv6_bytes(*chain::from_hex("2a000000000000000000000000000001"), 7);
    EXPECT_EQ(plain->kind, AddressKind::ipv6);
    EXPECT_FALSE(from_ipv6_bytes(*chain::from_hex("fd87d87eeb4300000000000000000001"), 7));
    EXPECT_FALSE(from_ipv6_bytes(Bytes(15), 7));
}

}  // namespace
}  // namespace petal::net
