/// Connections that only ask a node for addresses.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>

#include "chain/expected.h"
#include "net/discovery/addr_collector.h"
#include "net/peer/handshake.h"
#include "net/wire/message_header.h"

namespace petal::net {

/// The node's answer, or why there is none.
using FetchedAddresses = chain::Expected<AddrCollector, DisconnectReason>;

/// Makes the handshake over an open connection, asks for addresses, waits for a message with
/// several (a single one may be the node's own), and closes the connection (Bitcoin Core:
/// addr-fetch connections). Sends neither a filter nor other requests. Never throws because of the
/// node.
/// ours    our version message; its nonce must be the connection's own
/// limit   the node's time limit
boost::asio::awaitable<FetchedAddresses> run_addr_fetch(boost::asio::ip::tcp::socket socket,
                                                        Magic magic, Version ours,
                                                        std::chrono::milliseconds limit);

}  // namespace petal::net
