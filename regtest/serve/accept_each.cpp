#include "regtest/serve/accept_each.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "net/io/dial/first_of.h"

namespace petal::regtest {

namespace {

constexpr std::chrono::milliseconds kPauseAfterFailure{20};

}  // namespace

asio::awaitable<void> accept_each(std::shared_ptr<asio::ip::tcp::acceptor> acceptor,
                                  std::function<void(asio::ip::tcp::socket)> on_connection) {
    while (acceptor->is_open()) {
        auto [error, socket] = co_await acceptor->async_accept(asio::as_tuple(asio::use_awaitable));
        // A connection may have been accepted before another handler closed the acceptor.
        if (error == asio::error::operation_aborted || !acceptor->is_open()) co_return;
        if (error) {  // out of file descriptors, or the client is gone
            co_await net::pause_for(kPauseAfterFailure);
        } else {
            on_connection(std::move(socket));
        }
    }
}

}  // namespace petal::regtest
