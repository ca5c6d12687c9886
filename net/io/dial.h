/// From a peer's name to an open connection.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "chain/expected.h"
#include "net/io/endpoint.h"

namespace petal::net {

/// Why no connection came about; the later of two says more.
enum class DialError : std::uint8_t {
    unreachable,  ///< the network or this machine refuses
    timed_out,
    refused,       ///< the host is there, and nothing listens on the port
    unknown_host,  ///< the name has no address, or nobody could be asked in time
};

std::string_view describe(DialError error);

/// Connects to the first of the host's addresses that takes the connection, each being given its
/// share of `limit`, which bounds the whole, the asking for the name included.
/// When none takes it, fails with the most telling of their errors.
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial(
    Endpoint endpoint, std::chrono::milliseconds limit);

}  // namespace petal::net
