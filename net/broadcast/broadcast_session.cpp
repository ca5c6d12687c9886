#include "net/broadcast/broadcast_session.h"

namespace petal::net {

namespace {

// A node requests a transaction within some six seconds (Bitcoin Core: node/txdownloadman.h); after
// this time it is announced to other peers.
constexpr std::chrono::milliseconds kFetchPatience{10'000};
// About one in fifty nodes that have accepted the transaction announces it later than this.
constexpr std::chrono::milliseconds kEchoPatience{20'000};

}  // namespace

bool BroadcastSession::takes_it() const {
    return settled && shown.claims.takes_transactions && !shown.refuses_fee && !shown.refusal;
}

bool BroadcastSession::may_take_it_without_filter() const {
    return !shown.has_filter && (is_new() || takes_it()) && !ignores_it() && !keeps_silent();
}

bool BroadcastSession::is_useless() const {
    return settled && (!shown.claims.takes_transactions || shown.refuses_fee || ignores_it());
}

bool BroadcastSession::awaits_request() const {
    return is_recipient() && !shown.fetched && !shown.has_it && !shown.refusal;
}

bool BroadcastSession::is_silent() const {
    return shown.fetched && !shown.has_it && !shown.refusal;
}

bool BroadcastSession::counts_as_recipient() const {
    return is_recipient() && !ignores_it() && !keeps_silent() && !shown.refusal;
}

std::optional<Deadline<BroadcastSession::Due>> BroadcastSession::next_deadline() const {
    EarliestDeadline<Due> next;
    if (!is_open()) return next.get();
    next.consider(peer.wakes_at(), Due::connection);
    next.consider(request_at, Due::request);
    if (overdue) return next.get();
    if (awaits_request()) next.consider(*announced_at + kFetchPatience, Due::overdue);
    if (is_silent()) next.consider(*fetched_at + kEchoPatience, Due::overdue);
    return next.get();
}

}  // namespace petal::net
