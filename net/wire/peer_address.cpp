#include "net/wire/peer_address.h"

#include <algorithm>
#include <array>

#include "chain/byte_writer.h"
#include "net/wire/host_key.h"

namespace petal::net {

namespace {

using chain::Byte;
using chain::Bytes;
using chain::ByteView;

/// A network with a number in BIP155.
struct NetworkRow {
    std::uint8_t number;
    std::size_t address_bytes;
};

constexpr std::array kNetworks = {
    NetworkRow{1, 4},   // IPv4
    NetworkRow{2, 16},  // IPv6
    NetworkRow{4, 32},  // Tor, version 3
    NetworkRow{5, 32},  // I2P
    NetworkRow{6, 16},  // CJDNS
};

constexpr std::array<Byte, 6> kOnionCat = {0xfd, 0x87, 0xd8, 0x7e, 0xeb, 0x43};

struct Range {
    std::array<Byte, 4> start;
    unsigned bits;
};

// RFC 6890, RFC 5737, RFC 2544, RFC 6598, and multicast (224.0.0.0/4) and above.
constexpr std::array kReservedIpv4 = {
    Range{{0, 0, 0, 0}, 8},     Range{{10, 0, 0, 0}, 8},      Range{{100, 64, 0, 0}, 10},
    Range{{127, 0, 0, 0}, 8},   Range{{169, 254, 0, 0}, 16},  Range{{172, 16, 0, 0}, 12},
    Range{{192, 0, 0, 0}, 24},  Range{{192, 0, 2, 0}, 24},    Range{{192, 168, 0, 0}, 16},
    Range{{198, 18, 0, 0}, 15}, Range{{198, 51, 100, 0}, 24}, Range{{203, 0, 113, 0}, 24},
    Range{{224, 0, 0, 0}, 3},
};
// Global unicast is 2000::/3. Excluded are documentation (RFC 3849), ORCHID (RFC 4843, RFC 7343),
// and Teredo and 6to4, which embed IPv4 addresses.
constexpr std::array kReservedIpv6 = {
    Range{{0x20, 0x01, 0x0d, 0xb8}, 32}, Range{{0x20, 0x01, 0x00, 0x10}, 28},
    Range{{0x20, 0x01, 0x00, 0x20}, 28}, Range{{0x20, 0x01, 0x00, 0x00}, 32},
    Range{{0x20, 0x02, 0x00, 0x00}, 16},
};

bool is_in(ByteView host, const Range& range) {
    std::uint32_t difference = 0;
    for (std::size_t i = 0; i < range.start.size(); ++i) {
        difference = difference << 8U | static_cast<std::uint32_t>(host[i] ^ range.start[i]);
    }
    return difference >> (32U - range.bits) == 0;
}

}  // namespace

std::size_t address_bytes(AddressKind kind) {
    return address_bytes_on(static_cast<std::uint8_t>(kind)).value_or(0);
}

std::optional<std::size_t> address_bytes_on(std::uint8_t network) {
    const auto* const row = std::ranges::find(kNetworks, network, &NetworkRow::number);
    if (row == kNetworks.end()) return std::nullopt;
    return row->address_bytes;
}

std::optional<PeerAddress> from_ipv6_bytes(ByteView bytes, std::uint16_t port) {
    if (bytes.size() != 16) return std::nullopt;
    if (std::ranges::equal(bytes.first(kMappedIpv4.size()), kMappedIpv4)) {
        return PeerAddress{AddressKind::ipv4, Bytes(bytes.begin() + 12, bytes.end()), port};
    }
    if (std::ranges::equal(bytes.first(kOnionCat.size()), kOnionCat)) return std::nullopt;
    return PeerAddress{AddressKind::ipv6, Bytes(bytes.begin(), bytes.end()), port};
}

bool is_public(const PeerAddress& address) {
    if (address.port == 0 || address.host.size() != address_bytes(address.kind)) return false;
    const auto reserved = [&](const Range& range) { return is_in(address.host, range); };
    switch (address.kind) {
        case AddressKind::ipv4:
            return std::ranges::none_of(kReservedIpv4, reserved);
        case AddressKind::ipv6:
            return address.host[0] >> 5U == 1 && std::ranges::none_of(kReservedIpv6, reserved);
        case AddressKind::onion:
            return true;
    }
    return false;
}

Bytes network_group(const PeerAddress& of) {
    const PeerAddress address = underlying(of);
    std::size_t size = address.host.size();
    if (address.kind == AddressKind::ipv4) size = std::min<std::size_t>(size, 2);
    if (address.kind == AddressKind::ipv6) size = std::min<std::size_t>(size, 4);
    chain::ByteWriter group;
    group.u8(static_cast<Byte>(address.kind));
    if (address.kind == AddressKind::onion && size > 0) {
        // Keys cost nothing. With longer groups, an attacker could be in all groups (Bitcoin Core:
        // 4 bits).
        group.u8(address.host[0] & 0xf0U);
    } else {
        group.bytes(ByteView{address.host}.first(size));
    }
    return group.take();
}

}  // namespace petal::net
