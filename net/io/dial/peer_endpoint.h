/// Converts between gossiped node addresses and endpoints for dialling.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>

#include "net/io/dial/endpoint.h"
#include "net/peer/peer_identity.h"
#include "net/wire/peer_address.h"

namespace petal::net {

Endpoint endpoint_of(const PeerAddress& address);

/// Empty if the host is a name, except for an onion service's.
std::optional<PeerAddress> address_of(const Endpoint& endpoint);

PeerAddress address_of(const boost::asio::ip::address& host, std::uint16_t port);

/// The identity of the node that was dialled. Names that differ in case, in a final dot, or in the
/// label that selects services at a seed (dns_seed_names()) count as one node. `localhost` (RFC
/// 6761) is the same as its address.
/// reached   the address that accepted the connection; empty for a connection by proxy, as only the
///           proxy knows it
PeerIdentity identity_of(const Endpoint& dialled,
                         const std::optional<boost::asio::ip::address>& reached = std::nullopt);

/// The identity of an open connection, made by the proxy if there is one.
PeerIdentity identity_of(const Endpoint& dialled, const boost::asio::ip::tcp::socket& socket,
                         const std::optional<Endpoint>& proxy);

}  // namespace petal::net
