#include "net/wire/peer_address.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <ostream>
#include <string>

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

TEST(PeerAddress, IsPublicOnlyIfItCanBeDialled) {
    EXPECT_TRUE(is_public({AddressKind::ipv4, {8, 8, 8, 8}, 1}));
    EXPECT_FALSE(is_public({AddressKind::ipv4, {8, 8, 8, 8}, 0}));
    EXPECT_FALSE(is_public({AddressKind::ipv4, Bytes(16, 8), 1}));
    EXPECT_TRUE(is_public({AddressKind::ipv6, Bytes(16, 0x2a), 1}));
    EXPECT_FALSE(is_public({AddressKind::ipv6, Bytes(4, 0x2a), 1}));
    EXPECT_TRUE(is_public({AddressKind::onion, Bytes(32, 7), 1}));
    EXPECT_FALSE(is_public({AddressKind::onion, Bytes(10, 7), 1}));
}

/// The first and the last address that are not public, and the public ones beside them; without
/// their last 96 bits for IPv6.
struct ReservedRange {
    std::string name;
    AddressKind kind;
    std::string before;  // empty if there is none
    std::string first;
    std::string last;
    std::string after;  // empty if there is none
};

void PrintTo(const ReservedRange& row, std::ostream* out) {
    *out << row.name;
}

class ReservedRanges : public testing::TestWithParam<ReservedRange> {
protected:
    static bool is_public_host(const std::string& start, char filler) {
        const std::string host =
            start + std::string(2 * address_bytes(GetParam().kind) - 8, filler);
        return is_public({GetParam().kind, chain::from_hex(host).value(), 8333});
    }
};

TEST_P(ReservedRanges, AreNotPublic) {
    const auto& [name, kind, before, first, last, after] = GetParam();
    if (!before.empty()) {
        EXPECT_TRUE(is_public_host(before, 'f'));
    }
    EXPECT_FALSE(is_public_host(first, '0'));
    EXPECT_FALSE(is_public_host(last, 'f'));
    if (!after.empty()) {
        EXPECT_TRUE(is_public_host(after, '0'));
    }
}

constexpr auto kIpv4 = AddressKind::ipv4;
constexpr auto kIpv6 = AddressKind::ipv6;

// Sources: RFC 6890, 5737 and 2544 for IPv4; RFC 4291, 3849, 4843, 7343, 4380 and 3056 for IPv6.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Wire, ReservedRanges, testing::ValuesIn(std::initializer_list<ReservedRange>{
    {"ThisNetwork",           kIpv4, "",         "00000000", "00ffffff", "01000000"},
    {"PrivateUseOf10",        kIpv4, "09ffffff", "0a000000", "0affffff", "0b000000"},
    {"SharedAddresses",       kIpv4, "643fffff", "64400000", "647fffff", "64800000"},
    {"Loopback",              kIpv4, "7effffff", "7f000000", "7fffffff", "80000000"},
    {"LinkLocal",             kIpv4, "a9fdffff", "a9fe0000", "a9feffff", "a9ff0000"},
    {"PrivateUseOf172",       kIpv4, "ac0fffff", "ac100000", "ac1fffff", "ac200000"},
    {"ProtocolAssignments",   kIpv4, "bfffffff", "c0000000", "c00000ff", "c0000100"},
    {"Documentation1",        kIpv4, "c00001ff", "c0000200", "c00002ff", "c0000300"},
    {"PrivateUseOf192",       kIpv4, "c0a7ffff", "c0a80000", "c0a8ffff", "c0a90000"},
    {"Benchmarking",          kIpv4, "c611ffff", "c6120000", "c613ffff", "c6140000"},
    {"Documentation2",        kIpv4, "c63363ff", "c6336400", "c63364ff", "c6336500"},
    {"Documentation3",        kIpv4, "cb0070ff", "cb007100", "cb0071ff", "cb007200"},
    {"MulticastAndAbove",     kIpv4, "dfffffff", "e0000000", "ffffffff", ""},
    {"BelowGlobalUnicast",    kIpv6, "",         "00000000", "1fffffff", "20000000"},
    {"Teredo",                kIpv6, "2000ffff", "20010000", "20010000", "20010001"},
    {"Orchid",                kIpv6, "2001000f", "20010010", "2001001f", ""},
    {"OrchidVersion2",        kIpv6, "",         "20010020", "2001002f", "20010030"},
    {"DocumentationOfIpv6",   kIpv6, "20010db7", "20010db8", "20010db8", "20010db9"},
    {"Of6to4",                kIpv6, "2001ffff", "20020000", "2002ffff", "20030000"},
    {"AboveGlobalUnicast",    kIpv6, "3fffffff", "40000000", "ffffffff", ""},
}), [](const auto& row) { return row.param.name; });
// clang-format on

}  // namespace
}  // namespace petal::net
