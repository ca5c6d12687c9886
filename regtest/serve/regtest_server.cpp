#include "regtest/serve/regtest_server.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "net/io/dial/connection.h"
#include "net/io/dial/endpoint.h"
#include "net/io/dial/peer_endpoint.h"
#include "net/io/dial/system_random.h"
#include "net/wire/codec.h"
#include "net/wire/peer_address.h"
#include "regtest/regtest_node.h"
#include "regtest/serve/accept_each.h"

namespace petal::regtest {

namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

// Small portions: one is written while the next is prepared.
constexpr std::size_t kPortionBytes = std::size_t{64} * 1024;
constexpr milliseconds kClockInterval{20};
/// The interval at which the nodes check their time limits if nothing changes.
constexpr milliseconds kQuietInterval{1'000};

milliseconds steady_now() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<milliseconds>(now);
}

/// Unix time, in seconds.
std::int64_t machine_seconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

const net::Magic& regtest_magic() {
    return chain::find_network("regtest")->magic;
}

std::string text_of(const tcp::endpoint& end) {
    return to_string(net::Endpoint{end.address().to_string(), end.port()});
}

/// The network of the remote endpoint (Bitcoin Core: CNetAddr::GetNetClass).
std::string_view network_of(const tcp::endpoint& remote) {
    const net::PeerAddress address = net::address_of(remote.address(), remote.port());
    if (!is_public(address)) return "not_publicly_routable";
    return address.kind == net::AddressKind::ipv4 ? "ipv4" : "ipv6";
}

/// The endpoints and the start time of a connection. The endpoints are empty if the connection is
/// closed already.
PeerRecord ends_of(const tcp::socket& socket, std::uint64_t id) {
    PeerRecord record;
    record.id = id;
    record.connected_time = machine_seconds();
    boost::system::error_code error;
    const tcp::endpoint remote = socket.remote_endpoint(error);
    if (error) return record;
    const tcp::endpoint local = socket.local_endpoint(error);
    if (error) return record;
    record.address = text_of(remote);
    record.bound = text_of(local);
    record.network = network_of(remote);
    return record;
}

net::Endpoint node_at(const std::string& place) {
    const auto endpoint = net::parse_endpoint(place, chain::find_network("regtest")->default_port);
    if (!endpoint) throw std::invalid_argument(std::string(describe(endpoint.error())));
    return *endpoint;
}

/// An exception of a detached coroutine is a bug, and ends the server's thread.
void rethrow(const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

/// One connection.
class RegtestServer::Session {
public:
    /// server   is told when the peer's version message arrives
    Session(tcp::socket socket, RegtestServer& server, PeerRecord record)
        : server_(server),
          chain_(server.chain_),
          options_(server.options_),
          known_(std::move(record)),
          connection_(std::move(socket), regtest_magic(), net::ReadPace::at_once),
          node_(chain_, options_.behaviour, server.nonce_, {&server.orphans_, known_.id}),
          output_(connection_.executor()),
          input_(connection_.executor()) {
        if (!known_.is_inbound) node_.greet(steady_now());
    }

    asio::awaitable<void> run() {
        co_await net::first_of(read_loop(), serve_loop(), connection_.write_loop());
        // Transactions and blocks received before the peer disconnected count.
        while (connection_.is_open() && offer_next()) co_await net::give_way();
        connection_.close();
    }

    void on_time() {
        node_.on_time(steady_now());
        output_.notify();
    }

    void close() {
        connection_.close();
        input_.notify();
    }

    void set_faults(const NodeBehaviour& behaviour) {
        node_.set_faults(behaviour);
        on_time();
    }

    void ping() {
        node_.ping(steady_now());
        output_.notify();
    }

    void add_to(TotalTraffic& total) const {
        total.sent += connection_.bytes_sent();
        total.received += connection_.bytes_received();
    }

    std::uint64_t id() const { return known_.id; }
    PeerRecord record() const {
        PeerRecord record = known_;
        record.traffic.bytes_sent = connection_.bytes_sent();
        record.traffic.bytes_received = connection_.bytes_received();
        node_.describe_peer(record, steady_now());
        return record;
    }

private:
    /// Whether the peer must first read more of the data that it requested.
    bool is_congested() const {
        return connection_.is_open() && !node_.disconnect_reason() && !node_.accepts_input();
    }

    asio::awaitable<void> read_loop();
    bool take_messages();
    void count_received(const net::Frame& frame, const net::Message* message);
    bool record_filter(const net::Message& message);
    bool offer_next();
    void offer(const chain::Transaction& transaction);
    void offer(chain::Block block);
    asio::awaitable<void> serve_loop();
    asio::awaitable<void> more_output();
    bool put(const net::Message& message);
    asio::awaitable<void> send(std::vector<net::Message> messages);

    RegtestServer& server_;
    RegtestChain& chain_;
    const ServerOptions options_;
    PeerRecord known_;  // fields that neither the connection nor the node knows
    net::Connection connection_;
    RegtestNode node_;
    net::WakeUp output_;  // the node may have output
    net::WakeUp input_;   // the node accepts input again
};

asio::awaitable<void> RegtestServer::Session::read_loop() {
    for (;;) {
        const auto error = co_await connection_.receive();
        const bool valid = take_messages();
        if (error || !valid) co_return;
        output_.notify();
        while (is_congested()) co_await input_.wait();
    }
}

/// Returns false if the received bytes are not messages.
bool RegtestServer::Session::take_messages() {
    for (;;) {
        const auto frame = connection_.next_frame();
        if (!frame) return false;
        if (!*frame) return true;
        const auto message = decode_message(**frame);
        count_received(**frame, message ? &*message : nullptr);
        if (message) {
            const bool was_known = node_.peer_version().has_value();
            node_.on_message(*message, steady_now());
            const bool is_new = !was_known && node_.peer_version();
            if (is_new || record_filter(*message)) server_.tell_owner();
        } else {
            node_.on_undecodable((*frame)->command, message.error(), steady_now());
        }
    }
}

/// message   null if it could not be decoded
void RegtestServer::Session::count_received(const net::Frame& frame, const net::Message* message) {
    const std::int64_t now = machine_seconds();
    MessageTraffic& traffic = known_.traffic;
    traffic.last_received = now;
    // A peer may invent any number of commands.
    const bool is_unknown = message != nullptr && std::holds_alternative<net::Unknown>(*message);
    const std::string command(is_unknown ? "*other*" : frame.command);
    traffic.received[command] += net::kMessageHeaderBytes + frame.payload.size();
    const auto* const version = message == nullptr ? nullptr : std::get_if<net::Version>(message);
    if (version == nullptr || node_.peer_version()) return;
    known_.time_offset = std::max<std::int64_t>(version->time, 0) - now;
}

/// Returns whether the message loaded a filter.
bool RegtestServer::Session::record_filter(const net::Message& message) {
    if (!std::holds_alternative<net::FilterLoad>(message) || !node_.filter()) return false;
    const std::uint64_t loads = known_.relay.filter.loads + 1;
    known_.relay.filter = {loads, node_.filter()->bytes().size(), node_.filter()->hash_functions()};
    return true;
}

/// Offers one block or transaction to the chain. Returns whether there was one.
bool RegtestServer::Session::offer_next() {
    if (auto block = node_.take_block()) {
        offer(*std::move(block));
        return true;
    }
    const auto transaction = node_.take_transaction();
    if (transaction) offer(*transaction);
    return transaction.has_value();
}

/// Drops a transaction silently that the chain refuses, like Bitcoin Core.
void RegtestServer::Session::offer(const chain::Transaction& transaction) {
    const auto outcome = server_.orphans_.offer(transaction, known_.id, options_.behaviour.mempool);
    if (outcome.is_accepted) known_.relay.last_transaction = machine_seconds();
    node_.request_parents(outcome.missing_parents);
}

/// Disconnects a peer that sends an invalid block, like Bitcoin Core.
void RegtestServer::Session::offer(chain::Block block) {
    const auto verdict = chain_.offer_block(std::move(block));
    if (verdict.is_new()) known_.blocks.last_block = machine_seconds();
    if (verdict.is_misbehaviour()) node_.refuse("a wrong block: " + verdict.reason);
    node_.on_time(steady_now());
}

/// Ends when the peer is gone, or after the last messages of a node that disconnects. Sessions take
/// turns.
asio::awaitable<void> RegtestServer::Session::serve_loop() {
    while (connection_.can_send() && (!node_.disconnect_reason() || node_.has_output())) {
        co_await send(node_.take_output(kPortionBytes));
        const bool has_offered = offer_next();
        co_await connection_.drained(kPortionBytes);
        input_.notify();
        co_await net::give_way();
        const bool is_quiet = !has_offered && !node_.has_output() && !node_.disconnect_reason();
        if (is_quiet) co_await more_output();
    }
    co_await connection_.drained(0);
}

/// Waits until the node may have more output: for a notification, or for the node's own deadline.
asio::awaitable<void> RegtestServer::Session::more_output() {
    const auto deadline = node_.next_deadline();
    if (!deadline) {
        co_await output_.wait();
        co_return;
    }
    const std::chrono::steady_clock::time_point time{*deadline};
    co_await output_.wait_until(time);
    node_.on_time(steady_now());
}

/// Returns whether there was room.
bool RegtestServer::Session::put(const net::Message& message) {
    const std::size_t before = connection_.unsent_bytes();
    if (!connection_.send(message)) return false;
    known_.traffic.last_sent = machine_seconds();
    known_.traffic.sent[std::string(command_of(message))] += connection_.unsent_bytes() - before;
    return true;
}

asio::awaitable<void> RegtestServer::Session::send(std::vector<net::Message> messages) {
    for (const auto& message : messages) {
        while (!put(message)) co_await connection_.drained(kPortionBytes);
        if (options_.one_write_per_message) co_await connection_.drained(0);
    }
}

RegtestServer::RegtestServer(asio::io_context& io, RegtestChain& chain,
                             const ServerOptions& options)
    : io_(io),
      chain_(chain),
      options_(options),
      port_(options.port),
      orphans_(chain),
      added_(io, [this](tcp::socket socket) { return serve_dialled(std::move(socket)); }),
      nonce_(net::random_seed()),
      changed_(io.get_executor()) {
    resume_listening();
    port_ = acceptor_ ? acceptor_->local_endpoint().port() : 0;
}

RegtestServer::~RegtestServer() = default;

void RegtestServer::resume_listening() {
    if (is_running_) return;
    if (options_.listens) {
        const tcp::endpoint address{asio::ip::make_address(options_.host), port_};
        acceptor_ = std::make_shared<tcp::acceptor>(io_, address, /*reuse_addr=*/true);
        auto serve_next = [this](tcp::socket socket) { serve_inbound(std::move(socket)); };
        asio::co_spawn(io_, accept_each(acceptor_, serve_next), rethrow);
    }
    is_running_ = true;
    added_.resume();
    if (!std::exchange(clock_running_, true)) asio::co_spawn(io_, clock_loop(), rethrow);
}

std::vector<PeerRecord> RegtestServer::peers() const {
    std::vector<PeerRecord> records;
    for (const auto& session : sessions_) records.push_back(session->record());
    return records;
}

RegtestServer::Session* RegtestServer::find(std::uint64_t id) const {
    const auto found = std::ranges::find(sessions_, id, [](const auto& s) { return s->id(); });
    return found == sessions_.end() ? nullptr : found->get();
}

void RegtestServer::set_behaviour_of_all(const NodeBehaviour& behaviour) {
    set_behaviour(behaviour);
    for (const auto& session : sessions_) session->set_faults(behaviour);
}

void RegtestServer::set_faults(std::uint64_t id, const NodeBehaviour& behaviour) {
    if (Session* const session = find(id)) session->set_faults(behaviour);
}

bool RegtestServer::disconnect(std::uint64_t id) {
    Session* const session = find(id);
    if (session == nullptr) return false;
    session->close();
    return true;
}

bool RegtestServer::add_node(const std::string& place) {
    return added_.add(node_at(place));
}

bool RegtestServer::remove_node(const std::string& place) {
    return added_.remove(node_at(place));
}

void RegtestServer::try_node(const std::string& place) {
    added_.try_once(node_at(place));
}

std::vector<std::string> RegtestServer::added_nodes() const {
    std::vector<std::string> places;
    for (const net::Endpoint& endpoint : added_.endpoints()) places.push_back(to_string(endpoint));
    return places;
}

void RegtestServer::set_network_active(bool active) {
    if (active) {
        resume_listening();
    } else {
        stop_listening();
    }
}

void RegtestServer::ping_all() {
    for (const auto& session : sessions_) session->ping();
}

TotalTraffic RegtestServer::total_traffic() const {
    TotalTraffic total = ended_;
    for (const auto& session : sessions_) session->add_to(total);
    return total;
}

void RegtestServer::stop_listening() {
    if (acceptor_) acceptor_->close();
    is_running_ = false;
    added_.stop();
    for (const auto& session : sessions_) session->close();
    changed_.notify();
}

void RegtestServer::tell_owner() {
    if (options_.on_change) options_.on_change(chain_, *this);
}

void RegtestServer::notify_chain_changed() {
    orphans_.catch_up(options_.behaviour.mempool);
    tell_owner();
    for (const auto& session : sessions_) session->on_time();
}

void RegtestServer::serve_inbound(tcp::socket socket) {
    if (sessions_.size() >= options_.max_connections) return;  // which closes the socket
    ++counts_.accepted;
    const auto session = make_session(std::move(socket), /*is_inbound=*/true);
    asio::co_spawn(io_, run_session(session), rethrow);
}

RegtestServer::Sessions::iterator RegtestServer::make_session(tcp::socket socket, bool is_inbound) {
    boost::system::error_code ignored;  // the peer may be gone
    socket.set_option(tcp::no_delay{true}, ignored);
    PeerRecord record = ends_of(socket, ++counts_.all);
    record.is_inbound = is_inbound;
    sessions_.push_back(std::make_unique<Session>(std::move(socket), *this, std::move(record)));
    return std::prev(sessions_.end());
}

asio::awaitable<void> RegtestServer::serve_dialled(tcp::socket socket) {
    const auto session = make_session(std::move(socket), /*is_inbound=*/false);
    co_await run_session(session);
}

asio::awaitable<void> RegtestServer::run_session(Sessions::iterator session) {
    Session& client = **session;
    co_await client.run();
    orphans_.forget_peer(client.id());
    client.add_to(ended_);
    sessions_.erase(session);
    tell_owner();
}

/// Makes the nodes notice changes and send delayed messages.
asio::awaitable<void> RegtestServer::clock_loop() {
    auto known_revision = chain_.history().revision();
    auto last_look = steady_now();
    while (is_running_ || !sessions_.empty()) {
        const auto time = std::chrono::steady_clock::now() + kClockInterval;
        co_await changed_.wait_until(time);
        const bool has_trickle = options_.behaviour.trickle.count() > 0;
        const bool has_changed = has_trickle || chain_.history().revision() != known_revision;
        const bool is_due = steady_now() - last_look >= kQuietInterval;
        if (has_changed) {
            notify_chain_changed();
        } else if (is_due) {
            for (const auto& session : sessions_) session->on_time();
        }
        if (has_changed || is_due) last_look = steady_now();
        known_revision = chain_.history().revision();
    }
    clock_running_ = false;
}

}  // namespace petal::regtest
