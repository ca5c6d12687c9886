/// When a broadcast has learned enough from its peers.
#pragma once

#include <chrono>
#include <optional>

#include "net/broadcast/broadcast_sessions.h"

namespace petal::net {

/// The events that decide how long to wait.
struct BroadcastMilestones {
    using Milliseconds = std::chrono::milliseconds;

    std::optional<Milliseconds> first_seen{};  ///< announced by a peer that did not get it from us
    std::optional<Milliseconds> first_held{};
    std::optional<Milliseconds> last_announced{};
    std::optional<Milliseconds> last_fetched{};
};

/// The time at which the broadcast ends unless something else happens; empty if an event must come
/// first.
std::optional<std::chrono::milliseconds> enough_at(const BroadcastMilestones& milestones,
                                                   const BroadcastSessions& sessions);

}  // namespace petal::net
