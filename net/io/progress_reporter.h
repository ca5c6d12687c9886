/// Progress of a sync, for its user.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "net/io/spv_client.h"

namespace petal::net {

/// Reports progress to the user.
class ProgressReporter {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr Milliseconds kInterval{100};
    /// While there is nothing to do: seldom enough to cost nothing in a sync that runs for months.
    /// Other processes read the reports, and take a sync that has not reported for 10 s to hang.
    static constexpr Milliseconds kIdleInterval{2'000};

    /// `options` must outlive the reporter.
    /// traffic   counts the bytes of all connections so far
    ProgressReporter(const SpvOptions& options, std::function<Traffic()> traffic)
        : options_(options), traffic_(std::move(traffic)) {}

    void note_event() { is_up_to_date_ = false; }
    /// Whether there is nothing to report until a peer sends something.
    bool is_idle(const SyncStatus& status) const {
        return is_up_to_date_ && status.phase == SyncPhase::listening;
    }
    /// Reports at most once in kInterval unless the phase has changed.
    void report(const SyncStatus& status, Milliseconds now) {
        if (status.phase == reported_phase_ && now < reported_at_ + kInterval) return;
        reported_phase_ = status.phase;
        reported_at_ = now;
        if (options_.events.on_progress) options_.events.on_progress(status, traffic_());
    }
    /// report() after all deadlines that had passed were handled; once in kIdleInterval if nothing
    /// has happened.
    void report_rest(const SyncStatus& status, Milliseconds now) {
        if (is_idle(status) && now < reported_at_ + kIdleInterval) return;
        report(status, now);
        is_up_to_date_ = reported_at_ == now;
    }

private:
    const SpvOptions& options_;
    std::function<Traffic()> traffic_;
    SyncPhase reported_phase_ = SyncPhase::no_peer;
    Milliseconds reported_at_{0};
    bool is_up_to_date_ = false;  // no event since the last report
};

}  // namespace petal::net
