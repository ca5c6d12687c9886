#include "net/io/spv_client.h"

#include <algorithm>
#include <utility>

#include "net/io/clocks.h"
#include "net/io/driver.h"
#include "net/io/peer_link.h"
#include "net/io/periodic_saves.h"
#include "net/io/progress_reporter.h"
#include "net/io/spv_dialler.h"

namespace petal::net {

namespace {

using std::chrono::milliseconds;

}  // namespace

/// The driver's user for a sync: hands the engine what comes, carries out what it says, ends the
/// run.
class SpvClient::State final : private DriverUser {
public:
    /// io   null for one of its own
    State(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options,
          std::shared_ptr<asio::io_context> io = nullptr);
    ~State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    SpvResult run();
    void stop();

    /// The parts of run(), for a group that runs the io_context.
    void begin(bool is_alone);
    SpvGroup::End end();
    /// Another sync may have moved the chain, or ended its download of headers.
    void note_others() { driver_.note_deadline(); }
    /// Another sync has found nodes.
    void look_again() { driver_.look_again(); }
    /// Called after each event of this sync, when it has found nodes, and when an exception cannot
    /// be told; empty for a sync alone.
    std::function<void()> on_event;
    std::function<void()> on_found;
    std::function<void()> on_untold;

private:
    std::chrono::steady_clock::time_point dial_more(Now now) override;
    Endpoint endpoint_at(std::size_t index) const override;
    PeerLink::Origin origin_of(std::size_t index) const override;
    void on_dial_failed(std::size_t index, DialError error) override;
    void on_joined(PeerLink& link, PeerIdentity identity) override;
    void on_received(PeerLink& link) override;
    void on_left(PeerLink& link) override;
    void on_forgotten(PeerLink& link) override;
    std::chrono::milliseconds next_wake_up(std::chrono::milliseconds now) const override;
    void on_wake_up(Now now) override;
    void on_signal() override { finish(SyncOutcome::interrupted); }
    void on_over() override;

    const Endpoint& endpoint_of(const PeerLink& link) const;
    void learn_from(PeerLink& link, Now now);
    void note_progress(PeerLink& link, Now now);
    void report_end(PeerLink& link, DisconnectReason reason, PeerService service);
    void fail(std::size_t index, EndpointFailure failure, bool served, Now now);
    void finish(SyncOutcome outcome);
    SpvResult take_result();
    bool is_in_group() const { return on_event != nullptr; }
    void catch_up(Now now);
    void note_search();
    void tell_of_failure();
    void tell_of_seed();
    void carry_out_commands();
    void note_event();

    Traffic traffic() const;

    SyncEngine& engine_;
    SpvOptions options_;
    std::chrono::milliseconds start_;
    SpvResult result_;
    std::optional<SyncOutcome> outcome_;
    std::uint32_t best_header_height_;  // both as high as they ever were
    std::uint32_t best_synced_height_;
    std::uint64_t noted_headers_ = 0;  // of the status
    ProgressReporter reporter_;
    PeriodicSaves saves_;
    SpvDialler dialler_;
    Driver driver_;
};

SpvClient::State::State(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options,
                        std::shared_ptr<asio::io_context> io)
    : engine_(engine),
      options_(std::move(options)),
      start_(read_clocks().steady),
      result_{
          .outcome = {}, .endpoints = reports_of(options_.endpoints), .peers = {}, .traffic = {}},
      best_header_height_(engine.status().header_height),
      best_synced_height_(engine.status().synced_height),
      reporter_(options_, [this] { return traffic(); }),
      saves_(options_, start_),
      dialler_(options_, network.magic, driver_, result_.endpoints, [this] { tell_of_seed(); }),
      driver_(*this, {.magic = network.magic,
                      .proxy = options_.proxy,
                      .connect_timeout = options_.connect_timeout,
                      .read_pace = ReadPace::batched,
                      .stop_on_signals = options_.stop_on_signals,
                      .io = std::move(io)}) {}

SpvResult SpvClient::State::run() {
    if (options_.search) options_.search->begin_with_anchors();
    driver_.run();
    return take_result();
}

void SpvClient::State::begin(bool is_alone) {
    if (options_.search && is_alone) options_.search->begin_with_anchors();
    if (options_.search && !is_alone) options_.search->begin_for_several_watchers();
    driver_.begin();
}

SpvGroup::End SpvClient::State::end() {
    try {
        if (driver_.failure()) std::rethrow_exception(driver_.failure());
        return {take_result(), nullptr};
    } catch (...) {
        return {result_, std::current_exception()};
    }
}

/// Other syncs must not wait for what this one has begun.
void SpvClient::State::on_over() {
    if (is_in_group()) {
        dialler_.give_up_search(read_clocks());
        on_event();
    }
    if (!driver_.failure() || !options_.on_exception) return;
    try {
        options_.on_exception(driver_.failure());
    } catch (...) {
        // What ended this sync counts. Thrown on, this would end the io_context before the
        // coroutines that run on it.
        if (on_untold) on_untold();
    }
}

SpvResult SpvClient::State::take_result() {
    result_.outcome = outcome_.value();
    note_search();
    if (result_.outcome != SyncOutcome::synced) engine_.flush(read_clocks());
    saves_.save_all();
    if (options_.on_progress) options_.on_progress(engine_.status(), result_.traffic);
    return result_;
}

void SpvClient::State::note_search() {
    if (!options_.search) return;
    result_.offline = !options_.proxy && options_.search->has_reached_no_node();
    result_.has_no_known_address = options_.search->has_no_known_address();
    result_.seed_lookups = options_.search->seed_lookups();
}

/// What a callback throws ends the run.
void SpvClient::State::tell_of_failure() {
    if (!options_.on_failure) return;
    note_search();
    driver_.step([this] { options_.on_failure(result_); });
}

void SpvClient::State::tell_of_seed() {
    tell_of_failure();
    if (on_found) on_found();
}

void SpvClient::State::stop() {
    driver_.post([this] { finish(SyncOutcome::interrupted); });
}

void SpvClient::State::finish(SyncOutcome outcome) {
    if (!outcome_) outcome_ = outcome;
    driver_.finish();
}

std::chrono::steady_clock::time_point SpvClient::State::dial_more(Now now) {
    const auto next_look = dialler_.dial_more(now);
    if (!next_look) finish(SyncOutcome::no_usable_peer);
    return next_look.value_or(std::chrono::steady_clock::time_point::max());
}

Endpoint SpvClient::State::endpoint_at(std::size_t index) const {
    return dialler_.endpoint(index);
}

void SpvClient::State::on_dial_failed(std::size_t index, DialError error) {
    if (driver_.is_over() && is_in_group()) return;  // the search has been told
    const auto now = read_clocks();
    if (options_.search) options_.search->on_dial_failed(dialler_.endpoint(index), error, now);
    fail(index,
         {DisconnectReason::unreachable, std::string{describe(error)}, is_about_proxy(error)},
         /*served=*/false, now);
}

PeerLink::Origin SpvClient::State::origin_of(std::size_t index) const {
    return {index, best_synced_height_, read_clocks().steady};
}

void SpvClient::State::on_joined(PeerLink& link, PeerIdentity identity) {
    const auto now = read_clocks();
    dialler_.on_connected(link.endpoint());
    if (options_.search) options_.search->on_connected(now);
    if (options_.on_message) {
        link.set_on_message([this, address = identity.address](
                                bool is_sent, std::string_view command, std::size_t bytes) {
            options_.on_message(address, is_sent, command, bytes);
        });
    }
    engine_.on_connected(link.id(), std::move(identity), now);
    carry_out_commands();
    note_event();
}

void SpvClient::State::on_forgotten(PeerLink& link) {
    result_.traffic += link.traffic();
    const auto& reports = engine_.status().peers;
    if (reports.empty()) return;
    std::erase_if(result_.peers,
                  [&](const PeerTraffic& of) { return of.peer < reports.front().id; });
    result_.peers.push_back({link.id(), link.traffic()});
}

/// Before the state of the sync is reported: nothing may have come for its engine since another
/// moved the chain.
void SpvClient::State::catch_up(Now now) {
    if (engine_.is_current()) return;
    engine_.on_time(now);
    carry_out_commands();
}

/// Hands the engine what came, until it has enough of this peer.
void SpvClient::State::on_received(PeerLink& link) {
    const auto now = read_clocks();
    catch_up(now);
    bool heard = false;
    while (link.connection().is_open() && !driver_.is_over() && link.hand_over_next(engine_, now)) {
        heard = true;
        carry_out_commands();
    }
    if (heard) learn_from(link, now);
    note_progress(link, now);
    if (driver_.is_over()) return;
    saves_.flush_headers_if_due(engine_.status(), now.steady);
    reporter_.report(engine_.status(), now.steady);
    note_event();
}

void SpvClient::State::note_progress(PeerLink& link, Now now) {
    const auto& status = engine_.status();
    const auto before = link.service();
    // Headers that another sync has brought are not this peer's.
    const bool any_new = std::exchange(noted_headers_, status.headers) != status.headers;
    link.note_progress(status, any_new && status.header_height > best_header_height_);
    best_header_height_ = std::max(best_header_height_, status.header_height);
    best_synced_height_ = std::max(best_synced_height_, status.synced_height);
    if (link.service() == before) return;
    if (options_.search) options_.search->on_service(endpoint_of(link), link.service(), now);
    dialler_.on_serving(link.endpoint());
}

const Endpoint& SpvClient::State::endpoint_of(const PeerLink& link) const {
    return dialler_.endpoint(link.endpoint());
}

/// That the peer speaks, and what it says of others, is for the search.
void SpvClient::State::learn_from(PeerLink& link, Now now) {
    if (!options_.search) {
        link.collector().take_gossip();  // without a search it is of no use
        return;
    }
    const auto since = link.origin().time;
    if (options_.search->on_heard(endpoint_of(link), link.collector(), since, now,
                                  options_.watcher)) {
        driver_.look_again();
        if (on_found) on_found();
    }
}

/// Settles what the end of a connection means for the engine and for the endpoint.
void SpvClient::State::on_left(PeerLink& link) {
    driver_.step([&] {
        if (!link.ended_by_engine()) engine_.on_closed(link.id(), read_clocks());
        carry_out_commands();
        note_event();
    });
    if (driver_.is_over()) {
        // One that was opened too late for the engine: the search has been told.
        if (is_in_group() && find_report(engine_.status(), link.id()) == nullptr) return;
        const bool served = link.serves() || link.has_answered(engine_.status());
        const auto service = served ? PeerService::answered : PeerService::none;
        return report_end(link, DisconnectReason::finished, service);
    }
    auto failure = link.failure();
    const auto service = link.service_until(engine_.status(), failure.reason);
    report_end(link, failure.reason, service);
    fail(link.endpoint(), std::move(failure), service != PeerService::none, read_clocks());
}

void SpvClient::State::report_end(PeerLink& link, DisconnectReason reason, PeerService service) {
    if (!options_.search) return;
    options_.search->on_ended(endpoint_of(link), reason, service, read_clocks());
}

void SpvClient::State::fail(std::size_t index, EndpointFailure failure, bool served, Now now) {
    dialler_.on_failed(index, std::move(failure), served, now);
    tell_of_failure();
}

void SpvClient::State::carry_out_commands() {
    driver_.carry_out(engine_.take_commands());
    if (engine_.finished()) finish(SyncOutcome::synced);
}

/// Sees to it that what has happened is told soon, and wakes the clock earlier where the engine
/// wants that. Not for each message: while much is going on, the clock ticks often anyway.
void SpvClient::State::note_event() {
    reporter_.note_event();
    driver_.note_deadline();
    if (on_event) on_event();
}

milliseconds SpvClient::State::next_wake_up(milliseconds now) const {
    auto time = now + (reporter_.is_idle(engine_.status()) ? ProgressReporter::kIdleInterval
                                                           : ProgressReporter::kInterval);
    if (options_.timeout) time = std::min(time, start_ + *options_.timeout);
    if (const auto deadline = engine_.next_deadline()) time = std::min(time, *deadline);
    return time;
}

/// Tells the engine the time when it wants to know, and does what is due at intervals.
void SpvClient::State::on_wake_up(Now now) {
    if (options_.timeout && now.steady >= start_ + *options_.timeout) {
        return finish(SyncOutcome::timed_out);
    }
    const std::uint64_t stored = engine_.status().stored_batches;
    engine_.on_time(now);
    if (engine_.status().stored_batches != stored) reporter_.note_event();
    carry_out_commands();
    saves_.flush_headers_if_due(engine_.status(), now.steady);
    saves_.save_peers_if_due(now.steady);
    reporter_.report_rest(engine_.status(), now.steady);
    if (on_event) on_event();
}

Traffic SpvClient::State::traffic() const {
    auto sum = result_.traffic;
    for (const auto* link : driver_.links()) sum += link->traffic();
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

struct SpvGroup::Members {
    std::shared_ptr<asio::io_context> io = std::make_shared<asio::io_context>(1);
    std::vector<std::unique_ptr<SpvClient::State>> syncs;
};

SpvGroup::SpvGroup() : members_(std::make_unique<Members>()) {}

SpvGroup::~SpvGroup() = default;

void SpvGroup::add(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options) {
    auto& syncs = members_->syncs;
    syncs.push_back(
        std::make_unique<SpvClient::State>(engine, network, std::move(options), members_->io));
    SpvClient::State* const added = syncs.back().get();
    const auto of_others = [&syncs, added](auto what) {
        return [&syncs, added, what] {
            for (const auto& sync : syncs) {
                if (sync.get() != added) (*sync.*what)();
            }
        };
    };
    added->on_event = of_others(&SpvClient::State::note_others);
    added->on_found = of_others(&SpvClient::State::look_again);
    added->on_untold = of_others(&SpvClient::State::stop);
}

std::vector<SpvGroup::End> SpvGroup::run() {
    const bool is_alone = members_->syncs.size() == 1;
    for (const auto& sync : members_->syncs) sync->begin(is_alone);
    members_->io->run();
    std::vector<End> ends;
    for (const auto& sync : members_->syncs) ends.push_back(sync->end());
    return ends;
}

void SpvGroup::stop() {
    for (const auto& sync : members_->syncs) sync->stop();
}

}  // namespace petal::net
