#include "net/io/spv_run.h"

#include <utility>

#include "net/io/clocks.h"

namespace petal::net {

using std::chrono::milliseconds;

SpvRun::SpvRun(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options,
               SyncGroupPeers* group_peers, std::shared_ptr<asio::io_context> io)
    : engine_(engine),
      options_(std::move(options)),
      group_peers_(group_peers),
      result_{
          .outcome = {}, .endpoints = reports_of(options_.endpoints), .peers = {}, .traffic = {}},
      timers_(
          options_, engine.status(),
          [this] {
              auto sum = result_.traffic;
              return sum += driver_.links().traffic();
          },
          [this] { finish(SyncOutcome::timed_out); }, read_clocks().steady),
      search_(options_.search, options_.proxy.has_value(), group_peers ? group_peers->number() : 0),
      dialler_(options_, network.magic, driver_, search_, result_, group_peers),
      feedback_(engine, search_, dialler_),
      driver_(*this, dialler_,
              {.magic = network.magic,
               .proxy = options_.proxy,
               .connect_timeout = options_.connect_timeout,
               .read_pace = ReadPace::batched,
               .stop_on_signals = options_.stop_on_signals,
               .io = std::move(io)}) {}

SpvResult SpvRun::run() {
    search_.begin_with_anchors();
    driver_.run();
    return take_result();
}

void SpvRun::begin(bool is_alone) {
    if (is_alone) {
        search_.begin_with_anchors();
    } else {
        search_.begin_for_several_watchers();
    }
    driver_.begin();
}

SpvGroup::End SpvRun::end() {
    try {
        if (driver_.failure()) std::rethrow_exception(driver_.failure());
        return {take_result(), nullptr};
    } catch (...) {
        return {result_, std::current_exception()};
    }
}

/// The other syncs must not wait for the open dials and requests of this sync.
void SpvRun::on_over() {
    if (group_peers_) {
        dialler_.give_up_search(read_clocks());
        search_.end();
        group_peers_->reschedule_others();
        group_peers_->look_again();
    }
    if (!driver_.failure() || !options_.events.on_exception) return;
    try {
        options_.events.on_exception(driver_.failure());
    } catch (...) {
        // The first exception is reported. Rethrowing the second one would stop the io_context
        // before its coroutines have ended.
        if (group_peers_) group_peers_->stop();
    }
}

SpvResult SpvRun::take_result() {
    result_.outcome = outcome_.value();
    result_.search = search_.report();
    if (result_.outcome != SyncOutcome::synced) engine_.flush(read_clocks());
    timers_.save_all();
    if (options_.events.on_progress) options_.events.on_progress(engine_.status(), result_.traffic);
    return result_;
}

void SpvRun::stop() {
    driver_.post([this] { finish(SyncOutcome::interrupted); });
}

void SpvRun::finish(SyncOutcome outcome) {
    if (!outcome_) outcome_ = outcome;
    driver_.finish();
}

void SpvRun::on_joined(PeerLink& link, PeerIdentity identity) {
    const auto now = read_clocks();
    feedback_.on_joined(link, now);
    if (options_.events.on_message) {
        link.set_on_message([this, address = identity.address](
                                bool is_sent, std::string_view command, std::size_t bytes) {
            options_.events.on_message(address, is_sent, command, bytes);
        });
    }
    engine_.on_connected(link.id(), std::move(identity), now);
    carry_out_commands();
    on_event();
}

void SpvRun::on_forgotten(PeerLink& link) {
    result_.traffic += link.traffic();
    result_.peers.push_back({link.id(), link.traffic()});
    forget_unreported(result_.peers, engine_.status().peers);
}

/// Called before the state of the sync is reported. Another engine may have changed the chain since
/// this engine's last event.
void SpvRun::catch_up(Now now) {
    if (engine_.is_current()) return;
    engine_.on_time(now);
    carry_out_commands();
}

/// Passes received messages to the engine until none is left, or the connection closes.
void SpvRun::on_received(PeerLink& link) {
    const auto now = read_clocks();
    catch_up(now);
    bool heard = false;
    while (link.connection().is_open() && !driver_.is_over() && link.hand_over_next(engine_, now)) {
        heard = true;
        carry_out_commands();
    }
    if (heard && feedback_.on_heard(link, now)) {
        driver_.look_again();
        if (group_peers_) group_peers_->look_again();
    }
    feedback_.on_handed_over(link, now);
    if (driver_.is_over()) return;
    timers_.wake(now);
    on_event();
}

/// Reports the end of a connection to the engine, the search and the dialler.
void SpvRun::on_left(PeerLink& link) {
    driver_.step([&] {
        if (!link.ended_by_engine()) engine_.on_closed(link.id(), read_clocks());
        carry_out_commands();
        on_event();
    });
    const auto now = read_clocks();
    if (driver_.is_over()) {
        // Without a report, the engine never saw the connection. The search was told by
        // give_up_search().
        if (group_peers_ && find_report(engine_.status().peers, link.id()) == nullptr) return;
        feedback_.on_run_over(link, now);
    } else {
        feedback_.on_left(link, now);
    }
}

void SpvRun::carry_out_commands() {
    driver_.links().carry_out(engine_.take_commands());
    dialler_.set_extra(engine_.tip_watch().wants_extra_peer());
    dialler_.set_source(engine_.status().source, read_clocks());
    if (engine_.finished()) finish(SyncOutcome::synced);
}

/// Schedules a report, and wakes the driver at the earliest deadline.
void SpvRun::on_event() {
    timers_.on_event();
    driver_.reschedule();
    if (group_peers_) group_peers_->reschedule_others();
}

milliseconds SpvRun::next_wake_up() const {
    return earlier_of(timers_.next(), engine_.next_deadline()).value();
}

/// Calls the engine even if only a timer is due. Timers are due as long as the run lasts, so the
/// engine soon notices that the machine was asleep.
void SpvRun::on_wake_up(Now now) {
    const std::uint64_t stored = engine_.status().counts.stored_batches;
    engine_.on_time(now);
    if (engine_.status().counts.stored_batches != stored) timers_.on_event();
    carry_out_commands();
    timers_.wake(now);
    if (group_peers_) group_peers_->reschedule_others();
}

}  // namespace petal::net
