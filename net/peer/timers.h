/// Deadlines. One function computes a deadline, both to report and to act on it.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "net/peer/commands.h"

namespace petal::net {

/// Whether a deadline has passed. False if there is no deadline.
inline bool has_come(std::optional<std::chrono::milliseconds> at, Now now) {
    return at && now.steady >= *at;
}

/// A component with deadlines.
class Timed {
public:
    /// The steady time of the next deadline. Empty if there is none.
    virtual std::optional<std::chrono::milliseconds> wakes_at() const = 0;
    /// Called at or after wakes_at(). on_wake() must advance the deadline.
    virtual void on_wake(Now now) = 0;

protected:
    ~Timed() = default;
};

/// All components with deadlines. Each component is woken at the time that its wakes_at() returns,
/// so no timeout is forgotten or computed by two rules.
class Timers {
public:
    /// `timed` must outlive the timers.
    void add(Timed& timed) { timed_.push_back(&timed); }

    /// The earliest deadline. Empty if there is none.
    std::optional<std::chrono::milliseconds> next() const;
    /// Wakes each component whose deadline has passed once, in the order of add().
    void wake(Now now) const;

private:
    std::vector<Timed*> timed_;
};

/// One of a component's deadlines.
template <class What>
struct Deadline {
    std::chrono::milliseconds at{0};
    What what{};
};

template <class What>
std::optional<std::chrono::milliseconds> time_of(const std::optional<Deadline<What>>& deadline) {
    return deadline ? std::optional(deadline->at) : std::nullopt;
}

/// Keeps the earliest of a component's deadlines, or the first of equal deadlines. Deadlines are
/// recomputed from the component's state on each call, and so are never out of date.
template <class What>
class EarliestDeadline {
public:
    EarliestDeadline& consider(std::optional<std::chrono::milliseconds> at, What what) {
        if (at && (!earliest_ || *at < earliest_->at)) earliest_ = {*at, what};
        return *this;
    }
    const std::optional<Deadline<What>>& get() const { return earliest_; }

private:
    std::optional<Deadline<What>> earliest_;
};

/// Acts on each deadline that has passed. `next` returns the earliest Deadline. `act` handles a
/// deadline, and must advance it. The number of steps is limited, so that a bug cannot hang the
/// loop.
template <class Next, class Act>
void work_off(Now now, Next next, Act act) {
    constexpr int kMostAtOnce = 16;
    for (int i = 0; i < kMostAtOnce; ++i) {
        const auto due = next();
        if (!has_come(time_of(due), now)) return;
        act(due->what);
    }
}

/// The earlier of two optional times.
inline std::optional<std::chrono::milliseconds> earlier_of(
    std::optional<std::chrono::milliseconds> a, std::optional<std::chrono::milliseconds> b) {
    if (!a || !b) return a ? a : b;
    return *a < *b ? a : b;
}

}  // namespace petal::net
