/// The timers of a sync outside the engine: progress reports, saves, and the time limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "net/io/spv_client.h"
#include "net/peer/timers.h"

namespace petal::net {

/// Writes headers to disk, and releases the memory used for reading them.
class HeaderFlusher final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr Milliseconds kInterval{2'000};
    /// Bounds the memory taken by headers that are unwritten, or were read for blocks.
    static constexpr std::uint64_t kArrivalsPerFlush = 4'096;

    /// `saves` and `status` must outlive the flusher.
    HeaderFlusher(const SpvSaves& saves, const SyncStatus& status, Milliseconds now)
        : saves_(saves), status_(status), flushed_at_(now) {}

    void flush() const;
    /// Writes now if anything arrived since the last write.
    void flush_arrivals(Now now);

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now now) override;

private:
    std::uint64_t arrivals() const;

    const SpvSaves& saves_;
    const SyncStatus& status_;
    Milliseconds flushed_at_;
    std::uint64_t flushed_arrivals_ = 0;
};

/// Reports progress to the user. Headers are written before SyncPhase::listening is reported,
/// because other processes that read the report also read the headers.
class ProgressReporter final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr Milliseconds kInterval{100};
    /// The interval while the sync is idle, long enough to cost nothing in a sync of months. Other
    /// processes consider a sync hung after 10 s without a report.
    static constexpr Milliseconds kIdleInterval{2'000};

    /// `options`, `status` and `headers` must outlive the reporter.
    /// traffic   counts the bytes of all connections so far
    ProgressReporter(const SpvOptions& options, const SyncStatus& status, HeaderFlusher& headers,
                     std::function<Traffic()> traffic, Milliseconds now)
        : options_(options),
          status_(status),
          headers_(headers),
          traffic_(std::move(traffic)),
          reported_at_(now) {}

    void on_event() { is_up_to_date_ = false; }
    /// Reports if the phase changed since the last report.
    void report_new_phase(Now now) {
        if (status_.phase != reported_phase_) on_wake(now);
    }
    /// Whether there is nothing to report until a peer sends something.
    bool is_idle() const { return is_up_to_date_ && status_.phase == SyncPhase::listening; }

    /// Never empty.
    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now now) override;

private:
    const SpvOptions& options_;
    const SyncStatus& status_;
    HeaderFlusher& headers_;
    std::function<Traffic()> traffic_;
    SyncPhase reported_phase_ = SyncPhase::no_peer;
    Milliseconds reported_at_;
    bool is_up_to_date_ = false;  // no event since the last report
};

/// Writes the address manager to disk.
class PeerSaver final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// `options` must outlive the saver.
    PeerSaver(const SpvOptions& options, Milliseconds now) : options_(options), saved_at_(now) {}

    void save() const;

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now now) override;

private:
    const SpvOptions& options_;
    Milliseconds saved_at_;
};

/// Ends a run that has reached its time limit.
class RunTimeout final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    RunTimeout(std::optional<Milliseconds> timeout, std::function<void()> on_timeout,
               Milliseconds now)
        : ends_at_(timeout ? std::optional(now + *timeout) : std::nullopt),
          on_timeout_(std::move(on_timeout)) {}

    std::optional<Milliseconds> wakes_at() const override { return ends_at_; }
    void on_wake(Now /*now*/) override {
        ends_at_.reset();
        on_timeout_();
    }

private:
    std::optional<Milliseconds> ends_at_;  // empty also after the timeout
    std::function<void()> on_timeout_;
};

/// The timers of one run.
class SpvTimers {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// `options` and `status` must outlive the timers.
    /// traffic      counts the bytes of all connections so far
    /// on_timeout   ends the run
    SpvTimers(const SpvOptions& options, const SyncStatus& status, std::function<Traffic()> traffic,
              std::function<void()> on_timeout, Milliseconds now);
    ~SpvTimers() = default;
    SpvTimers(const SpvTimers&) = delete;
    SpvTimers& operator=(const SpvTimers&) = delete;

    /// The earliest deadline. Never empty.
    std::optional<Milliseconds> next() const { return timers_.next(); }
    /// Wakes each timer that is due. A new phase is reported even if no report is due.
    void wake(Now now);

    /// Something happened that a report should show.
    void on_event() { reporter_.on_event(); }
    /// Call this at the end of the run.
    void save_all() const;

private:
    HeaderFlusher headers_;
    PeerSaver peers_;
    ProgressReporter reporter_;
    RunTimeout timeout_;
    Timers timers_;
};

}  // namespace petal::net
