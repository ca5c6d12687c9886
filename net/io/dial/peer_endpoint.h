/// Between addresses as nodes gossip them and as they are dialled.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>

#include "net/io/dial/endpoint.h"
#include "net/peer/peer_identity.h"
#include "net/wire/peer_address.h"

namespace petal::net {

Endpoint endpoint_of(const PeerAddress& address);

/// Empty if the host is a name, other than an onion service's.
std::optional<PeerAddress> address_of(const Endpoint& endpoint);

PeerAddress address_of(const boost::asio::ip::address& host, std::uint16_t port);

/// The identity of the node that was dialled. Names that differ in case, in a final dot, or in the
/// label by which a seed is asked for services (dns_seed_names()) count as one node. `localhost`
/// (RFC 6761) is the same as its address.
/// reached   the address that took the connection; empty if a proxy made it, as only the proxy
/// knows
PeerIdentity identity_of(const Endpoint& dialled,
                         const std::optional<boost::asio::ip::address>& reached = std::nullopt);

/// The identity of an open connection, which the proxy made if there is one.
PeerIdentity identity_of(const Endpoint& dialled, const boost::asio::ip::tcp::socket& socket,
                         const std::optional<Endpoint>& proxy);

}  // namespace petal::net
