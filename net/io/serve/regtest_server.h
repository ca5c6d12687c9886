/// Serves a regtest chain on a TCP port, to as many light clients as come.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "net/io/dial/first_of.h"
#include "net/io/serve/server_options.h"
#include "net/regtest/chain/regtest_chain.h"
#include "net/regtest/node_peers.h"

namespace petal::net {

/// Listens on one address. Runs on the io_context that it is given, and reads the chain on
/// that one thread; callers must change the chain there too. Transactions that clients send go
/// to the chain where it takes them, and from there to the other clients.
class RegtestServer : public NodePeers {
public:
    /// Listens from now on. `io` and `chain` must outlive the server, which must outlive what it
    /// runs in `io`: after stop_listening(), that ends by itself. Throws
    /// boost::system::system_error when the address can't be listened on.
    RegtestServer(asio::io_context& io, RegtestChain& chain, const ServerOptions& options);
    ~RegtestServer() override;
    RegtestServer(const RegtestServer&) = delete;
    RegtestServer& operator=(const RegtestServer&) = delete;

    std::uint16_t port() const { return port_; }

    /// Notifies the server that the chain has changed; otherwise it notices a little later.
    void notify_chain_changed();

    /// How the connections that come from now on are served.
    void set_behaviour(NodeBehaviour behaviour) { options_.behaviour = std::move(behaviour); }

    const NodeBehaviour& behaviour() const override { return options_.behaviour; }
    std::vector<PeerRecord> peers() const override;
    void set_behaviour_of_all(const NodeBehaviour& behaviour) override;
    void set_faults(std::uint64_t id, const NodeBehaviour& behaviour) override;
    bool disconnect(std::uint64_t id) override;

    /// Closes all connections and the port.
    void stop_listening();
    /// Listens again, on the same port.
    void resume_listening();

    std::size_t connection_count() const { return sessions_.size(); }
    /// How many connections were ever accepted.
    std::uint64_t accepted_count() const { return accepted_count_; }

private:
    class Session;
    using Sessions = std::list<std::unique_ptr<Session>>;

    Session* find(std::uint64_t id) const;
    asio::awaitable<void> accept_loop();
    asio::awaitable<void> run_session(Sessions::iterator session);
    asio::awaitable<void> clock_loop();

    asio::io_context& io_;
    RegtestChain& chain_;
    ServerOptions options_;
    asio::ip::tcp::acceptor acceptor_;
    std::uint16_t port_;
    Sessions sessions_;
    std::uint64_t accepted_count_ = 0;
    WakeUp changed_;
    bool clock_running_ = false;
};

}  // namespace petal::net
