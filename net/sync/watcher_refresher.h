/// Calls Watcher::refresh() now and then, so that changes by other processes are seen during a
/// sync.
#pragma once

#include <functional>
#include <optional>

#include "net/peer/timers.h"
#include "net/sync/sync_context.h"

namespace petal::net {

class WatcherRefresher final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    explicit WatcherRefresher(SyncContext& sync) : sync_(sync) {}

    /// Called if the watch list grew.
    std::function<void()> on_grown;

    std::optional<Milliseconds> wakes_at() const override {
        return sync_.options.refresh_watcher_every ? std::optional(next_) : std::nullopt;
    }
    void on_wake(Now now) override {
        next_ = now.steady + *sync_.options.refresh_watcher_every;
        if (sync_.watcher.refresh() && on_grown) on_grown();
    }

private:
    SyncContext& sync_;
    Milliseconds next_{0};
};

}  // namespace petal::net
