/// Opens a connection to a peer by its name.
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

/// Why no connection was made. Of several errors, the last one in this order is reported.
enum class DialError : std::uint8_t {
    unreachable,  ///< rejected by the network or by this machine
    timed_out,
    refused,       ///< the host answers, but nothing listens on the port
    unknown_host,  ///< the name has no address
    dns_failed,    ///< no name server could be asked, or none answered in time
    onion_without_proxy,
    proxy_host_unreachable,  ///< the proxy can't connect to the host, for any reason
    proxy_unreachable,
    proxy_timed_out,
    proxy_closed,
    proxy_denied,  ///< its rules, its login, or the kind of address
    not_a_proxy,   ///< its answer is not SOCKS5
};

std::string_view describe(DialError error);

/// Whether the proxy failed, so that nothing is known about the host behind it.
bool is_about_proxy(DialError error);

/// Whether the failure proves that this machine is online: a public address refused the connection.
/// A refused loopback connection proves nothing about the network.
bool proves_connectivity(const Endpoint& peer, DialError error);

/// Connects to the first of the host's addresses that accepts. `limit` is for all of this,
/// including the DNS lookup; each address is given its share. If none accepts, fails with the last
/// of their errors in DialError's order. An onion service's name is never looked up (RFC 7686).
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial(
    Endpoint endpoint, std::chrono::milliseconds limit);

/// Connects through the SOCKS5 proxy, which also resolves host names; `limit` is for all of this.
/// Each connection uses another user name and password (Socks5Credentials).
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial_through(
    Endpoint proxy, Endpoint endpoint, std::chrono::milliseconds limit);

/// dial_through() if there is a proxy, else dial().
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial_by(
    std::optional<Endpoint> proxy, Endpoint endpoint, std::chrono::milliseconds limit);

}  // namespace petal::net
