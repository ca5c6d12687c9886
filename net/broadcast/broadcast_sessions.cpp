#include "net/broadcast/broadcast_sessions.h"

#include <algorithm>

namespace petal::net {

namespace {

template <class Sessions>
auto* find_open_in(Sessions& sessions, PeerId peer) {
    const auto found = std::ranges::find_if(sessions, [peer](const BroadcastSession& session) {
        return session.is_open() && session.peer.id() == peer;
    });
    return found == sessions.end() ? nullptr : &*found;
}

}  // namespace

std::size_t BroadcastSessions::count(bool (BroadcastSession::*is)() const) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        all,
        [is](const BroadcastSession& session) { return session.is_open() && (session.*is)(); }));
}

BroadcastSession* BroadcastSessions::find_open(PeerId peer) {
    return find_open_in(all, peer);
}

const BroadcastSession* BroadcastSessions::find_open(PeerId peer) const {
    return find_open_in(all, peer);
}

bool BroadcastSessions::has_node(const std::string& node) const {
    return std::ranges::any_of(all, [&](const BroadcastSession& session) {
        const BroadcastPeer& shown = session.shown;
        return shown.identity.node == node && (!shown.ended || shown.announced);
    });
}

std::optional<std::chrono::milliseconds> BroadcastSessions::wakes_at() const {
    std::optional<std::chrono::milliseconds> next;
    for (const BroadcastSession& session : all) {
        next = earlier_of(next, time_of(session.next_deadline()));
    }
    return next;
}

void BroadcastSessions::on_wake(Now now) {
    for (BroadcastSession& session : all) {
        work_off(
            now, [&] { return session.next_deadline(); },
            [&](BroadcastSession::Due what) { on_due(session, what, now); });
    }
}

}  // namespace petal::net
