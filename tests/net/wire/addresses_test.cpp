// addr and addrv2: the node addresses that peers gossip.
#include <gtest/gtest.h>

#include "net/wire/codec.h"

namespace petal::net {
namespace {

using chain::Bytes;
using chain::DecodeError;

chain::Expected<Message, DecodeError> decode(std::string_view command, const Bytes& payload) {
    return decode_message(Frame{command, payload});
}

std::vector<GossipedAddress> addresses_in(std::string_view command, const std::string& hex) {
    const auto message = decode(command, *chain::from_hex(hex));
    if (!message) return {};
    if (const auto* addr = std::get_if<Addr>(&*message)) return addr->addresses;
    return std::get<AddrV2>(*message).addresses;
}

// Bitcoin Core: netbase_tests.cpp, caddress_serialize_v2_tests: ::1 twice, and another IPv6
// address.
constexpr const char* kCoreSample =
    "03"
    "61bc6649"
    "00"
    "02"
    "10"
    "00000000000000000000000000000001"
    "0000"
    "79627683"
    "01"
    "02"
    "10"
    "00000000000000000000000000000001"
    "00f1"
    "ffffffff"
    "fd4804"
    "02"
    "10"
    "00000000000000000000000000000001"
    "f1f2";

TEST(Addresses, ReadsBitcoinCoresSample) {
    const auto addresses = addresses_in("addrv2", kCoreSample);
    ASSERT_EQ(addresses.size(), 3U);
    EXPECT_EQ(addresses[0].time, 0x4966bc61);
    EXPECT_EQ(addresses[1].services, 1U);
    EXPECT_EQ(addresses[1].address.port, 0x00f1);
    EXPECT_EQ(addresses[2].services, 0x448U);
    EXPECT_EQ(addresses[2].address.port, 0xf1f2);
    EXPECT_EQ(chain::to_hex(encode_payload(AddrV2{addresses})), kCoreSample);
}

TEST(Addresses, ReadsIpv4InAddr) {
    const auto addresses = addresses_in("addr",
                                        "01"
                                        "e215104d"
                                        "0100000000000000"
                                        "00000000000000000000ffff0a000001"
                                        "208d");
    ASSERT_EQ(addresses.size(), 1U);
    EXPECT_EQ(addresses[0].time, 0x4d1015e2);
    EXPECT_EQ(addresses[0].address, (PeerAddress{AddressKind::ipv4, {10, 0, 0, 1}, 8333}));
}

std::string v2_entry(const char* network, std::size_t size, const std::string& size_hex) {
    return std::string("01") + "00000000" + "04" + network + size_hex + std::string(2 * size, '2') +
           "208d";
}

TEST(Addresses, SkipsNetworksThatPetalCannotReach) {
    for (const auto& hex :
         {v2_entry("03", 10, "0a"), v2_entry("05", 32, "20"), v2_entry("06", 16, "10"),
          v2_entry("07", 16, "10"), v2_entry("ff", 512, "fd0002"), v2_entry("00", 0, "00")}) {
        EXPECT_TRUE(decode("addrv2", *chain::from_hex(hex)).has_value()) << hex;
        EXPECT_TRUE(addresses_in("addrv2", hex).empty()) << hex;
    }
}

TEST(Addresses, RefusesWrongLengths) {
    for (const auto& hex :
         {v2_entry("01", 5, "05"), v2_entry("01", 3, "03"), v2_entry("02", 4, "04"),
          v2_entry("04", 31, "1f"), v2_entry("05", 33, "21"), v2_entry("06", 4, "04"),
          v2_entry("ff", 513, "fd0102")}) {
        EXPECT_FALSE(decode("addrv2", *chain::from_hex(hex)).has_value()) << hex;
    }
}

TEST(Addresses, SkipsWhatIsWrappedInIpv6) {
    const std::string head =
        "01"
        "00000000"
        "04"
        "02"
        "10";
    for (const char* host :
         {"00000000000000000000ffff01020304", "fd87d87eeb4300000000000000000001"}) {
        EXPECT_TRUE(addresses_in("addrv2", head + host + "208d").empty()) << host;
    }
}

TEST(Addresses, TakesAThousandAndNoMore) {
    const GossipedAddress one{{AddressKind::ipv4, {1, 2, 3, 4}, 5}, 1, 2};
    for (const std::size_t count : {kMaxAddresses, kMaxAddresses + 1}) {
        const std::vector<GossipedAddress> many(count, one);
        const bool allowed = count <= kMaxAddresses;
        EXPECT_EQ(decode("addr", encode_payload(Addr{many})).has_value(), allowed);
        EXPECT_EQ(decode("addrv2", encode_payload(AddrV2{many})).has_value(), allowed);
    }
}

TEST(Addresses, RefusesEveryCut) {
    const Bytes whole = *chain::from_hex(kCoreSample);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(decode("addrv2", cut).has_value()) << size;
    }
}

}  // namespace
}  // namespace petal::net
