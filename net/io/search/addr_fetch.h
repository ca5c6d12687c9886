/// Connections that only request addresses from a node.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>

#include "chain/expected.h"
#include "net/discovery/addr_collector.h"
#include "net/peer/handshake.h"
#include "net/wire/message_header.h"

namespace petal::net {

/// The node's answer, or why there is no answer.
using FetchedAddresses = chain::Expected<AddrCollector, DisconnectReason>;

/// Completes the handshake over an open connection, requests addresses, waits for a message with
/// more than one (a single address may be the node's own), and closes the connection (Bitcoin Core:
/// addr-fetch connections). Sends neither a filter nor other requests. Never throws because of the
/// node.
/// ours    our version message, with a nonce that no other connection uses
/// limit   the time limit for the node
boost::asio::awaitable<FetchedAddresses> run_addr_fetch(boost::asio::ip::tcp::socket socket,
                                                        Magic magic, Version ours,
                                                        std::chrono::milliseconds limit);

}  // namespace petal::net
