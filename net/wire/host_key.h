/// Identifies the host of an address.
#pragma once

#include "chain/bytes.h"
#include "net/wire/peer_address.h"

namespace petal::net {

/// The host of an address: the IPv4 address embedded in an IPv6 one (mapped, NAT64, 6to4) or
/// loopback for ::1, else the address itself. Both have the same owner.
PeerAddress underlying(const PeerAddress& address);

/// A key for the host, as far as the address shows it: equal for an IPv4 address and IPv6 ones that
/// embed it, and for IPv6 addresses of one /64, as one machine may have them all. Starts with the
/// kind; excludes the port.
chain::Bytes host_key(const PeerAddress& address);

}  // namespace petal::net
