/// Addresses of nodes as gossiped by the protocol (BIP155).
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
    onion = 4,  ///< an onion service's key, version 3: 32 bytes
};

/// The number of bytes of an address of this kind.
std::size_t address_bytes(AddressKind kind);

/// The number of bytes of an address of the network with this number in BIP155. Empty for a network
/// that petal does not know: its addresses may have any length.
std::optional<std::size_t> address_bytes_on(std::uint8_t network);

struct PeerAddress {
    AddressKind kind = AddressKind::ipv4;
    chain::Bytes host;  ///< in network order, of the kind's length
    std::uint16_t port = 0;

    auto operator<=>(const PeerAddress&) const = default;
};

/// The prefix of an IPv4 address that is mapped into IPv6.
inline constexpr std::array<chain::Byte, 12> kMappedIpv4 = {0, 0, 0, 0, 0,    0,
                                                            0, 0, 0, 0, 0xff, 0xff};

/// An address from the 16 bytes in `addr`, in which IPv4 is mapped into IPv6. Nothing for other
/// networks embedded in IPv6 (OnionCat: an onion service of version 2).
std::optional<PeerAddress> from_ipv6_bytes(chain::ByteView bytes, std::uint16_t port);

/// Whether the address can be accepted from gossip: not a private, local, reserved or documentation
/// address (Bitcoin Core: CNetAddr::IsRoutable), and with a port.
bool is_public(const PeerAddress& address);

/// The likely operator of an address, as far as the address shows it (Bitcoin Core:
/// NetGroupManager): its /16 for IPv4, even if embedded in IPv6 (mapped, NAT64, 6to4) or this
/// machine's own ::1; its /32 for other IPv6; for an onion service four bits of its key. Starts
/// with the kind; excludes the port.
chain::Bytes network_group(const PeerAddress& address);

}  // namespace petal::net
