#include "net/io/spv_timers.h"

namespace petal::net {

using std::chrono::milliseconds;

std::optional<milliseconds> ProgressReporter::wakes_at() const {
    return reported_at_ + (is_idle() ? kIdleInterval : kInterval);
}

void ProgressReporter::on_wake(Now now) {
    reported_phase_ = status_.phase;
    reported_at_ = now.steady;
    is_up_to_date_ = true;
    if (status_.phase >= SyncPhase::listening) headers_.flush_arrivals(now);
    if (options_.events.on_progress) options_.events.on_progress(status_, traffic_());
}

std::uint64_t HeaderFlusher::arrivals() const {
    const SyncCounts& counts = status_.counts;
    return counts.headers + counts.answers();
}

void HeaderFlusher::flush() const {
    if (saves_.flush_headers) saves_.flush_headers();
}

std::optional<milliseconds> HeaderFlusher::wakes_at() const {
    const std::uint64_t unflushed = arrivals() - flushed_arrivals_;
    if (!saves_.flush_headers || unflushed == 0) return std::nullopt;
    return unflushed < kArrivalsPerFlush ? flushed_at_ + kInterval : flushed_at_;
}

void HeaderFlusher::flush_arrivals(Now now) {
    if (arrivals() != flushed_arrivals_) on_wake(now);
}

void HeaderFlusher::on_wake(Now now) {
    flush();
    flushed_arrivals_ = arrivals();
    flushed_at_ = now.steady;
}

void PeerSaver::save() const {
    if (options_.search) options_.search->draw_anchors();
    if (options_.saves.save_peers) options_.saves.save_peers();
}

std::optional<milliseconds> PeerSaver::wakes_at() const {
    if (!options_.saves.save_peers) return std::nullopt;
    return saved_at_ + options_.saves.save_peers_every;
}

void PeerSaver::on_wake(Now now) {
    save();
    saved_at_ = now.steady;
}

SpvTimers::SpvTimers(const SpvOptions& options, const SyncStatus& status,
                     std::function<Traffic()> traffic, std::function<void()> on_timeout,
                     Milliseconds now)
    : headers_(options.saves, status, now),
      peers_(options, now),
      reporter_(options, status, headers_, std::move(traffic), now),
      timeout_(options.timeout, std::move(on_timeout), now) {
    timers_.add(headers_);
    timers_.add(peers_);
    timers_.add(reporter_);
    timers_.add(timeout_);
}

void SpvTimers::wake(Now now) {
    reporter_.report_new_phase(now);
    timers_.wake(now);
}

void SpvTimers::save_all() const {
    headers_.flush();
    peers_.save();
}

}  // namespace petal::net
