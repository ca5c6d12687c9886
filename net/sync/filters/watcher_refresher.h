/// Keeps the watch list up to date with other processes.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "chain/watcher.h"
#include "net/peer/timers.h"

namespace petal::net {

/// Calls Watcher::refresh() now and then: another process may have made the watch list grow during
/// a sync.
class WatcherRefresher final : public Timed {
public:
    /// `watcher` must outlive it. Without an interval, it does nothing.
    WatcherRefresher(chain::Watcher& watcher, std::optional<std::chrono::milliseconds> interval)
        : watcher_(watcher), interval_(interval) {}

    /// Called if the watch list grew.
    std::function<void()> on_grown;

    std::optional<std::chrono::milliseconds> wakes_at() const override {
        return interval_ ? std::optional(next_) : std::nullopt;
    }
    void on_wake(Now now) override {
        next_ = now.steady + *interval_;
        if (watcher_.refresh() && on_grown) on_grown();
    }

private:
    chain::Watcher& watcher_;
    std::optional<std::chrono::milliseconds> interval_;
    std::chrono::milliseconds next_{0};
};

}  // namespace petal::net
