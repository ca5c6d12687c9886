/// Short connections without an engine: feelers, and requests for addresses.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>

#include "chain/expected.h"
#include "net/discovery/addr_collector.h"
#include "net/peer/handshake.h"
#include "net/wire/message_header.h"

namespace petal::net {

/// The node's services, or why there is no answer.
using FeelerAnswer = chain::Expected<std::uint64_t, DisconnectReason>;
/// The node's addresses, or why there is no answer.
using FetchedAddresses = chain::Expected<AddrCollector, DisconnectReason>;

/// Sends our version over an open connection, waits for the node's version message, and closes the
/// connection (Bitcoin Core: feeler connections). Sends neither a filter nor requests. Never throws
/// because of the node.
/// unix_time   the current time
/// limit       the time limit for the node
boost::asio::awaitable<FeelerAnswer> run_feeler(boost::asio::ip::tcp::socket socket, Magic magic,
                                                std::int64_t unix_time,
                                                std::chrono::milliseconds limit);

/// Completes the handshake over an open connection, requests addresses, waits for a message with
/// more than one address, since a single address may be the node's own, and closes the connection
/// (Bitcoin Core: addr-fetch connections). Otherwise like run_feeler().
boost::asio::awaitable<FetchedAddresses> run_addr_fetch(boost::asio::ip::tcp::socket socket,
                                                        Magic magic, std::int64_t unix_time,
                                                        std::chrono::milliseconds limit);

}  // namespace petal::net
