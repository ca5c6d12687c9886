#include "net/io/spv_client.h"

#include <algorithm>
#include <utility>

#include "net/io/clocks.h"
#include "net/io/spv_client_state.h"

namespace petal::net {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kProgressInterval{100};
// How often the time is looked at while there is nothing to do: often enough to notice soon that
// the machine has slept, and seldom enough to cost nothing in a sync that goes on for months.
constexpr milliseconds kIdleInterval{20'000};
constexpr milliseconds kFlushInterval{2'000};
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
      saved_peers_at_(start_),
      driver_(*this, {.magic = network.magic,
                      .proxy = options_.proxy,
                      .connect_timeout = options_.connect_timeout,
                      .read_pace = ReadPace::batched,
                      .stop_on_signals = options_.stop_on_signals}) {}

SpvResult SpvClient::State::run() {
    if (options_.search) options_.search->begin_with_anchors();
    driver_.run();
    result_.outcome = outcome_.value();
    note_search();
    if (result_.outcome != SyncOutcome::synced) engine_.flush(read_clocks());
    if (options_.flush_headers) options_.flush_headers();
    save_peers();
    if (options_.on_progress) options_.on_progress(engine_.status(), result_.traffic);
    return result_;
}

void SpvClient::State::note_search() {
    if (!options_.search) return;
    result_.offline = !options_.proxy && options_.search->reached_nobody();
    result_.has_no_known_address = options_.search->has_no_known_address();
    result_.seed_lookups = options_.search->seed_lookups();
}

/// What a callback throws ends the run.
void SpvClient::State::tell_of_failure() {
    if (!options_.on_failure) return;
    note_search();
    driver_.step([this] { options_.on_failure(result_); });
}

void SpvClient::State::stop() {
    driver_.post([this] { finish(SyncOutcome::interrupted); });
}

void SpvClient::State::finish(SyncOutcome outcome) {
    if (!outcome_) outcome_ = outcome;
    driver_.finish();
}

Endpoint SpvClient::State::endpoint_at(std::size_t index) const {
    return result_.endpoints[index].endpoint;
}

PeerLink::Origin SpvClient::State::origin_of(std::size_t index) const {
    return {index, best_synced_height_, read_clocks().steady};
}

void SpvClient::State::on_joined(PeerLink& link, PeerIdentity identity) {
    const auto now = read_clocks();
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

/// Hands the engine what came, until it has enough of this peer.
void SpvClient::State::on_received(PeerLink& link) {
    const auto now = read_clocks();
    bool heard = false;
    while (link.connection().is_open() && !driver_.is_over() && link.hand_over_next(engine_, now)) {
        heard = true;
        carry_out_commands();
    }
    if (heard) learn_from(link, now);
    note_progress(link, now);
    if (driver_.is_over()) return;
    flush_headers_if_due(now.steady);
    report_progress(now.steady);
    note_event();
}

void SpvClient::State::note_progress(PeerLink& link, Now now) {
    const auto& status = engine_.status();
    const auto before = link.service();
    link.note_progress(status, status.header_height > best_header_height_);
    best_header_height_ = std::max(best_header_height_, status.header_height);
    best_synced_height_ = std::max(best_synced_height_, status.synced_height);
    if (link.service() == before) return;
    if (options_.search) options_.search->on_service(endpoint_of(link), link.service(), now);
    plan_.on_serving(link.endpoint());
    driver_.look_again();
}

const Endpoint& SpvClient::State::endpoint_of(const PeerLink& link) const {
    return result_.endpoints[link.endpoint()].endpoint;
}

/// That the peer speaks, and what it says of others, is for the search.
void SpvClient::State::learn_from(PeerLink& link, Now now) {
    if (!options_.search) {
        link.collector().take_gossip();  // without a search it is of no use
        return;
    }
    const auto since = link.origin().time;
    if (options_.search->on_heard(endpoint_of(link), link.collector(), since, now)) {
        driver_.look_again();
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
        const bool served = link.serves() || link.has_answered(engine_.status());
        const auto service = served ? PeerService::answered : PeerService::none;
        return report_end(link, DisconnectReason::finished, service);
    }
    auto failure = link.failure();
    const auto service = link.service_until(engine_.status(), failure.reason);
    report_end(link, failure.reason, service);
    fail(link.endpoint(), std::move(failure), service != PeerService::none);
}

void SpvClient::State::report_end(PeerLink& link, DisconnectReason reason, PeerService service) {
    if (!options_.search) return;
    options_.search->on_ended(endpoint_of(link), reason, service, read_clocks());
}

void SpvClient::State::fail(std::size_t index, EndpointFailure failure, bool served) {
    plan_.on_failed(index, failure.reason, served, read_clocks().steady);
    driver_.look_again();
    result_.endpoints[index].last_failure = std::move(failure);
    tell_of_failure();
}

void SpvClient::State::carry_out_commands() {
    driver_.carry_out(engine_.take_commands());
    if (engine_.finished()) finish(SyncOutcome::synced);
}

/// Sees to it that what has happened is told soon, and wakes the clock earlier where the engine
/// wants that. Not for each message: while much is going on, the clock ticks often anyway.
void SpvClient::State::note_event() {
    all_is_told_ = false;
    driver_.note_deadline();
}

/// Whether there is nothing to tell until a peer sends something.
bool SpvClient::State::is_idle() const {
    return all_is_told_ && engine_.status().phase == SyncPhase::listening;
}

milliseconds SpvClient::State::next_wake_up(milliseconds now) const {
    auto time = now + (is_idle() ? kIdleInterval : kProgressInterval);
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
    if (engine_.status().stored_batches != stored) all_is_told_ = false;
    carry_out_commands();
    flush_headers_if_due(now.steady);
    save_peers_if_due(now.steady);
    if (is_idle()) return;
    report_progress(now.steady);
    all_is_told_ = reported_at_ == now.steady;
}

void SpvClient::State::save_peers_if_due(milliseconds now) {
    if (!options_.save_peers || now < saved_peers_at_ + options_.save_peers_every) return;
    save_peers();
    saved_peers_at_ = now;
}

void SpvClient::State::save_peers() {
    if (options_.search) options_.search->draw_anchors();
    if (options_.save_peers) options_.save_peers();
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
    const auto& status = engine_.status();
    if (status.phase == reported_phase_ && now < reported_at_ + kProgressInterval) return;
    reported_phase_ = status.phase;
    reported_at_ = now;
    if (options_.on_progress) options_.on_progress(status, traffic());
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

}  // namespace petal::net
