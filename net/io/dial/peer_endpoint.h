/// Converts between node addresses and endpoints.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>

#include "net/io/dial/endpoint.h"
#include "net/peer/peer_identity.h"
#include "net/wire/peer_address.h"

namespace petal::net {

Endpoint endpoint_of(const PeerAddress& address);

/// Empty if the host is a name, except for the name of an onion service.
std::optional<PeerAddress> address_of(const Endpoint& endpoint);

PeerAddress address_of(const boost::asio::ip::address& host, std::uint16_t port);

/// The identity of the dialled node. Names count as one node if they differ only in case, in a
/// final dot, or in the label that selects services at a DNS seed (dns_seed_names()). `localhost`
/// is the loopback address (RFC 6761).
/// reached   the address that accepted the connection. Empty through a proxy, because only the
///           proxy knows the address
PeerIdentity identity_of(const Endpoint& dialled,
                         const std::optional<boost::asio::ip::address>& reached = std::nullopt);

/// The identity of an open connection, possibly through a proxy.
PeerIdentity identity_of(const Endpoint& dialled, const boost::asio::ip::tcp::socket& socket,
                         const std::optional<Endpoint>& proxy);

}  // namespace petal::net
