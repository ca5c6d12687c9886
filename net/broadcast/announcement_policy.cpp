#include "net/broadcast/announcement_policy.h"

#include <algorithm>
#include <cstddef>

namespace petal::net {

using std::chrono::milliseconds;

namespace {

/// Whether a peer with the wallet's filter can be dropped for another one. The only one is kept:
/// there may be no other peer at all.
bool has_spare_holder(const BroadcastSessions& sessions) {
    return sessions.count(&BroadcastSession::watches_with_filter) > 1;
}

// One is enough: the peers without the filter were told, but have not shown the transaction in
// time.
void add_filter_holder(BroadcastSessions& sessions, std::vector<BroadcastSession*>& told) {
    const auto has_filter = [](const BroadcastSession* of) { return of->shown.has_filter; };
    if (std::ranges::any_of(told, has_filter)) return;
    if (sessions.count(&BroadcastSession::counts_as_told_with_filter) > 0) return;
    const auto holder = std::ranges::find_if(sessions.all, [](const BroadcastSession& session) {
        return session.is_open() && session.watches_with_filter() && !session.shown.has_it;
    });
    if (holder != sessions.all.end()) told.push_back(&*holder);
}

}  // namespace

void AnnouncementPolicy::on_time(milliseconds now) {
    for (auto* until : {&sparing_.search_until, &sparing_.until}) {
        if (*until && now >= **until) until->reset();
    }
}

std::optional<milliseconds> AnnouncementPolicy::next_deadline() const {
    return earlier_of(sparing_.search_until, sparing_.until);
}

// One at a time: no peer is sent away before it is known whether another waits.
BroadcastSession* AnnouncementPolicy::choose_replaced(BroadcastSessions& sessions) {
    if (sessions.availability != PeerAvailability::later || replaced_ == kMostReplaced) {
        return nullptr;
    }
    const bool wants_others = sparing_.search_until && has_spare_holder(sessions) &&
                              sessions.count(&BroadcastSession::is_other_taker) == 0;
    const auto found = std::ranges::find_if(sessions.all, [&](const BroadcastSession& session) {
        const bool is_in_the_way = wants_others && session.watches_with_filter();
        return session.is_open() && (session.is_useless() || is_in_the_way);
    });
    if (found == sessions.all.end()) return nullptr;
    ++replaced_;
    return &*found;
}

// A peer may take the transaction and keep it to itself, or never say what it takes: only one that
// shows it is waited for beyond the time.
bool AnnouncementPolicy::spares_filter_holders(const BroadcastSessions& sessions,
                                               bool has_spread) const {
    if (has_spread) return true;
    if (sessions.count(&BroadcastSession::is_other_with_it) > 0) return true;
    if (!sparing_.until) return false;
    const auto may_show_it = sparing_.search_until ? &BroadcastSession::is_other_taker
                                                   : &BroadcastSession::is_known_other_taker;
    if (sessions.count(may_show_it) > 0) return true;
    if (!sparing_.search_until || sessions.availability == PeerAvailability::none) return false;
    if (sessions.availability == PeerAvailability::now) return true;
    return replaced_ < kMostReplaced && has_spare_holder(sessions);
}

// The latest connection first: a peer that has watched for a while goes on watching.
AnnouncementPolicy::PeersToTell AnnouncementPolicy::choose_told(BroadcastSessions& sessions,
                                                                bool has_spread) const {
    const bool spares = spares_filter_holders(sessions, has_spread);
    const auto is_spared = [spares](const BroadcastSession& session) {
        return spares && session.shown.has_filter;
    };
    std::size_t takers = 0;
    std::size_t told = 0;
    for (const BroadcastSession& session : sessions.all) {
        if (!session.is_open() || is_spared(session)) continue;
        if (session.takes_it() && !session.keeps_silent()) ++takers;
        if (session.counts_as_told()) ++told;
    }
    const std::size_t wanted = (takers + 1) / 2;
    PeersToTell chosen;
    auto& all = sessions.all;
    for (auto next = all.rbegin(); next != all.rend() && told + chosen.size() < wanted; ++next) {
        BroadcastSession& session = *next;
        if (!session.is_open() || !session.watches() || session.shown.has_it) continue;
        if (!is_spared(session)) chosen.push_back(&session);
    }
    if (!spares && !sparing_.until) add_filter_holder(sessions, chosen);
    return chosen;
}

}  // namespace petal::net
