/// Which addresses are of one host.
#pragma once

#include "chain/bytes.h"
#include "net/wire/peer_address.h"

namespace petal::net {

/// The host of an address: the IPv4 address that an IPv6 one carries (mapped, NAT64, 6to4) or
/// loopback for ::1, else itself. The owner of one has the other too.
PeerAddress underlying(const PeerAddress& address);

/// The host, as far as it shows: equal for an IPv4 address and IPv6 ones that carry it, and for
/// IPv6 addresses of one /64, as one machine may have them all. The kind comes first; never the
/// port.
chain::Bytes host_key(const PeerAddress& address);

}  // namespace petal::net
