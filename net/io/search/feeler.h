/// Feelers: connections that only find out whether a node of use is there.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>

#include "chain/expected.h"
#include "net/peer/handshake.h"
#include "net/wire/message_header.h"

namespace petal::net {

/// The services of a node that is of use, or why it is none.
using FeelerAnswer = chain::Expected<std::uint64_t, DisconnectReason>;

/// Says who we are over a connection that stands, waits for the node's version message, and closes
/// the connection (Bitcoin Core: feeler connections). The node is sent no filter, and is asked for
/// nothing. Never throws for what the node does.
/// ours    our version message; its nonce must be the connection's own
/// aims    what a node of use serves
/// limit   how long the node may take
boost::asio::awaitable<FeelerAnswer> run_feeler(boost::asio::ip::tcp::socket socket, Magic magic,
                                                Version ours, HandshakeAims aims,
                                                std::chrono::milliseconds limit);

}  // namespace petal::net
