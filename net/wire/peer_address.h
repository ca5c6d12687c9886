/// Addresses of nodes as the protocol gossips them (BIP155).
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

struct PeerAddress {
    AddressKind kind = AddressKind::ipv4;
    chain::Bytes host;  ///< as many bytes as the kind has, in network order
    std::uint16_t port = 0;

    auto operator<=>(const PeerAddress&) const = default;
};

/// The prefix of an IPv4 address that is mapped into IPv6.
inline constexpr std::array<chain::Byte, 12> kMappedIpv4 = {0, 0, 0, 0, 0,    0,
                                                            0, 0, 0, 0, 0xff, 0xff};

/// An address from the 16 bytes that `addr` carries, where IPv4 is mapped into IPv6. Nothing for
/// what is embedded in IPv6 otherwise (OnionCat: an onion service of version 2).
std::optional<PeerAddress> from_ipv6_bytes(chain::ByteView bytes, std::uint16_t port);

/// Whether the address can be accepted from gossip: not a private, local, reserved or documentation
/// address (Bitcoin Core: CNetAddr::IsRoutable), and with a port.
bool is_public(const PeerAddress& address);

/// The likely operator of an address, as far as it shows (Bitcoin Core: NetGroupManager): its /16
/// for IPv4, also where IPv6 carries that (mapped, NAT64, 6to4), or is this machine's own ::1; its
/// /32 for IPv6 else; for an onion service four bits of its key. The kind comes first; never the
/// port.
chain::Bytes network_group(const PeerAddress& address);

}  // namespace petal::net
