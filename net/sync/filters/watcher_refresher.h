/// Calls Watcher::refresh() now and then: another process may have made the watch list grow during
/// a sync.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "chain/watcher.h"
#include "net/peer/timers.h"

namespace petal::net {

class WatcherRefresher final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// `watcher` must outlive it. Without an interval, it does nothing.
    WatcherRefresher(chain::Watcher& watcher, std::optional<Milliseconds> interval)
        : watcher_(watcher), interval_(interval) {}

    /// Called if the watch list grew.
    std::function<void()> on_grown;

    std::optional<Milliseconds> wakes_at() const override {
        return interval_ ? std::optional(next_) : std::nullopt;
    }
    void on_wake(Now now) override {
        next_ = now.steady + *interval_;
        if (watcher_.refresh() && on_grown) on_grown();
    }

private:
    chain::Watcher& watcher_;
    std::optional<Milliseconds> interval_;
    Milliseconds next_{0};
};

}  // namespace petal::net
