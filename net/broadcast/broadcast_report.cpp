#include "net/broadcast/broadcast_report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "chain/enum_table.h"

namespace petal::net {

namespace {

BroadcastOutcome conclude(const BroadcastReport& report) {
    if (report.seen_from > 0) return BroadcastOutcome::relayed;
    if (report.accepted_by > 0) {
        return report.fetched_by > 0 ? BroadcastOutcome::accepted : BroadcastOutcome::known;
    }
    const auto any = [&](auto member) {
        return std::any_of(report.peers.begin(), report.peers.end(), member);
    };
    if (any([](const BroadcastPeer& peer) { return peer.refusal.has_value(); })) {
        return BroadcastOutcome::refused;
    }
    if (report.fetched_by > 0) return BroadcastOutcome::dropped;
    if (report.announced_to > 0) return BroadcastOutcome::ignored;
    if (any([](const BroadcastPeer& peer) { return peer.refuses_fee; })) {
        return BroadcastOutcome::low_fee;
    }
    // A peer that relays transactions was lost before any was announced to it.
    const auto takes_any = [](const BroadcastPeer& peer) {
        return peer.greeted && peer.claims.takes_transactions;
    };
    const auto takes_none = [](const BroadcastPeer& peer) {
        return peer.greeted && !peer.claims.takes_transactions;
    };
    if (any(takes_none) && !any(takes_any)) return BroadcastOutcome::no_relay;
    return BroadcastOutcome::no_peer;
}

}  // namespace

std::string_view code_of(BroadcastOutcome outcome) {
    using enum BroadcastOutcome;
    static constexpr auto kTexts = chain::enum_table<BroadcastOutcome, std::string_view>({
        {relayed, "relayed"},
        {accepted, "accepted"},
        {known, "known"},
        {refused, "refused"},
        {dropped, "dropped"},
        {ignored, "ignored"},
        {low_fee, "low-fee"},
        {no_relay, "no-relay"},
        {no_peer, "no-usable-peer"},
    });
    return kTexts[outcome];
}

std::string_view describe(BroadcastOutcome outcome) {
    using enum BroadcastOutcome;
    static constexpr auto kTexts = chain::enum_table<BroadcastOutcome, std::string_view>({
        {relayed, "other peers announce it"},
        {accepted, "peers have accepted it, and no other peer has announced it yet"},
        {known, "peers had it already"},
        {refused, "a peer has rejected it"},
        {dropped, "peers have received it, and none shows that it has kept it"},
        {ignored, "no peer has requested it"},
        {low_fee, "its fee is below the minimum of all peers"},
        {no_relay, "no connected peer relays transactions"},
        {no_peer, "there is no usable peer"},
    });
    return kTexts[outcome];
}

bool has_spread(BroadcastOutcome outcome) {
    return outcome == BroadcastOutcome::relayed || outcome == BroadcastOutcome::accepted ||
           outcome == BroadcastOutcome::known;
}

BroadcastReport make_report(std::vector<BroadcastPeer> peers) {
    BroadcastReport report;
    report.peers = std::move(peers);
    std::set<chain::Bytes> groups;
    for (const BroadcastPeer& peer : report.peers) {
        if (peer.announced) ++report.announced_to;
        if (peer.announced && peer.has_filter) ++report.announced_to_filter_peers;
        const bool stayed = !peer.ended;
        if (stayed && peer.has_filter && peer.is_observer()) ++report.untold_filter_peers;
        if (peer.fetched) ++report.fetched_by;
        if (peer.announced && peer.has_it) ++report.accepted_by;
        if (peer.saw_it) groups.insert(peer.identity.group);
    }
    report.seen_from = groups.size();
    report.outcome = conclude(report);
    return report;
}

}  // namespace petal::net
