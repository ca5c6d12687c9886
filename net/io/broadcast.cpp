#include "net/io/broadcast.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "net/io/clocks.h"
#include "net/io/connection.h"
#include "net/io/dial.h"
#include "net/io/first_of.h"
#include "net/io/peer_endpoint.h"
#include "net/peer/received_message.h"
#include "net/sync/addr_collector.h"

namespace petal::net {

namespace {

using std::chrono::steady_clock;

/// A connection that stands.
struct BroadcastLink {
    PeerId id;
    std::size_t index;  // among the endpoints
    Connection connection;
    std::chrono::milliseconds since = read_clocks().steady;
    AddrCollector collector{};                 // where peers are searched for
    std::optional<EndpointFailure> failure{};  // where we ended it
};

class BroadcastRun {
public:
    BroadcastRun(chain::OwnTransaction transaction, const chain::NetworkParams& network,
                 BroadcastRoute route, BroadcastOptions options)
        : magic_(network.magic),
          route_(std::move(route)),
          engine_(std::move(transaction), std::move(options), read_clocks()) {
        result_.endpoints = reports_of(route_.endpoints);
        for (std::size_t i = 0; i < result_.endpoints.size(); ++i) waiting_.push_back(i);
    }

    BroadcastResult run() {
        if (route_.stop_on_signals) end_on_signals();
        start(dial_loop());
        start(clock_loop());
        io_.run();  // until every coroutine has ended
        if (failure_) std::rethrow_exception(failure_);
        result_.report = engine_.report();
        result_.offline = route_.search && !route_.proxy && route_.search->reached_nobody();
        result_.has_no_known_address = route_.search && route_.search->has_no_known_address();
        return std::move(result_);
    }

private:
    struct Forget {
        BroadcastRun* run;
        void operator()(BroadcastLink* link) const;
    };
    /// A connection that the rest knows of as long as this lives.
    using JoinedLink = std::unique_ptr<BroadcastLink, Forget>;

    void start(asio::awaitable<void> task);
    asio::awaitable<void> until_end(asio::awaitable<void> task);
    asio::awaitable<void> dial_loop();
    asio::awaitable<void> clock_loop();
    asio::awaitable<void> serve(std::size_t index);
    asio::awaitable<void> ask_seed(std::string seed);
    asio::awaitable<void> read_loop(BroadcastLink& link);

    void look_for_peers();
    void offer(const Endpoint& endpoint);
    void dial_next();
    bool keeps_searching() const;
    bool may_find_more() const { return keeps_searching() && !route_.search->has_no_candidates(); }
    steady_clock::time_point next_look() const;
    std::size_t free_places() const { return route_.max_peers - in_use_; }

    JoinedLink join(std::size_t index, asio::ip::tcp::socket socket);
    void leave(BroadcastLink& link);
    void release(const Endpoint& endpoint);
    void fail_dial(std::size_t index, DialError error);
    void free_place();
    PeerAvailability availability() const;
    void tell_prospects();
    const Endpoint& endpoint_of(const BroadcastLink& link) const;
    void take_messages(BroadcastLink& link);
    void hand_over(BroadcastLink& link, const Message& message);
    void learn_from(BroadcastLink& link);
    void carry_out_commands();
    void carry_out(const Send& command);
    void carry_out(const Disconnect& command);
    void end_on_signals();
    void finish();

    Magic magic_;
    BroadcastRoute route_;
    BroadcastEngine engine_;
    BroadcastResult result_;
    asio::io_context io_{1};
    asio::signal_set signals_{io_};
    WakeUp clock_{io_.get_executor()};
    std::chrono::milliseconds clock_set_to_{0};
    WakeUp places_changed_{io_.get_executor()};
    Event ended_{io_.get_executor()};
    std::map<PeerId, BroadcastLink*> links_;
    std::deque<std::size_t> waiting_;  // endpoints to be dialled, in this order
    std::size_t in_use_ = 0;           // being dialled or connected
    std::size_t dialling_ = 0;         // or being looked for
    PeerId last_peer_ = 0;
    bool over_ = false;
    std::exception_ptr failure_;
};

void BroadcastRun::start(asio::awaitable<void> task) {
    asio::co_spawn(io_, until_end(std::move(task)), [this](std::exception_ptr thrown) {
        if (!thrown || over_) return;  // at the end, they only tell that they were cancelled
        failure_ = thrown;
        finish();
    });
}

asio::awaitable<void> BroadcastRun::until_end(asio::awaitable<void> task) {
    co_await first_of(std::move(task), ended_.wait());
}

void BroadcastRun::finish() {
    over_ = true;
    signals_.cancel();
    ended_.happen();
}

void BroadcastRun::end_on_signals() {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    signals_.add(SIGHUP);
    signals_.async_wait([this](boost::system::error_code cancelled, int /*signal*/) {
        if (cancelled) return;
        result_.interrupted = true;
        finish();
    });
}

/// Keeps as many connections as may be, as long as there is anybody to be dialled.
asio::awaitable<void> BroadcastRun::dial_loop() {
    while (!over_) {
        look_for_peers();
        while (free_places() > 0 && !waiting_.empty()) dial_next();
        tell_prospects();
        const auto time = next_look();
        co_await places_changed_.wait_until(time);
    }
}

void BroadcastRun::dial_next() {
    ++in_use_;
    ++dialling_;
    start(serve(waiting_.front()));
    waiting_.pop_front();
}

/// Whom nobody named is looked for once those that were named are in use.
void BroadcastRun::look_for_peers() {
    if (route_.search == nullptr || free_places() <= waiting_.size()) return;
    const std::size_t places = free_places() - waiting_.size();
    const Now now = read_clocks();
    for (const Endpoint& endpoint : route_.search->choose(places, now)) offer(endpoint);
    for (std::string& seed : route_.search->choose_questions(places, now)) {
        ++dialling_;
        start(ask_seed(std::move(seed)));
    }
}

void BroadcastRun::offer(const Endpoint& endpoint) {
    auto& reports = result_.endpoints;
    const auto known = find_report(reports, endpoint);
    waiting_.push_back(known.value_or(reports.size()));
    if (!known) reports.push_back({.endpoint = endpoint, .dials = 0, .last_failure = {}});
}

bool BroadcastRun::keeps_searching() const {
    return route_.search != nullptr && free_places() > 0 && !route_.search->is_hopeless();
}

steady_clock::time_point BroadcastRun::next_look() const {
    if (!keeps_searching()) return steady_clock::time_point::max();
    return steady_clock::time_point{route_.search->look_again_at(read_clocks())};
}

asio::awaitable<void> BroadcastRun::ask_seed(std::string seed) {
    const auto nodes = co_await route_.search->look_up(seed);
    route_.search->on_answer(seed, nodes, read_clocks());
    --dialling_;
    places_changed_.notify();
}

/// Dials an endpoint, and exchanges messages with whoever answers, until the connection ends.
asio::awaitable<void> BroadcastRun::serve(std::size_t index) {
    const Endpoint endpoint = result_.endpoints[index].endpoint;
    ++result_.endpoints[index].dials;
    auto socket = co_await dial_by(route_.proxy, endpoint, route_.connect_timeout);
    --dialling_;
    if (!socket) {
        fail_dial(index, socket.error());
        co_return;
    }
    const auto link = join(index, std::move(*socket));
    co_await first_of(read_loop(*link), link->connection.write_loop());
    leave(*link);
}

void BroadcastRun::fail_dial(std::size_t index, DialError error) {
    auto& report = result_.endpoints[index];
    report.last_failure = {DisconnectReason::unreachable, std::string{describe(error)},
                           is_about_proxy(error)};
    if (route_.search != nullptr) {
        route_.search->on_dial_failed(report.endpoint, error, read_clocks());
    }
    free_place();
}

/// Before the engine hears that somebody is gone, so that it knows whether another is to come.
void BroadcastRun::free_place() {
    --in_use_;
    tell_prospects();
    places_changed_.notify();
}

PeerAvailability BroadcastRun::availability() const {
    const bool more = !waiting_.empty();
    if (dialling_ > 0 || (more && free_places() > 0) || may_find_more())
        return PeerAvailability::now;
    const bool searches = route_.search != nullptr && !route_.search->is_hopeless();
    return more || searches ? PeerAvailability::later : PeerAvailability::none;
}

void BroadcastRun::tell_prospects() {
    engine_.on_availability(availability(), read_clocks());
    carry_out_commands();
}

const Endpoint& BroadcastRun::endpoint_of(const BroadcastLink& link) const {
    return result_.endpoints[link.index].endpoint;
}

BroadcastRun::JoinedLink BroadcastRun::join(std::size_t index, asio::ip::tcp::socket socket) {
    const auto identity = identity_of(result_.endpoints[index].endpoint, socket, route_.proxy);
    Connection connection{std::move(socket), magic_, ReadPace::at_once};
    JoinedLink link{new BroadcastLink{++last_peer_, index, std::move(connection)}, {this}};
    links_.emplace(link->id, link.get());
    const Now now = read_clocks();
    if (route_.search != nullptr) route_.search->on_connected(now);
    engine_.on_connected(link->id, identity, now);
    tell_prospects();
    return link;
}

void BroadcastRun::Forget::operator()(BroadcastLink* link) const {
    run->links_.erase(link->id);
    delete link;
}

void BroadcastRun::leave(BroadcastLink& link) {
    if (over_) return release(endpoint_of(link));
    const EndpointFailure failure =
        link.failure.value_or(EndpointFailure{DisconnectReason::gone, {}});
    result_.endpoints[link.index].last_failure = failure;
    free_place();
    engine_.on_closed(link.id, read_clocks());
    carry_out_commands();
    if (route_.search == nullptr) return;
    route_.search->on_ended(endpoint_of(link), failure.reason, PeerService::none, read_clocks());
}

/// At the end, those whose connection stands are left with no reproach.
void BroadcastRun::release(const Endpoint& endpoint) {
    if (route_.search == nullptr) return;
    route_.search->on_ended(endpoint, DisconnectReason::finished, PeerService::none, read_clocks());
}

asio::awaitable<void> BroadcastRun::read_loop(BroadcastLink& link) {
    while (link.connection.is_open() && !over_) {
        const auto error = co_await link.connection.receive();
        take_messages(link);
        if (error) co_return;
    }
}

void BroadcastRun::take_messages(BroadcastLink& link) {
    bool heard = false;
    while (link.connection.is_open() && !over_) {
        const auto frame = link.connection.next_frame();
        if (frame && *frame && !engine_.expects(link.id, **frame)) continue;  // dropped unread
        const auto message = received_message(frame);
        if (!message) {
            const auto& [reason, detail] = message.error();
            link.failure = {reason, detail};
            engine_.on_bad_bytes(link.id, reason, read_clocks());
        } else if (*message) {
            heard = true;
            hand_over(link, **message);
        } else {
            break;
        }
        carry_out_commands();
    }
    if (heard) learn_from(link);
}

void BroadcastRun::hand_over(BroadcastLink& link, const Message& message) {
    if (route_.search != nullptr) link.collector.note(message);
    engine_.on_message(link.id, message, read_clocks());
}

/// That the peer speaks, and what it says of others, is for the search.
void BroadcastRun::learn_from(BroadcastLink& link) {
    if (route_.search == nullptr) return;
    const Now now = read_clocks();
    if (route_.search->on_heard(endpoint_of(link), link.collector, link.since, now)) {
        places_changed_.notify();
    }
}

void BroadcastRun::carry_out_commands() {
    for (const Command& command : engine_.take_commands()) {
        std::visit([this](const auto& what) { carry_out(what); }, command);
    }
    if (route_.on_progress) route_.on_progress(engine_.report());
    if (engine_.finished()) return finish();
    if (engine_.next_deadline() < clock_set_to_) clock_.notify();
}

void BroadcastRun::carry_out(const Send& command) {
    const auto found = links_.find(command.peer);
    if (found == links_.end()) return;
    BroadcastLink& link = *found->second;
    if (!link.connection.is_open() || link.connection.send(command.message)) return;
    link.failure = {DisconnectReason::timed_out, "takes nothing of what it is sent"};
    link.connection.close();
}

void BroadcastRun::carry_out(const Disconnect& command) {
    const auto found = links_.find(command.peer);
    if (found == links_.end()) return;
    BroadcastLink& link = *found->second;
    if (!link.failure) link.failure = {command.reason, command.detail};
    link.connection.close();
}

asio::awaitable<void> BroadcastRun::clock_loop() {
    while (!over_) {
        clock_set_to_ = engine_.next_deadline();
        const steady_clock::time_point time{clock_set_to_};
        co_await clock_.wait_until(time);
        engine_.on_time(read_clocks());
        carry_out_commands();
    }
}

}  // namespace

BroadcastResult broadcast(chain::OwnTransaction transaction, const chain::NetworkParams& network,
                          BroadcastRoute route, BroadcastOptions options) {
    return BroadcastRun(std::move(transaction), network, std::move(route), std::move(options))
        .run();
}

}  // namespace petal::net
