#include "net/io/spv_client.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <utility>

#include "net/io/clocks.h"
#include "net/io/dial.h"
#include "net/io/dial_plan.h"
#include "net/io/first_of.h"
#include "net/io/peer_link.h"

namespace petal::net {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kProgressInterval{100};
constexpr milliseconds kFlushInterval{2'000};
constexpr milliseconds kSavePeersInterval{300'000};
constexpr milliseconds kSecondLook{600'000};
// Headers that are not written, and those that were looked at for blocks, are in memory.
constexpr std::uint64_t kArrivalsPerFlush = 4'096;

DialPolicy policy_of(const SpvOptions& options) {
    const bool patient = options.persistent || options.timeout.has_value();
    return {.max_in_use = options.max_peers,
            .first_backoff = options.first_backoff,
            .last_backoff = options.last_backoff,
            .give_up_after = patient ? std::nullopt : std::optional{options.give_up_after},
            .patient = patient,
            .second_look_after = options.persistent ? std::optional{kSecondLook} : std::nullopt,
            .once = options.search != nullptr};
}

}  // namespace

class SpvClient::State {
public:
    State(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options);

    SpvResult run();
    void stop();

private:
    void start(asio::awaitable<void> task);
    asio::awaitable<void> until_end(asio::awaitable<void> task);
    asio::awaitable<void> dial_loop();
    void look_for_peers(Now now);
    void offer(const Endpoint& endpoint, milliseconds now);
    bool is_there_hope(milliseconds now) const;
    steady_clock::time_point next_look(const std::optional<DialPlan::Next>& next, Now now) const;
    asio::awaitable<void> ask_seed(std::string seed);
    void learn_from(PeerLink& link);
    asio::awaitable<void> serve_endpoint(std::size_t index);
    asio::awaitable<chain::Expected<asio::ip::tcp::socket, DialError>> dial_peer(Endpoint peer);
    asio::awaitable<void> read_loop(PeerLink& link);
    asio::awaitable<void> clock_loop();
    void end_on_signals();

    template <typename Step>
    void step(Step what);
    void finish(SyncOutcome outcome);
    void fail_run(std::exception_ptr why);

    PeerLink::Origin origin_of(std::size_t index) const;
    void fail_dial(std::size_t index, DialError error);
    void join(PeerLink& link);
    void leave(PeerLink& link);
    void take_messages(PeerLink& link);
    void note_progress(PeerLink& link);
    void close(PeerLink& link);
    void report_end(PeerLink& link, DisconnectReason reason, bool served);
    void fail(std::size_t index, EndpointFailure failure, bool served);

    PeerLink* find_link(PeerId peer) const;
    void carry_out_commands();
    void carry_out(const Send& command);
    void carry_out(const Disconnect& command);
    void set_clock();

    milliseconds next_wake_up(milliseconds now) const;
    void on_wake_up(Now now);
    void flush_headers_if_due(milliseconds now);
    void save_peers_if_due(milliseconds now);
    void report_progress(milliseconds now);
    Traffic traffic() const;

    SyncEngine& engine_;
    Magic magic_;
    SpvOptions options_;
    asio::io_context io_{1};
    asio::signal_set signals_{io_};
    WakeUp clock_{io_.get_executor()};
    WakeUp plan_changed_{io_.get_executor()};
    Event ended_{io_.get_executor()};
    milliseconds clock_set_to_{0};
    milliseconds start_;
    SpvResult result_;
    DialPlan plan_;
    std::optional<SyncOutcome> outcome_;
    std::exception_ptr failure_;        // then the outcome means nothing
    std::vector<PeerLink*> links_;      // the connections that stand
    std::uint32_t best_header_height_;  // both as high as they ever were
    std::uint32_t best_synced_height_;
    SyncPhase reported_phase_ = SyncPhase::no_peer;
    milliseconds reported_at_{0};
    milliseconds flushed_at_;
    std::uint64_t flushed_arrivals_ = 0;
    milliseconds saved_peers_at_;
    PeerId last_peer_ = 0;
};

SpvClient::State::State(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options)
    : engine_(engine),
      magic_(network.magic),
      options_(std::move(options)),
      start_(read_clocks().steady),
      result_{
          .outcome = {}, .endpoints = reports_of(options_.endpoints), .peers = {}, .traffic = {}},
      plan_(result_.endpoints.size(), policy_of(options_), start_),
      best_header_height_(engine.status().header_height),
      best_synced_height_(engine.status().synced_height),
      flushed_at_(start_),
      saved_peers_at_(start_) {}

SpvResult SpvClient::State::run() {
    if (options_.stop_on_signals) end_on_signals();
    start(dial_loop());
    start(clock_loop());
    io_.run();  // until every coroutine has ended
    if (failure_) std::rethrow_exception(failure_);

    result_.outcome = outcome_.value();
    if (result_.outcome != SyncOutcome::synced) engine_.flush(read_clocks());
    if (options_.flush_headers) options_.flush_headers();
    if (options_.save_peers) options_.save_peers();
    result_.offline =
        options_.search && !options_.proxy && options_.search->reached_nobody();
    if (options_.on_progress) options_.on_progress(engine_.status(), result_.traffic);
    return result_;
}

void SpvClient::State::stop() {
    asio::post(io_, [this] { finish(SyncOutcome::interrupted); });
}

/// Ends all coroutines, each at its next step.
void SpvClient::State::finish(SyncOutcome outcome) {
    if (!outcome_) outcome_ = outcome;
    signals_.cancel();
    ended_.happen();
}

void SpvClient::State::fail_run(std::exception_ptr why) {
    if (outcome_) return;  // it only tells that a coroutine was cancelled
    failure_ = std::move(why);
    finish(SyncOutcome::interrupted);
}

void SpvClient::State::end_on_signals() {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    signals_.async_wait([this](boost::system::error_code cancelled, int /*signal*/) {
        if (!cancelled) finish(SyncOutcome::interrupted);
    });
}

void SpvClient::State::start(asio::awaitable<void> task) {
    asio::co_spawn(io_, until_end(std::move(task)), [this](std::exception_ptr thrown) {
        if (thrown) fail_run(thrown);
    });
}

asio::awaitable<void> SpvClient::State::until_end(asio::awaitable<void> task) {
    co_await first_of(std::move(task), ended_.wait());
}

/// Does what may call the engine, the watcher or the callbacks, which is never done again once the
/// outcome is known: what they threw has left them unusable, and the other coroutines have yet to
/// hear of it.
template <typename Step>
void SpvClient::State::step(Step what) {
    if (outcome_) return;
    try {
        what();
    } catch (...) {
        fail_run(std::current_exception());
    }
}

/// Keeps as many endpoints in use as may be, until there is nobody left to dial.
asio::awaitable<void> SpvClient::State::dial_loop() {
    while (!outcome_) {
        const Now now = read_clocks();
        look_for_peers(now);
        const auto next = plan_.next();
        if (!next && plan_.in_use() == 0 && !is_there_hope(now.steady)) {
            finish(SyncOutcome::no_usable_peer);
            co_return;
        }
        if (next && next->time <= now.steady) {
            plan_.on_dialled(next->endpoint);
            start(serve_endpoint(next->endpoint));
            continue;
        }
        const auto time = next_look(next, now);
        co_await plan_changed_.wait_until(time);
    }
}

/// Fills the places that are free with peers that nobody named.
void SpvClient::State::look_for_peers(Now now) {
    if (!options_.search || plan_.free_places() == 0) return;
    auto& search = *options_.search;
    for (const auto& endpoint : search.choose(plan_.free_places(), now)) {
        offer(endpoint, now.steady);
    }
    for (auto& seed : search.choose_questions(plan_.free_places(), now)) {
        start(ask_seed(std::move(seed)));
    }
}

void SpvClient::State::offer(const Endpoint& endpoint, milliseconds now) {
    const auto before = result_.endpoints.size();
    const auto index = report_of(result_.endpoints, endpoint);
    if (index < before) return plan_.offer(index, now);
    plan_.add(now);
}

/// Whether peers may yet be found, where none is in use.
bool SpvClient::State::is_there_hope(milliseconds now) const {
    if (!options_.search) return false;
    if (options_.persistent || options_.timeout) return true;
    const auto limit = plan_.gives_up_at();
    return !options_.search->is_hopeless() && !(limit && now >= *limit);
}

steady_clock::time_point SpvClient::State::next_look(const std::optional<DialPlan::Next>& next,
                                                     Now now) const {
    auto time = next ? steady_clock::time_point{next->time} : steady_clock::time_point::max();
    if (!options_.search || plan_.free_places() == 0) return time;
    const steady_clock::time_point again{options_.search->look_again_at(now)};
    return std::min(time, again);
}

asio::awaitable<void> SpvClient::State::ask_seed(std::string seed) {
    const auto nodes = co_await options_.search->look_up(seed);
    options_.search->on_answer(seed, nodes, read_clocks());
    plan_changed_.notify();
}

asio::awaitable<chain::Expected<asio::ip::tcp::socket, DialError>> SpvClient::State::dial_peer(
    Endpoint peer) {
    const auto limit = options_.connect_timeout;
    if (!options_.proxy) co_return co_await dial(peer, limit);
    const Endpoint proxy = *options_.proxy;
    co_return co_await dial_through(proxy, peer, limit);
}

/// Dials an endpoint, and exchanges messages with whoever answers, until the connection ends.
asio::awaitable<void> SpvClient::State::serve_endpoint(std::size_t index) {
    ++result_.endpoints[index].dials;
    const Endpoint peer = result_.endpoints[index].endpoint;
    auto socket = co_await dial_peer(peer);
    if (!socket) {
        fail_dial(index, socket.error());
        co_return;
    }

    const auto origin = origin_of(index);
    PeerLink link{++last_peer_, origin, std::move(*socket), magic_};
    const auto forget = [this](PeerLink* ended) { leave(*ended); };
    const std::unique_ptr<PeerLink, decltype(forget)> joined{&link, forget};
    join(link);
    co_await first_of(read_loop(link), link.connection().write_loop());
    close(link);
}

PeerLink::Origin SpvClient::State::origin_of(std::size_t index) const {
    return {index, best_synced_height_, read_clocks().steady};
}

void SpvClient::State::fail_dial(std::size_t index, DialError error) {
    if (options_.search) {
        const auto& endpoint = result_.endpoints[index].endpoint;
        options_.search->on_dial_failed(endpoint, is_about_proxy(error), read_clocks());
    }
    fail(index, {DisconnectReason::unreachable, std::string{describe(error)}}, /*served=*/false);
}

void SpvClient::State::join(PeerLink& link) {
    links_.push_back(&link);
    step([&] {
        const auto now = read_clocks();
        if (options_.search) options_.search->on_connected(now);
        const auto address = to_string(result_.endpoints[link.endpoint()].endpoint);
        engine_.on_connected(link.id(), address, now);
        carry_out_commands();
        set_clock();
    });
}

void SpvClient::State::leave(PeerLink& link) {
    std::erase(links_, &link);
    result_.traffic += link.traffic();
    const auto& reports = engine_.status().peers;
    if (reports.empty()) return;
    std::erase_if(result_.peers,
                  [&](const PeerTraffic& of) { return of.peer < reports.front().id; });
    result_.peers.push_back({link.id(), link.traffic()});
}

/// Each read goes through the queue of the io_context, so that all peers have their turn: what one
/// has sent is handed over by one read's worth.
asio::awaitable<void> SpvClient::State::read_loop(PeerLink& link) {
    while (link.connection().is_open() && !outcome_) {
        const auto error = co_await link.connection().receive();
        step([&] { take_messages(link); });
        if (error) co_return;
    }
}

/// Hands the engine what came, until it has enough of this peer.
void SpvClient::State::take_messages(PeerLink& link) {
    const auto now = read_clocks();
    while (link.connection().is_open() && !outcome_ && link.hand_over_next(engine_, now)) {
        carry_out_commands();
    }
    if (outcome_) return;
    note_progress(link);
    learn_from(link);
    flush_headers_if_due(now.steady);
    set_clock();
    report_progress(now.steady);
}

void SpvClient::State::note_progress(PeerLink& link) {
    const auto& status = engine_.status();
    const bool served_before = link.serves();
    link.note_progress(status, status.header_height > best_header_height_);
    best_header_height_ = std::max(best_header_height_, status.header_height);
    best_synced_height_ = std::max(best_synced_height_, status.synced_height);
    if (served_before || !link.serves()) return;
    plan_.on_serving(link.endpoint());
    plan_changed_.notify();
}

/// What the peer says of itself and of others is for the search.
void SpvClient::State::learn_from(PeerLink& link) {
    const auto told = link.told();
    const auto gossip = link.take_gossip();
    if (!options_.search || gossip.empty()) return;
    const auto& endpoint = result_.endpoints[link.endpoint()].endpoint;
    options_.search->on_gossip(endpoint, gossip, told, link.origin().time, read_clocks());
    plan_changed_.notify();
}

/// Settles what the end of a connection means for the engine and for the endpoint.
void SpvClient::State::close(PeerLink& link) {
    link.connection().close();
    step([&] {
        if (!link.ended_by_engine()) engine_.on_closed(link.id(), read_clocks());
        carry_out_commands();
        set_clock();
    });
    if (outcome_) {
        const bool served = link.serves() || link.has_answered(engine_.status());
        return report_end(link, DisconnectReason::finished, served);
    }
    auto failure = link.failure();
    const bool served = link.has_served(engine_.status(), failure.reason);
    report_end(link, failure.reason, served);
    fail(link.endpoint(), std::move(failure), served);
}

void SpvClient::State::report_end(PeerLink& link, DisconnectReason reason, bool served) {
    if (!options_.search) return;
    const auto now = read_clocks();
    const auto& endpoint = result_.endpoints[link.endpoint()].endpoint;
    if (link.services()) options_.search->on_version(endpoint, *link.services(), now);
    options_.search->on_ended(endpoint, reason, served, now);
}

void SpvClient::State::fail(std::size_t index, EndpointFailure failure, bool served) {
    plan_.on_failed(index, failure.reason, served, read_clocks().steady);
    plan_changed_.notify();
    result_.endpoints[index].last_failure = std::move(failure);
}

void SpvClient::State::carry_out_commands() {
    for (const auto& command : engine_.take_commands()) {
        std::visit([this](const auto& what) { carry_out(what); }, command);
    }
    if (engine_.finished()) finish(SyncOutcome::synced);
}

PeerLink* SpvClient::State::find_link(PeerId peer) const {
    const auto link = std::find_if(links_.begin(), links_.end(),
                                   [peer](const PeerLink* of) { return of->id() == peer; });
    return link == links_.end() ? nullptr : *link;
}

void SpvClient::State::carry_out(const Send& command) {
    if (auto* link = find_link(command.peer)) link->send(command.message);
}

void SpvClient::State::carry_out(const Disconnect& command) {
    if (auto* link = find_link(command.peer)) link->disconnect({command.reason, command.detail});
}

/// Wakes the clock earlier where the engine wants that. Not asked for each message: the clock ticks
/// often anyway.
void SpvClient::State::set_clock() {
    const auto deadline = engine_.next_deadline();
    if (deadline && *deadline < clock_set_to_) clock_.notify();
}

/// Tells the engine the time when it wants to know, and does what is due at intervals.
asio::awaitable<void> SpvClient::State::clock_loop() {
    while (!outcome_) {
        clock_set_to_ = next_wake_up(read_clocks().steady);
        const steady_clock::time_point time{clock_set_to_};
        co_await clock_.wait_until(time);
        step([this] { on_wake_up(read_clocks()); });
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
    flush_headers_if_due(now.steady);
    save_peers_if_due(now.steady);
    report_progress(now.steady);
}

void SpvClient::State::save_peers_if_due(milliseconds now) {
    if (!options_.save_peers || now < saved_peers_at_ + kSavePeersInterval) return;
    options_.save_peers();
    saved_peers_at_ = now;
}

void SpvClient::State::flush_headers_if_due(milliseconds now) {
    if (!options_.flush_headers) return;
    const auto& status = engine_.status();
    const auto arrivals = status.headers + status.filtered_blocks + status.full_blocks;
    const auto since = arrivals - flushed_arrivals_;
    if (since == 0 || (now < flushed_at_ + kFlushInterval && since < kArrivalsPerFlush)) return;
    options_.flush_headers();
    flushed_arrivals_ = arrivals;
    flushed_at_ = now;
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
    for (const auto* link : links_) sum += link->traffic();
    return sum;
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
