/// Opens a connection to a peer by name or address.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "chain/expected.h"
#include "net/io/dial/endpoint.h"

namespace petal::net {

/// Why no connection was made. If several addresses fail, the last error in this order is reported.
enum class DialError : std::uint8_t {
    unreachable,  ///< rejected by the network or this machine
    timed_out,
    refused,       ///< host reached, but nothing listens on the port
    unknown_host,  ///< the name has no address
    dns_failed,    ///< no name server reachable, or no answer in time
    onion_without_proxy,
    proxy_host_unreachable,  ///< the proxy cannot connect to the host, for any reason
    proxy_unreachable,
    proxy_timed_out,
    proxy_closed,
    proxy_denied,  ///< by the proxy's rules or login, or for the kind of address
    not_a_proxy,   ///< answer is not SOCKS5
};

std::string_view describe(DialError error);

/// Whether the proxy failed, so that nothing is known about the host.
bool is_about_proxy(DialError error);

/// Whether the failure proves that this machine is online: a public address refused the connection.
/// A refused loopback connection proves nothing.
bool proves_connectivity(const Endpoint& peer, DialError error);

/// Connects to the first of the host's addresses that accepts. `limit` includes the DNS lookup, and
/// each address gets a share of the remaining time. If no address accepts, fails with the last of
/// the errors in DialError's order. The name of an onion service is never looked up in DNS (RFC
/// 7686).
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial(
    Endpoint endpoint, std::chrono::milliseconds limit);

/// Connects through the SOCKS5 proxy, which also resolves names. `limit` includes the proxy's
/// answer. Each connection uses its own user name and password (Socks5Credentials).
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial_through(
    Endpoint proxy, Endpoint endpoint, std::chrono::milliseconds limit);

/// dial_through() if there is a proxy, otherwise dial().
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial_by(
    std::optional<Endpoint> proxy, Endpoint endpoint, std::chrono::milliseconds limit);

}  // namespace petal::net
