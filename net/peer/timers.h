/// When something is to be done, said once: the time that is announced is the time that acts.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "net/peer/commands.h"

namespace petal::net {

/// Wants to be woken at a time that it says itself.
class Timed {
public:
    /// Steady time; nothing where only other events can give it something to do.
    virtual std::optional<std::chrono::milliseconds> wakes_at() const = 0;
    /// Called only once that time has come; wakes_at() must have moved on afterwards.
    virtual void on_wake(Now now) = 0;

protected:
    ~Timed() = default;
};

/// All that wait for a time. Whatever is added here is both announced and woken, by the same
/// function, so that a timeout can be neither forgotten nor judged by two rules.
class Timers {
public:
    /// `timed` must outlive the timers.
    void add(Timed& timed) { timed_.push_back(&timed); }

    /// The earliest; nothing where none waits.
    std::optional<std::chrono::milliseconds> next() const;
    /// Wakes each whose time has come, once, in the order in which they were added.
    void wake(Now now) const;

private:
    std::vector<Timed*> timed_;
};

/// One of several times that a component waits for.
template <class What>
struct Deadline {
    std::chrono::milliseconds at{0};
    What what{};
};

/// Keeps the earliest of a component's deadlines; of equal ones the first. Made anew from the
/// component's state whenever it is asked, and so never out of date.
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

/// Does what is due, one thing after the other: `next` says which Deadline is the earliest, `act`
/// does it and thereby moves it on. A limit keeps a mistake in that from becoming a hang.
template <class Next, class Act>
void work_off(Now now, Next next, Act act) {
    constexpr int kMostAtOnce = 16;
    for (int i = 0; i < kMostAtOnce; ++i) {
        const auto due = next();
        if (!due || now.steady < due->at) return;
        act(due->what);
    }
}

/// The earlier of two times, either of which may be missing.
inline std::optional<std::chrono::milliseconds> earlier_of(
    std::optional<std::chrono::milliseconds> a, std::optional<std::chrono::milliseconds> b) {
    if (!a || !b) return a ? a : b;
    return *a < *b ? a : b;
}

}  // namespace petal::net
