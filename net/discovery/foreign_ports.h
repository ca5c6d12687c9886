/// Ports of services other than Bitcoin.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "net/wire/peer_address.h"

namespace petal::net {

/// Ports of services that may take a connection for an attack (Bitcoin Core: IsBadPort, and
/// doc/p2p-bad-ports.md; 80 and 443, which are public, are not among them). Ascending.
inline constexpr std::array<std::uint16_t, 80> kForeignPorts{
    1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,   25,   37,
    42,   43,   53,   69,   77,   79,   87,   95,   101,  102,  103,  104,  109,  110,
    111,  113,  115,  117,  119,  123,  135,  137,  139,  143,  161,  179,  389,  427,
    465,  512,  513,  514,  515,  526,  530,  531,  532,  540,  548,  554,  556,  563,
    587,  601,  636,  989,  990,  993,  995,  1719, 1720, 1723, 2049, 3659, 4045, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080};
static_assert(std::ranges::is_sorted(kForeignPorts));

/// Whether a peer may have gossiped this address so that the service there is flooded with
/// connections. Not so for an onion service, whose port its owner chose.
inline bool is_foreign_port(const PeerAddress& address) {
    return address.kind != AddressKind::onion &&
           std::ranges::binary_search(kForeignPorts, address.port);
}

}  // namespace petal::net
