#include "net/wire/host_key.h"

#include <algorithm>
#include <array>

#include "chain/byte_writer.h"

namespace petal::net {

namespace {

/// The IPv6 prefixes that embed an IPv4 address, and the offset of the IPv4 address.
struct CarriedIpv4 {
    std::array<chain::Byte, 12> prefix;
    std::size_t prefix_bytes;
    std::size_t place;
};
constexpr std::array kCarriedIpv4 = {
    CarriedIpv4{kMappedIpv4, 12, 12},
    CarriedIpv4{{0x00, 0x64, 0xff, 0x9b}, 12, 12},  // NAT64 (RFC 6052)
    CarriedIpv4{{0x20, 0x02}, 2, 2},                // 6to4 (RFC 3056)
};

}  // namespace

PeerAddress underlying(const PeerAddress& address) {
    if (address.kind != AddressKind::ipv6 || address.host.size() != 16) return address;
    const chain::ByteView host = address.host;
    const auto zero = [](chain::Byte byte) { return byte == 0; };
    if (host[15] == 1 && std::ranges::all_of(host.first(15), zero)) {
        return {AddressKind::ipv4, {127, 0, 0, 1}, address.port};
    }
    for (const auto& [prefix, size, place] : kCarriedIpv4) {
        if (!std::ranges::equal(host.first(size), chain::ByteView{prefix}.first(size))) continue;
        const chain::ByteView carried = host.subspan(place, 4);
        return {AddressKind::ipv4, chain::Bytes(carried.begin(), carried.end()), address.port};
    }
    return address;
}

chain::Bytes host_key(const PeerAddress& of) {
    const PeerAddress address = underlying(of);
    std::size_t size = address.host.size();
    if (address.kind == AddressKind::ipv6) size = std::min<std::size_t>(size, 8);
    chain::ByteWriter key;
    key.u8(static_cast<chain::Byte>(address.kind)).bytes(chain::ByteView{address.host}.first(size));
    return key.take();
}

}  // namespace petal::net
