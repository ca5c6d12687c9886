/// From a peer's name to an open connection.
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

/// Why no connection came about; the later of two says more.
enum class DialError : std::uint8_t {
    unreachable,  ///< the network or this machine refuses
    timed_out,
    refused,          ///< the host is there, and nothing listens on the port
    unknown_host,     ///< the name has no address
    name_unanswered,  ///< no name server could be asked, or none answered in time
    onion_without_proxy,
    no_way_by_proxy,  ///< the proxy can't connect there, for whatever reason
    proxy_unreachable,
    proxy_silent,
    proxy_hung_up,
    proxy_refuses,  ///< its rules, its login, or the kind of address
    not_a_proxy,    ///< what answers does not speak SOCKS5
};

std::string_view describe(DialError error);

/// Whether it is about the proxy, and tells nothing of the host behind it.
bool is_about_proxy(DialError error);

/// Connects to the first of the host's addresses that takes the connection, each being given its
/// share of `limit`, which bounds the whole, the asking for the name included.
/// When none takes it, fails with the most telling of their errors. An onion service's name is
/// never looked up (RFC 7686).
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial(
    Endpoint endpoint, std::chrono::milliseconds limit);

/// Has the SOCKS5 proxy connect, and resolve the name where the host is one; `limit` bounds the
/// whole. The proxy is told another user name and password each time (Socks5Credentials).
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial_through(
    Endpoint proxy, Endpoint endpoint, std::chrono::milliseconds limit);

/// dial_through() where there is a proxy, else dial().
boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial_by(
    std::optional<Endpoint> proxy, Endpoint endpoint, std::chrono::milliseconds limit);

}  // namespace petal::net
