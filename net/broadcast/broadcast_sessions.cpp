#include "net/broadcast/broadcast_sessions.h"

#include <algorithm>

#include "chain/enum_table.h"

namespace petal::net {

using std::chrono::milliseconds;

namespace {

struct Transition {
    RelayStates from;
    RelayEvent event;
    RelayState to;
};

/// The next state, by the README's table. Empty if the event does not change the state.
std::optional<RelayState> next_state(RelayState state, RelayEvent event) {
    using enum RelayState;
    static constexpr Transition kTransitions[] = {
        {{connecting}, RelayEvent::declines_all, no_relay},
        {{connecting}, RelayEvent::takes_some, handshake_complete},
        {{handshake_complete, observing}, RelayEvent::declines_fee, fee_too_low},
        {{handshake_complete, fee_too_low}, RelayEvent::takes_fee, observing},
        {{handshake_complete, no_relay, fee_too_low, observing},
         RelayEvent::announced_by_it,
         relayed},
        {{observing}, RelayEvent::announced_to_it, announced},
        {{announced}, RelayEvent::overdue, ignored},
        {{announced, ignored}, RelayEvent::fetched, fetched},
        {{fetched}, RelayEvent::overdue, silent},
        {{fetched, silent}, RelayEvent::announced_by_it, accepted},
        {{announced, ignored, fetched, silent, rejected}, RelayEvent::returned, accepted},
        {{announced, ignored, fetched, silent}, RelayEvent::rejected, rejected},
    };
    for (const Transition& transition : kTransitions) {
        if (transition.event == event && transition.from.contains(state)) return transition.to;
    }
    return std::nullopt;
}

// A node requests a transaction within some six seconds (Bitcoin Core: node/txdownloadman.h). After
// this time the transaction is announced to more peers.
constexpr milliseconds kFetchPatience{10'000};
// About one in fifty nodes that have accepted the transaction announces it later than this.
constexpr milliseconds kEchoPatience{20'000};

// A node serves a transaction only after it has announced its newer transactions: after five
// seconds on average, exponentially distributed (Bitcoin Core: net_processing.cpp, trickle to
// inbound peers). One in some fifty takes longer than twenty seconds, one in 100,000 longer than a
// minute. The user's own node may serve it at once: the first request is sent early, the next ones
// at pauses that double.
constexpr milliseconds kFirstRequest{20};
constexpr milliseconds kRequestAgain{3'000};

struct Wait {
    milliseconds time{};
    bool from_first = false;  // from the first event of this progress, not the last
};

constexpr auto kWaits = chain::enum_table<BroadcastProgress, Wait>({
    {BroadcastProgress::none, {}},
    // A recipient without a request by then has the transaction, or does not want it.
    {BroadcastProgress::announced, {milliseconds{30'000}}},
    {BroadcastProgress::known, {milliseconds{5'000}, true}},
    // An announcement comes back over a few hops, each with a delay. One peer in 100,000 takes
    // longer.
    {BroadcastProgress::fetched, {milliseconds{60'000}}},
    // Once one peer has announced the transaction, other peers will soon.
    {BroadcastProgress::relayed, {milliseconds{5'000}, true}},
});

template <class Sessions>
auto* find_open_in(Sessions& sessions, PeerId peer) {
    const auto found = std::ranges::find_if(sessions, [peer](const BroadcastSession& session) {
        return session.is_open() && session.peer.id() == peer;
    });
    return found == sessions.end() ? nullptr : &*found;
}

}  // namespace

void BroadcastSession::request_after(Milliseconds pause, Now now) {
    request_pause = pause;
    request_at = now.steady + pause;
}

void BroadcastSession::request_again(Now now) {
    request_after(std::min(2 * request_pause, kRequestAgain), now);
}

std::optional<Deadline<BroadcastSession::Due>> BroadcastSession::next_deadline() const {
    EarliestDeadline<Due> next;
    if (!is_open()) return next.get();
    next.consider(peer.wakes_at(), Due::connection);
    next.consider(request_at, Due::request);
    next.consider(overdue_at, Due::overdue);
    return next.get();
}

bool BroadcastSessions::apply(BroadcastSession& session, RelayEvent event, Now now) {
    using enum RelayState;
    RelayState& state = session.shown.state;
    if (event == RelayEvent::fetched) {  // again, too
        session.shown.fetched = true;
        session.request_after(kFirstRequest, now);
        advance(BroadcastProgress::fetched, now);
    }
    const auto next = next_state(state, event);
    if (!next) return false;
    state = *next;
    session.overdue_at.reset();
    if (state == announced) {
        session.overdue_at = now.steady + kFetchPatience;
        session.request_after(kRequestAgain, now);
        advance(BroadcastProgress::announced, now);
    }
    if (state == fetched) session.overdue_at = now.steady + kEchoPatience;
    if (state == accepted || state == rejected) session.request_at.reset();
    if (state == accepted) advance(BroadcastProgress::known, now);
    if (state == relayed) advance(BroadcastProgress::relayed, now);
    return true;
}

/// Extends the wait, unless the progress is further already.
void BroadcastSessions::advance(BroadcastProgress to, Now now) {
    if (to < progress || (to == progress && kWaits[to].from_first)) return;
    progress = to;
    wait_until = now.steady + kWaits[to].time;
}

std::size_t BroadcastSessions::count(RelayStates states, std::optional<bool> has_filter) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const BroadcastSession& session) {
            return session.is_open() && session.is(states) &&
                   session.shown.has_filter == has_filter.value_or(session.shown.has_filter);
        }));
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
        return shown.identity.node == node && (!shown.ended || shown.was_announced_to());
    });
}

std::optional<milliseconds> BroadcastSessions::enough_at() const {
    using enum RelayState;
    const bool expects_peers =
        availability == PeerAvailability::now || count({connecting, handshake_complete}) > 0;
    const bool any_open = std::ranges::any_of(all, &BroadcastSession::is_open);
    if (!any_open && availability == PeerAvailability::none) return milliseconds{0};
    if (progress == BroadcastProgress::none) {
        if (expects_peers || !any_open) return std::nullopt;
        return milliseconds{0};
    }
    if (expects_peers) return wait_until;
    const std::size_t recipients = count({announced, ignored, fetched, silent, accepted, rejected});
    const auto all_are = [&](RelayState state) {
        return recipients > 0 && count({state}) == recipients;
    };
    const bool is_shown_by_all = has_spread() || all_are(accepted);
    if (is_shown_by_all && count({observing}) == 0) return milliseconds{0};
    return all_are(rejected) ? milliseconds{0} : wait_until;
}

}  // namespace petal::net
