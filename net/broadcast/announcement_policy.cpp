#include "net/broadcast/announcement_policy.h"

#include <algorithm>
#include <cstddef>

namespace petal::net {

namespace {

/// Whether a peer with the wallet's filter can be dropped for another one. The last such peer is
/// kept, because there may be no other peer.
bool has_spare_filter_peer(const BroadcastSessions& sessions) {
    return sessions.count(&BroadcastSession::observes_with_filter) > 1;
}

// Adds one such peer: the transaction was announced to the peers without the filter, and none of
// them has announced it back in time.
void add_filter_peer(BroadcastSessions& sessions, std::vector<BroadcastSession*>& recipients) {
    const auto has_filter = [](const BroadcastSession* of) { return of->shown.has_filter; };
    if (std::ranges::any_of(recipients, has_filter)) return;
    if (sessions.count(&BroadcastSession::counts_as_recipient_with_filter) > 0) return;
    const auto found = std::ranges::find_if(sessions.all, [](const BroadcastSession& session) {
        return session.is_open() && session.observes_with_filter() && !session.shown.has_it;
    });
    if (found != sessions.all.end()) recipients.push_back(&*found);
}

}  // namespace

std::optional<Deadline<AnnouncementPolicy::Span>> AnnouncementPolicy::next_deadline() const {
    EarliestDeadline<Span> next;
    next.consider(patience_.search_until, &Patience::search_until);
    next.consider(patience_.until, &Patience::until);
    return next.get();
}

void AnnouncementPolicy::on_wake(Now now) {
    work_off(
        now, [this] { return next_deadline(); },
        [this](Span over) {
            (patience_.*over).reset();
            is_out_of_patience_ = is_out_of_patience_ || over == &Patience::until;
        });
}

// One at a time: no peer is disconnected before it is known whether another waits.
BroadcastSession* AnnouncementPolicy::choose_replaced(BroadcastSessions& sessions) {
    if (sessions.availability != PeerAvailability::later || replaced_ == kMostReplaced) {
        return nullptr;
    }
    const bool wants_others = patience_.search_until && has_spare_filter_peer(sessions) &&
                              sessions.count(&BroadcastSession::may_take_it_without_filter) == 0;
    const auto found = std::ranges::find_if(sessions.all, [&](const BroadcastSession& session) {
        const bool is_in_the_way = wants_others && session.observes_with_filter();
        return session.is_open() && (session.is_useless() || is_in_the_way);
    });
    if (found == sessions.all.end()) return nullptr;
    ++replaced_;
    return &*found;
}

// A peer may accept the transaction and return it without relaying it, or never state what it
// accepts. After that time, only a peer that has announced the transaction without having got it
// from us counts.
bool AnnouncementPolicy::withholds_from_filter_peers(const BroadcastSessions& sessions,
                                                     bool has_spread) const {
    if (has_spread) return true;
    if (is_out_of_patience_) return false;
    if (sessions.count(&BroadcastSession::has_it_without_filter) > 0) return true;
    if (!patience_.until) return false;
    const auto may_announce_it = patience_.search_until
                                     ? &BroadcastSession::may_take_it_without_filter
                                     : &BroadcastSession::takes_it_without_filter;
    if (sessions.count(may_announce_it) > 0) return true;
    if (!patience_.search_until || sessions.availability == PeerAvailability::none) return false;
    if (sessions.availability == PeerAvailability::now) return true;
    return replaced_ < kMostReplaced && has_spare_filter_peer(sessions);
}

// The latest connection first, so that a peer that has observed for a while keeps observing.
AnnouncementPolicy::Recipients AnnouncementPolicy::choose_recipients(BroadcastSessions& sessions,
                                                                     bool has_spread) const {
    const bool withholds = withholds_from_filter_peers(sessions, has_spread);
    const auto may_get_it = [withholds](const BroadcastSession& session) {
        return session.is_open() && !(withholds && session.shown.has_filter);
    };
    std::size_t takers = 0;
    std::size_t recipients = 0;
    for (const BroadcastSession& session : sessions.all) {
        if (!may_get_it(session)) continue;
        if (session.takes_it() && !session.keeps_silent()) ++takers;
        if (session.counts_as_recipient()) ++recipients;
    }
    const std::size_t wanted = (takers + 1) / 2;
    Recipients chosen;
    auto& all = sessions.all;
    const bool tells_observers = !has_spread && is_out_of_patience_;
    for (auto next = all.rbegin(); next != all.rend(); ++next) {
        const bool is_wanted =
            tells_observers ? !next->shown.has_filter : recipients + chosen.size() < wanted;
        if (!is_wanted || !may_get_it(*next) || !next->observes() || next->shown.has_it) continue;
        chosen.push_back(&*next);
    }
    if (!withholds && !patience_.until) add_filter_peer(sessions, chosen);
    return chosen;
}

}  // namespace petal::net
