#include "net/peer/timers.h"

namespace petal::net {

void wake_if_due(Timed& timed, Now now) {
    if (has_come(timed.wakes_at(), now)) timed.on_wake(now);
}

std::optional<std::chrono::milliseconds> Timers::next() const {
    std::optional<std::chrono::milliseconds> next;
    for (const Timed* timed : timed_) next = earlier_of(next, timed->wakes_at());
    return next;
}

void Timers::wake(Now now) const {
    for (Timed* timed : timed_) wake_if_due(*timed, now);
}

}  // namespace petal::net
