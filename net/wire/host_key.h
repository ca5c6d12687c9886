/// Identifies the host of an address.
#pragma once

#include "chain/bytes.h"
#include "net/wire/peer_address.h"

namespace petal::net {

/// The address of the same host without IPv6 embedding: the embedded IPv4 address of a mapped,
/// NAT64 or 6to4 address, 127.0.0.1 for ::1, otherwise the address unchanged.
PeerAddress underlying(const PeerAddress& address);

/// A key for the host, which starts with the address kind and excludes the port. IPv6 addresses
/// that embed an IPv4 address have the key of the IPv4 address. All IPv6 addresses of a /64 share a
/// key, because one machine may own a whole /64.
chain::Bytes host_key(const PeerAddress& address);

}  // namespace petal::net
