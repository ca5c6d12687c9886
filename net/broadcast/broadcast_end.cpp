#include "net/broadcast/broadcast_end.h"

#include <cstddef>

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// A peer that has not asked by now has it, or does not want it.
constexpr milliseconds kIgnoredAfter{30'000};
// A peer may announce the transaction late: one in 100,000 takes longer.
constexpr milliseconds kDroppedAfter{60'000};
// An announcement comes back over a few hops, each with its delays.
constexpr milliseconds kRelayPatience{60'000};
// Once one peer has announced the transaction, other peers will soon.
constexpr milliseconds kLinger{5'000};

}  // namespace

std::optional<milliseconds> enough_at(const BroadcastMilestones& milestones,
                                      const BroadcastSessions& sessions) {
    const std::size_t open = sessions.count(&BroadcastSession::is_open);
    const std::size_t recipients = sessions.count(&BroadcastSession::is_recipient);
    // Whether a peer may connect that changes the result, or a connected one may still announce it.
    const bool expects_peers = sessions.availability == PeerAvailability::now ||
                               sessions.count(&BroadcastSession::is_new) > 0;
    const bool any_observes = expects_peers || sessions.count(&BroadcastSession::observes) > 0;
    if (open == 0 && sessions.availability == PeerAvailability::none) return milliseconds{0};
    if (milestones.first_seen) {
        const bool all_did = sessions.count(&BroadcastSession::is_recipient_or_saw_it) == open;
        return all_did && !expects_peers ? milliseconds{0} : *milestones.first_seen + kLinger;
    }
    if (!milestones.last_announced) {
        if (expects_peers || open == 0) return std::nullopt;
        return milliseconds{0};
    }
    const auto all = [&](bool (BroadcastSession::*have)() const) {
        return recipients > 0 && sessions.count(have) == recipients;
    };
    const bool all_refuse = all(&BroadcastSession::is_recipient_and_refuses);
    if (all_refuse && !expects_peers) return milliseconds{0};
    const bool all_have_it = all(&BroadcastSession::is_recipient_and_has_it);
    if (all_have_it && !any_observes) return milliseconds{0};
    if (milestones.last_fetched) {
        return *milestones.last_fetched + (any_observes ? kRelayPatience : kDroppedAfter);
    }
    if (milestones.first_held) return *milestones.first_held + kLinger;
    return *milestones.last_announced + kIgnoredAfter;
}

}  // namespace petal::net
