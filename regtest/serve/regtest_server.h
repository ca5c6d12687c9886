/// Serves a regtest chain to clients on a TCP port, and connects to other nodes.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/io/dial/first_of.h"
#include "regtest/chain/orphan_pool.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/node_peers.h"
#include "regtest/serve/added_nodes.h"
#include "regtest/serve/server_options.h"

namespace petal::regtest {

namespace asio = boost::asio;

/// Listens on one address. Runs on the given io_context, and reads the chain only on its thread.
/// Callers must change the chain on the same thread. Offers the peers' transactions and blocks to
/// the chain, and relays accepted ones.
class RegtestServer : public NodePeers {
public:
    /// Listens from now on. `io` and `chain` must outlive the server. The server must outlive its
    /// coroutines in `io`, which end after stop_listening(). Throws boost::system::system_error if
    /// the address is unavailable.
    RegtestServer(asio::io_context& io, RegtestChain& chain, const ServerOptions& options);
    ~RegtestServer() override;
    RegtestServer(const RegtestServer&) = delete;
    RegtestServer& operator=(const RegtestServer&) = delete;

    /// 0 if the server does not accept connections.
    std::uint16_t port() const { return port_; }

    /// The chain has changed. Without this call, the server notices a little later.
    void notify_chain_changed();

    /// The behaviour of connections accepted from now on.
    void set_behaviour(NodeBehaviour behaviour) { options_.behaviour = std::move(behaviour); }

    const NodeBehaviour& behaviour() const override { return options_.behaviour; }
    std::vector<PeerRecord> peers() const override;
    void set_behaviour_of_all(const NodeBehaviour& behaviour) override;
    void set_faults(std::uint64_t id, const NodeBehaviour& behaviour) override;
    bool disconnect(std::uint64_t id) override;
    bool add_node(const std::string& place) override;
    bool remove_node(const std::string& place) override;
    void try_node(const std::string& place) override;
    std::vector<std::string> added_nodes() const override;
    void set_network_active(bool active) override;
    bool is_network_active() const override { return is_running_; }
    void ping_all() override;
    TotalTraffic total_traffic() const override;

    /// Closes all connections and the port.
    void stop_listening();
    /// Listens again, on the same port.
    void resume_listening();

    std::size_t connection_count() const { return sessions_.size(); }
    /// The number of connections accepted so far.
    std::uint64_t accepted_count() const { return counts_.accepted; }

private:
    class Session;
    using Sessions = std::list<std::unique_ptr<Session>>;

    Session* find(std::uint64_t id) const;
    void tell_owner();
    void serve_inbound(asio::ip::tcp::socket socket);
    Sessions::iterator make_session(asio::ip::tcp::socket socket, bool is_inbound);
    asio::awaitable<void> run_session(Sessions::iterator session);
    asio::awaitable<void> serve_dialled(asio::ip::tcp::socket socket);
    asio::awaitable<void> clock_loop();

    asio::io_context& io_;
    RegtestChain& chain_;
    ServerOptions options_;
    std::shared_ptr<asio::ip::tcp::acceptor> acceptor_;  // new each time that the server listens
    bool is_running_ = false;                            // between resume and stop
    std::uint16_t port_;
    Sessions sessions_;
    OrphanPool orphans_;
    AddedNodes added_;
    std::uint64_t nonce_;  // detects connections to itself
    struct {
        std::uint64_t all = 0;
        std::uint64_t accepted = 0;
    } counts_;            // connections so far
    TotalTraffic ended_;  // of connections that ended
    net::WakeUp changed_;
    bool clock_running_ = false;
};

}  // namespace petal::regtest
