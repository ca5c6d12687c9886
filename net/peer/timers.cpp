#include "net/peer/timers.h"

namespace petal::net {

std::optional<std::chrono::milliseconds> Timers::next() const {
    std::optional<std::chrono::milliseconds> next;
    for (const Timed* timed : timed_) next = earlier_of(next, timed->wakes_at());
    return next;
}

void Timers::wake(Now now) const {
    for (Timed* timed : timed_) {
        if (has_come(timed->wakes_at(), now)) timed->on_wake(now);
    }
}

}  // namespace petal::net
