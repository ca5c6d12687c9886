#include "net/io/broadcast_client.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "net/io/clocks.h"
#include "net/io/driver.h"
#include "net/io/search/peer_search.h"

namespace petal::net {

namespace {

using std::chrono::steady_clock;

/// Implements the driver's interfaces for a broadcast: each endpoint is dialled once.
class BroadcastRun final : private DriverUser, private Dialler {
public:
    BroadcastRun(chain::OwnTransaction transaction, const chain::NetworkParams& network,
                 BroadcastRoute route, BroadcastOptions options)
        : route_(std::move(route)),
          engine_(std::move(transaction), std::move(options), read_clocks()),
          search_(route_.search, route_.proxy.has_value()),
          driver_(*this, *this,
                  {.magic = network.magic,
                   .proxy = route_.proxy,
                   .connect_timeout = route_.connect_timeout,
                   .read_pace = ReadPace::at_once,
                   .stop_on_signals = route_.stop_on_signals}) {
        result_.endpoints = reports_of(route_.endpoints);
        for (std::size_t i = 0; i < result_.endpoints.size(); ++i) waiting_.push_back(i);
    }
    ~BroadcastRun() = default;
    BroadcastRun(const BroadcastRun&) = delete;
    BroadcastRun& operator=(const BroadcastRun&) = delete;

    BroadcastResult run() {
        driver_.run();
        result_.report = engine_.report();
        result_.search = search_.report();
        return std::move(result_);
    }

private:
    std::optional<steady_clock::time_point> dial_more(Now now) override;
    const Endpoint& endpoint_at(std::size_t index) const override {
        return result_.endpoints[index].endpoint;
    }
    void on_dial_failed(std::size_t index, DialError error) override;
    void on_no_peer_left() override {}  // never: dial_more() always returns a time
    void on_joined(PeerLink& link, PeerIdentity identity) override;
    void on_received(PeerLink& link) override;
    void on_left(PeerLink& link) override;
    std::chrono::milliseconds next_wake_up() const override { return engine_.next_deadline(); }
    void on_wake_up(Now now) override;
    void on_signal() override;

    void look_for_peers(Now now);
    void offer(const Endpoint& endpoint);
    bool keeps_searching() const;
    bool may_find_more() const { return keeps_searching() && !search_.has_no_candidates(); }
    std::size_t free_places() const { return route_.max_peers - in_use_; }
    void free_place();
    PeerAvailability availability() const;
    void tell_availability();
    void carry_out_commands();

    BroadcastRoute route_;
    BroadcastEngine engine_;
    BroadcastResult result_;
    PeerSearch search_;
    std::deque<std::size_t> waiting_;  // endpoints to be dialled, in this order
    std::size_t in_use_ = 0;           // dialled or connected
    std::size_t dialling_ = 0;         // dialled or looked up
    Driver driver_;
};

/// Keeps the maximum number of connections while there are nodes to dial.
std::optional<steady_clock::time_point> BroadcastRun::dial_more(Now now) {
    look_for_peers(now);
    while (free_places() > 0 && !waiting_.empty()) {
        ++in_use_;
        ++dialling_;
        ++result_.endpoints[waiting_.front()].dials;
        driver_.serve(waiting_.front());
        waiting_.pop_front();
    }
    tell_availability();
    return keeps_searching() ? search_.look_again_at(now) : steady_clock::time_point::max();
}

/// Searches for more peers once all named endpoints are in use.
void BroadcastRun::look_for_peers(Now now) {
    if (free_places() <= waiting_.size()) return;
    const std::size_t places = free_places() - waiting_.size();
    for (const Endpoint& endpoint : search_.choose(places, now)) offer(endpoint);
    for (std::string& seed : search_.choose_seeds(places, now)) {
        ++dialling_;
        driver_.ask_seed(search_.finder(), std::move(seed), [this] { --dialling_; });
    }
}

void BroadcastRun::offer(const Endpoint& endpoint) {
    auto& reports = result_.endpoints;
    const auto known = find_report(reports, endpoint);
    waiting_.push_back(known.value_or(reports.size()));
    if (!known) reports.push_back({.endpoint = endpoint, .dials = 0, .last_failure = {}});
}

bool BroadcastRun::keeps_searching() const {
    return free_places() > 0 && !search_.can_find_no_peer();
}

void BroadcastRun::on_dial_failed(std::size_t index, DialError error) {
    --dialling_;
    auto& report = result_.endpoints[index];
    report.last_failure = failure_of(error);
    search_.on_dial_failed(report.endpoint, error, read_clocks());
    free_place();
}

/// Called before BroadcastEngine::on_closed(), so that the engine knows whether a replacement will
/// be connected.
void BroadcastRun::free_place() {
    --in_use_;
    tell_availability();
    driver_.look_again();
}

PeerAvailability BroadcastRun::availability() const {
    const bool more = !waiting_.empty();
    if (dialling_ > 0 || (more && free_places() > 0) || may_find_more())
        return PeerAvailability::now;
    return more || !search_.can_find_no_peer() ? PeerAvailability::later : PeerAvailability::none;
}

void BroadcastRun::tell_availability() {
    engine_.on_availability(availability(), read_clocks());
    carry_out_commands();
}

void BroadcastRun::on_joined(PeerLink& link, PeerIdentity identity) {
    --dialling_;
    const Now now = read_clocks();
    search_.on_connected(now);
    engine_.on_connected(link.id(), std::move(identity), now);
    tell_availability();
}

/// A peer that is connected when the run ends is not blamed.
void BroadcastRun::on_left(PeerLink& link) {
    const Endpoint endpoint = endpoint_at(link.endpoint());
    auto reason = DisconnectReason::finished;
    if (!driver_.is_over()) {
        const EndpointFailure failure = link.failure();
        reason = failure.reason;
        result_.endpoints[link.endpoint()].last_failure = failure;
        free_place();
        engine_.on_closed(link.id(), read_clocks());
        carry_out_commands();
    }
    search_.on_ended(endpoint, reason, PeerService::none, read_clocks());
}

/// Passes received messages to the engine, and gossip to the search.
void BroadcastRun::on_received(PeerLink& link) {
    bool heard = false;
    while (link.connection().is_open() && !driver_.is_over()) {
        const Now now = read_clocks();
        if (!link.hand_over_next(engine_, now)) break;
        heard = true;
        carry_out_commands();
    }
    if (!heard) return;
    const Endpoint endpoint = endpoint_at(link.endpoint());
    if (search_.on_heard(endpoint, link.collector(), link.origin().time, read_clocks())) {
        driver_.look_again();
    }
}

void BroadcastRun::carry_out_commands() {
    driver_.links().carry_out(engine_.take_commands());
    if (route_.on_progress) route_.on_progress(engine_.report());
    if (engine_.finished()) return driver_.finish();
    driver_.reschedule();
}

void BroadcastRun::on_wake_up(Now now) {
    engine_.on_time(now);
    carry_out_commands();
}

void BroadcastRun::on_signal() {
    result_.interrupted = true;
    driver_.finish();
}

}  // namespace

BroadcastResult broadcast(chain::OwnTransaction transaction, const chain::NetworkParams& network,
                          BroadcastRoute route, BroadcastOptions options) {
    return BroadcastRun(std::move(transaction), network, std::move(route), std::move(options))
        .run();
}

}  // namespace petal::net
