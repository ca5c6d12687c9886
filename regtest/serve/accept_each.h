/// Accepts connections on a port.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

namespace petal::regtest {

namespace asio = boost::asio;

namespace asio = boost::asio;

/// Accepts connections until the acceptor is closed.
/// on_connection   takes over each connection, and may start detached coroutines
asio::awaitable<void> accept_each(std::shared_ptr<asio::ip::tcp::acceptor> acceptor,
                                  std::function<void(asio::ip::tcp::socket)> on_connection);

}  // namespace petal::regtest
