/// Between addresses as nodes gossip them and as they are dialled.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <optional>

#include "net/io/endpoint.h"
#include "net/wire/peer_address.h"

namespace petal::net {

Endpoint endpoint_of(const PeerAddress& address);

/// Nothing where the host is a name, other than an onion service's.
std::optional<PeerAddress> address_of(const Endpoint& endpoint);

PeerAddress address_of(const boost::asio::ip::address& host, std::uint16_t port);

}  // namespace petal::net
