/// Addresses of nodes, as `addr` and `addrv2` gossip them (BIP155).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/bytes.h"

namespace petal::net {

/// The networks that petal can reach, with BIP155's numbers.
enum class AddressKind : std::uint8_t {
    ipv4 = 1,   ///< 4 bytes
    ipv6 = 2,   ///< 16 bytes
    onion = 4,  ///< Tor v3: the service's public key, 32 bytes
};

std::size_t address_bytes(AddressKind kind);

/// The number of bytes of an address, by BIP155 network number. Empty for a network that petal does
/// not know, whose addresses may have any length.
std::optional<std::size_t> address_bytes_on(std::uint8_t network);

struct PeerAddress {
    AddressKind kind = AddressKind::ipv4;
    chain::Bytes host;  ///< network order, address_bytes(kind) bytes
    std::uint16_t port = 0;

    auto operator<=>(const PeerAddress&) const = default;
};

/// The prefix of IPv4-mapped IPv6 addresses.
inline constexpr std::array<chain::Byte, 12> kMappedIpv4 = {0, 0, 0, 0, 0,    0,
                                                            0, 0, 0, 0, 0xff, 0xff};

/// The address in the 16 bytes of an `addr` entry, which maps IPv4 into IPv6. Empty for Tor v2
/// (OnionCat).
std::optional<PeerAddress> from_ipv6_bytes(chain::ByteView bytes, std::uint16_t port);

/// Whether the address is accepted from gossip: it has a port, and is not private, local, reserved
/// or for documentation (Bitcoin Core: CNetAddr::IsRoutable).
bool is_public(const PeerAddress& address);

/// A key for the likely operator of an address (Bitcoin Core: NetGroupManager). It consists of the
/// address kind and a part of the address without the port:
///
/// - IPv4: the /16. An embedded IPv4 address counts as IPv4 (mapped, NAT64, 6to4), and ::1 as
///   127.0.0.1.
/// - IPv6: the /32.
/// - Tor: four bits of the public key.
chain::Bytes network_group(const PeerAddress& address);

}  // namespace petal::net
