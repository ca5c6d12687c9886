#include "net/broadcast/announcement_policy.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace petal::net {

namespace {

constexpr RelayStates kObserving{RelayState::observing};
constexpr RelayStates kUseless{RelayState::no_relay, RelayState::fee_too_low, RelayState::ignored};
/// Recipients, until they fail to take the next step in time.
constexpr RelayStates kActiveRecipients{RelayState::announced, RelayState::fetched,
                                        RelayState::accepted};

/// Whether a peer with the wallet's filter can be replaced. The last peer with a filter is kept,
/// because no further peer may be found.
bool has_spare_filter_peer(const BroadcastSessions& sessions) {
    return sessions.count(kObserving, true) > 1;
}

/// Whether a peer without a filter may still announce the transaction.
bool may_be_relayed_by_others(const BroadcastSessions& sessions, bool counts_new_peers) {
    using enum RelayState;
    return sessions.count({observing, relayed, announced, fetched, accepted}, false) > 0 ||
           (counts_new_peers && sessions.count({connecting, handshake_complete}, false) > 0);
}

/// The recipients may be withholding the transaction. Returns all observers without a filter, and
/// one with a filter unless a peer with a filter is a recipient already.
AnnouncementPolicy::Recipients choose_observers(BroadcastSessions& sessions) {
    AnnouncementPolicy::Recipients chosen;
    bool wants_filter_peer = sessions.count(kActiveRecipients, true) == 0;
    for (BroadcastSession& session : sessions.all) {
        if (!session.is_open() || !session.is(kObserving)) continue;
        if (session.shown.has_filter && !std::exchange(wants_filter_peer, false)) continue;
        chosen.push_back(&session);
    }
    return chosen;
}

}  // namespace

std::optional<AnnouncementPolicy::Milliseconds> AnnouncementPolicy::next_change(Now now) const {
    if (!patience_ || is_out_of_patience(now)) return std::nullopt;
    return is_searching(now) ? patience_->search_until : patience_->until;
}

// Replaces one peer at a time. Only the next PeerAvailability shows whether a further peer waits.
BroadcastSession* AnnouncementPolicy::choose_replaced(BroadcastSessions& sessions, Now now) {
    if (sessions.availability != PeerAvailability::later || replaced_ == kMostReplaced) {
        return nullptr;
    }
    const bool wants_others = is_searching(now) && has_spare_filter_peer(sessions) &&
                              !may_be_relayed_by_others(sessions, true);
    const auto found = std::ranges::find_if(sessions.all, [&](const BroadcastSession& session) {
        const bool is_in_the_way =
            wants_others && session.shown.has_filter && session.is(kObserving);
        return session.is_open() && (session.is(kUseless) || is_in_the_way);
    });
    if (found == sessions.all.end()) return nullptr;
    ++replaced_;
    return &*found;
}

// A recipient may return the transaction without relaying it, and a new peer may never state what
// it accepts. Once the patience is over, only a relay stops the announcement to a peer with a
// filter.
bool AnnouncementPolicy::withholds_from_filter_peers(const BroadcastSessions& sessions,
                                                     Now now) const {
    if (sessions.has_spread()) return true;
    if (is_out_of_patience(now)) return false;
    if (may_be_relayed_by_others(sessions, is_searching(now))) return true;
    if (!is_searching(now) || sessions.availability == PeerAvailability::none) return false;
    if (sessions.availability == PeerAvailability::now) return true;
    return replaced_ < kMostReplaced && has_spare_filter_peer(sessions);
}

// The latest connections become recipients first, so that earlier observers keep observing.
AnnouncementPolicy::Recipients AnnouncementPolicy::choose_recipients(BroadcastSessions& sessions,
                                                                     Now now) const {
    if (is_out_of_patience(now) && !sessions.has_spread()) return choose_observers(sessions);
    const bool withholds = withholds_from_filter_peers(sessions, now);
    const auto counted = withholds ? std::optional(false) : std::nullopt;
    using enum RelayState;
    const std::size_t takers =
        sessions.count({observing, relayed, announced, ignored, fetched, accepted}, counted);
    const std::size_t recipients = sessions.count(kActiveRecipients, counted);
    Recipients chosen;
    // Not a reversed view, which clang 14 cannot make with this standard library.
    for (auto next = sessions.all.rbegin(); next != sessions.all.rend(); ++next) {
        BroadcastSession& session = *next;
        if (recipients + chosen.size() >= (takers + 1) / 2) break;
        if (!session.is_open() || !session.is(kObserving)) continue;
        if (withholds && session.shown.has_filter) continue;
        chosen.push_back(&session);
    }
    return chosen;
}

}  // namespace petal::net
