/// The nodes that a server connects to.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "net/io/dial/endpoint.h"
#include "net/io/dial/first_of.h"

namespace petal::regtest {

namespace asio = boost::asio;

/// Dials nodes. A second after a connection ended or failed, dials again (Bitcoin Core: addnode).
/// Runs on the given io_context. Must outlive its coroutines, which end once stop() was called and
/// the connections have ended.
class AddedNodes {
public:
    /// Serves a connection until it ends.
    using Serve = std::function<asio::awaitable<void>(asio::ip::tcp::socket)>;

    AddedNodes(asio::io_context& io, Serve serve) : io_(io), serve_(std::move(serve)) {}

    /// Returns false if the node was added before. While dialling is stopped, the node is dialled
    /// after resume().
    bool add(const net::Endpoint& endpoint);
    /// Removes a node. An open connection stays. Returns false if the node was not added.
    bool remove(const net::Endpoint& endpoint);
    /// The nodes of add().
    const std::vector<net::Endpoint>& endpoints() const { return added_; }
    /// Dials once, unless dialling is stopped.
    void try_once(const net::Endpoint& endpoint);

    /// Stops dialling. The nodes stay added.
    void stop();
    /// Resumes dialling.
    void resume();

private:
    struct Dialling {
        Dialling(const net::Endpoint& place, bool once, const asio::any_io_executor& executor)
            : endpoint(place), is_once(once), end(executor) {}

        net::Endpoint endpoint;
        bool is_once;
        bool is_over = false;
        net::Event end;
    };
    using Shared = std::shared_ptr<Dialling>;

    void start(const net::Endpoint& endpoint, bool once);
    asio::awaitable<void> run(Shared dialling);
    asio::awaitable<void> connect_and_serve(Shared dialling);
    static asio::awaitable<void> dial_into(net::Endpoint endpoint,
                                           std::optional<asio::ip::tcp::socket>& socket);

    asio::io_context& io_;
    Serve serve_;
    std::vector<net::Endpoint> added_;
    std::vector<std::weak_ptr<Dialling>> dialling_;
    bool is_stopped_ = false;
};

}  // namespace petal::regtest
