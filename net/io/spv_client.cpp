#include "net/io/spv_client.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <string_view>
#include <utility>

#include "net/io/connection.h"
#include "net/io/dial.h"
#include "net/io/first_of.h"
#include "net/wire/codec.h"

namespace petal::net {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kProgressInterval{100};
constexpr milliseconds kFlushInterval{2'000};

Now read_clocks() {
    const auto steady = steady_clock::now().time_since_epoch();
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<milliseconds>(steady),
            std::chrono::duration_cast<std::chrono::seconds>(wall).count()};
}

DialPolicy policy_of(const SpvOptions& options) {
    const bool bounded = options.timeout.has_value();
    return {.first_backoff = options.first_backoff,
            .last_backoff = options.last_backoff,
            .give_up_after = bounded ? std::nullopt : std::optional{options.give_up_after},
            .patient = bounded};
}

DisconnectReason reason_of(FrameError error) {
    switch (error) {
        case FrameError::wrong_magic:
            return DisconnectReason::wrong_network;
        case FrameError::not_bitcoin:
            return DisconnectReason::not_bitcoin;
        case FrameError::malformed_command:
        case FrameError::oversized_payload:
        case FrameError::wrong_checksum:
            break;
    }
    return DisconnectReason::malformed_message;
}

/// One connection, from its first byte to its last.
struct Session {
    Session(PeerId id, asio::ip::tcp::socket socket, const Magic& magic)
        : peer(id), connection(std::move(socket), magic, ReadPace::batched) {}

    PeerId peer;
    Connection connection;
    std::optional<EndpointFailure> failure;
    bool ended_by_engine = false;
    bool listened = false;  // the sync came as far as that on it
};

}  // namespace

class SpvClient::State {
public:
    State(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options);

    SpvResult run();
    void stop();

private:
    asio::awaitable<void> sync();
    asio::awaitable<void> peer_loop();
    asio::awaitable<void> try_endpoint(std::size_t index);
    asio::awaitable<void> read_loop(Session& session);
    asio::awaitable<void> clock_loop();

    void take_messages(Session& session);
    void carry_out_commands();
    void carry_out(const Send& command);
    void carry_out(const Disconnect& command);
    void close(Session& session, std::size_t index);
    void note_progress();
    bool has_served(const Session& session, DisconnectReason reason) const;
    void fail(std::size_t index, EndpointFailure failure, bool served);
    void finish(SyncOutcome outcome);

    milliseconds next_wake_up(milliseconds now) const;
    void on_wake_up(Now now);
    void report_progress(milliseconds now);
    Traffic traffic() const;

    SyncEngine& engine_;
    Magic magic_;
    SpvOptions options_;
    asio::io_context io_{1};
    WakeUp clock_{io_.get_executor()};
    WakeUp ended_{io_.get_executor()};
    milliseconds clock_set_to_{0};
    milliseconds start_;
    DialPlan plan_;
    SpvResult result_;
    std::optional<SyncOutcome> outcome_;
    Session* session_ = nullptr;  // the one connection that stands
    PeerId last_peer_ = 0;
    std::uint32_t best_header_height_ = 0;  // all three as they were before the session
    std::uint32_t best_synced_height_ = 0;
    std::uint64_t blocks_before_ = 0;
    SyncPhase reported_phase_ = SyncPhase::no_peer;
    milliseconds reported_at_{0};
    milliseconds flushed_at_;
    std::uint64_t flushed_headers_ = 0;
};

SpvClient::State::State(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options)
    : engine_(engine),
      magic_(network.magic),
      options_(std::move(options)),
      start_(read_clocks().steady),
      plan_(options_.endpoints.size(), policy_of(options_), start_),
      flushed_at_(start_) {
    for (const auto& endpoint : options_.endpoints) {
        result_.endpoints.push_back({.endpoint = endpoint, .dials = 0, .last_failure = {}});
    }
}

SpvResult SpvClient::State::run() {
    std::exception_ptr failure;
    asio::co_spawn(io_, sync(), [&failure](std::exception_ptr thrown) { failure = thrown; });
    io_.run();
    if (failure) std::rethrow_exception(failure);

    result_.outcome = outcome_.value();
    if (result_.outcome != SyncOutcome::synced) engine_.flush(read_clocks());
    if (options_.flush_headers) options_.flush_headers();
    if (options_.on_progress) options_.on_progress(engine_.status(), result_.traffic);
    return result_;
}

void SpvClient::State::stop() {
    asio::post(io_, [this] { finish(SyncOutcome::interrupted); });
}

void SpvClient::State::finish(SyncOutcome outcome) {
    if (!outcome_) outcome_ = outcome;
    ended_.notify();
}

asio::awaitable<void> SpvClient::State::sync() {
    asio::signal_set signals{io_};
    if (options_.stop_on_signals) {
        signals.add(SIGINT);
        signals.add(SIGTERM);
        signals.async_wait([this](boost::system::error_code cancelled, int /*signal*/) {
            if (!cancelled) finish(SyncOutcome::interrupted);
        });
    }
    co_await first_of(peer_loop(), clock_loop(), ended_.wait());
}

/// Dials until something else ends the sync, or there is nobody left to dial.
asio::awaitable<void> SpvClient::State::peer_loop() {
    while (const auto next = plan_.next()) {
        const auto wait = std::max(milliseconds{0}, next->time - read_clocks().steady);
        if (wait.count() > 0) co_await pause_for(wait);
        co_await try_endpoint(next->endpoint);
        if (outcome_) co_return;
    }
    finish(SyncOutcome::no_usable_peer);
}

asio::awaitable<void> SpvClient::State::try_endpoint(std::size_t index) {
    auto& report = result_.endpoints[index];
    ++report.dials;
    auto socket = co_await dial(report.endpoint, options_.connect_timeout);
    if (outcome_) co_return;
    if (!socket) {
        const auto detail = std::string{describe(socket.error())};
        fail(index, {DisconnectReason::unreachable, detail}, /*served=*/false);
        co_return;
    }

    Session session{++last_peer_, std::move(*socket), magic_};
    session_ = &session;
    const auto forget = [this](Session* closed) {
        const auto& connection = closed->connection;
        const Traffic bytes{connection.bytes_received(), connection.bytes_sent()};
        result_.peers.push_back({closed->peer, bytes});
        result_.traffic += bytes;
        session_ = nullptr;
    };
    const std::unique_ptr<Session, decltype(forget)> current{&session, forget};

    note_progress();
    engine_.on_connected(session.peer, to_string(report.endpoint), read_clocks());
    carry_out_commands();
    co_await first_of(read_loop(session), session.connection.write_loop());
    close(session, index);
}

asio::awaitable<void> SpvClient::State::read_loop(Session& session) {
    while (session.connection.is_open() && !outcome_) {
        const auto error = co_await session.connection.receive();
        take_messages(session);
        if (error) co_return;
        report_progress(read_clocks().steady);
    }
}

/// Hands the engine what came, until it has enough of this peer.
void SpvClient::State::take_messages(Session& session) {
    const auto now = read_clocks();
    while (session.connection.is_open() && !outcome_) {
        const auto frame = session.connection.next_frame();
        if (!frame) {
            const auto detail = std::string{describe(frame.error())};
            engine_.on_bad_bytes(session.peer, reason_of(frame.error()), detail, now);
            carry_out_commands();
            return session.connection.close();
        }
        if (!*frame) break;
        auto message = decode_message(**frame);
        if (message) {
            engine_.on_message(session.peer, std::move(*message), now);
        } else {
            auto detail = std::string{(*frame)->command};
            detail.append(": ").append(describe(message.error()));
            engine_.on_bad_bytes(session.peer, DisconnectReason::malformed_message, detail, now);
        }
        carry_out_commands();
    }
    session.listened = session.listened || engine_.status().phase == SyncPhase::listening;
}

void SpvClient::State::carry_out_commands() {
    for (const auto& command : engine_.take_commands()) {
        std::visit([this](const auto& what) { carry_out(what); }, command);
    }
    if (engine_.finished()) finish(SyncOutcome::synced);
    const auto deadline = engine_.next_deadline();
    if (deadline && *deadline < clock_set_to_) clock_.notify();
}

void SpvClient::State::carry_out(const Send& command) {
    if (!session_ || session_->peer != command.peer || !session_->connection.is_open()) return;
    if (session_->connection.send(command.message)) return;
    session_->failure = {DisconnectReason::timed_out, "takes nothing of what it is sent"};
    session_->connection.close();
}

void SpvClient::State::carry_out(const Disconnect& command) {
    if (!session_ || session_->peer != command.peer) return;
    session_->ended_by_engine = true;
    session_->failure = {command.reason, command.detail};
    session_->connection.close();
}

/// Settles what the end of a connection means for the engine and for the endpoint.
void SpvClient::State::close(Session& session, std::size_t index) {
    session.connection.close();
    const auto failure = session.failure.value_or(EndpointFailure{DisconnectReason::gone, {}});
    if (!session.ended_by_engine) {
        engine_.on_closed(session.peer, read_clocks());
        carry_out_commands();
    }
    const bool served = has_served(session, failure.reason);
    if (!outcome_) fail(index, failure, served);
}

void SpvClient::State::note_progress() {
    const auto& status = engine_.status();
    best_header_height_ = std::max(best_header_height_, status.header_height);
    best_synced_height_ = std::max(best_synced_height_, status.synced_height);
    blocks_before_ = status.filtered_blocks;
}

/// Whether a connection was of use. Blocks count where nothing speaks against the peer; where
/// something does, only what brought the sync further than it ever was.
bool SpvClient::State::has_served(const Session& session, DisconnectReason reason) const {
    const auto& status = engine_.status();
    const bool advanced =
        status.header_height > best_header_height_ || status.synced_height > best_synced_height_;
    const bool answered = session.listened || status.filtered_blocks > blocks_before_;
    const bool blamed = is_misbehaviour(reason) || reason == DisconnectReason::timed_out;
    return advanced || (answered && !blamed);
}

void SpvClient::State::fail(std::size_t index, EndpointFailure failure, bool served) {
    plan_.on_failed(index, failure.reason, served, read_clocks().steady);
    result_.endpoints[index].last_failure = std::move(failure);
}

/// Tells the engine the time when it wants to know, and does what is due at intervals.
asio::awaitable<void> SpvClient::State::clock_loop() {
    for (;;) {
        clock_set_to_ = next_wake_up(read_clocks().steady);
        const steady_clock::time_point time{clock_set_to_};
        co_await clock_.wait_until(time);
        on_wake_up(read_clocks());
    }
}

milliseconds SpvClient::State::next_wake_up(milliseconds now) const {
    auto time = now + kProgressInterval;
    if (options_.timeout) time = std::min(time, start_ + *options_.timeout);
    if (const auto deadline = engine_.next_deadline()) time = std::min(time, *deadline);
    return std::max(time, now + milliseconds{1});
}

void SpvClient::State::on_wake_up(Now now) {
    if (options_.timeout && now.steady >= start_ + *options_.timeout) {
        return finish(SyncOutcome::timed_out);
    }
    engine_.on_time(now);
    carry_out_commands();

    const auto headers = engine_.status().headers;
    if (options_.flush_headers && headers != flushed_headers_ &&
        now.steady >= flushed_at_ + kFlushInterval) {
        options_.flush_headers();
        flushed_headers_ = headers;
        flushed_at_ = now.steady;
    }
    report_progress(now.steady);
}

void SpvClient::State::report_progress(milliseconds now) {
    if (!options_.on_progress) return;
    const auto& status = engine_.status();
    if (status.phase == reported_phase_ && now < reported_at_ + kProgressInterval) return;
    reported_phase_ = status.phase;
    reported_at_ = now;
    options_.on_progress(status, traffic());
}

Traffic SpvClient::State::traffic() const {
    auto sum = result_.traffic;
    if (session_) {
        sum += {session_->connection.bytes_received(), session_->connection.bytes_sent()};
    }
    return sum;
}

Traffic& Traffic::operator+=(const Traffic& more) {
    bytes_received += more.bytes_received;
    bytes_sent += more.bytes_sent;
    return *this;
}

std::string describe(const EndpointFailure& failure) {
    std::string text{describe(failure.reason)};
    if (!failure.detail.empty()) text.append(" (").append(failure.detail).append(")");
    return text;
}

SpvClient::SpvClient(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options)
    : state_(std::make_unique<State>(engine, network, std::move(options))) {}

SpvClient::~SpvClient() = default;

SpvResult SpvClient::run() {
    return state_->run();
}

void SpvClient::stop() {
    state_->stop();
}

}  // namespace petal::net
