#include "net/broadcast/broadcast_report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "chain/enum_table.h"

namespace petal::net {

namespace {

struct OutcomeRow {
    std::string_view code;
    std::string_view text;
    bool has_spread = false;
};

const OutcomeRow& row_of(BroadcastOutcome outcome) {
    using enum BroadcastOutcome;
    static constexpr auto kRows = chain::enum_table<BroadcastOutcome, OutcomeRow>({
        {relayed, {"relayed", "other peers announce it", true}},
        {accepted,
         {"accepted", "peers have accepted it, and no other peer has announced it yet", true}},
        {known, {"known", "peers had it already", true}},
        {refused, {"refused", "a peer has rejected it"}},
        {dropped, {"dropped", "peers have received it, and none shows that it has kept it"}},
        {ignored, {"ignored", "no peer has requested it"}},
        {low_fee, {"low-fee", "its fee is below the minimum of all peers"}},
        {no_relay, {"no-relay", "no connected peer relays transactions"}},
        {no_peer, {"no-usable-peer", "there is no usable peer"}},
    });
    return kRows[outcome];
}

BroadcastOutcome conclude(const BroadcastReport& report) {
    using enum BroadcastOutcome;
    const auto any = [&](RelayStates states) {
        return std::ranges::any_of(report.peers, [states](const BroadcastPeer& peer) {
            return states.contains(peer.state);
        });
    };
    if (report.seen_from > 0) return relayed;
    if (report.accepted_by > 0) return report.fetched_by > 0 ? accepted : known;
    if (any({RelayState::rejected})) return refused;
    if (report.fetched_by > 0) return dropped;
    if (report.announced_to > 0) return ignored;
    if (any({RelayState::fee_too_low})) return low_fee;
    // A peer that relays transactions was lost before any was announced to it.
    const bool any_relays = any({RelayState::handshake_complete, RelayState::observing});
    return any({RelayState::no_relay}) && !any_relays ? no_relay : no_peer;
}

}  // namespace

std::string_view code_of(BroadcastOutcome outcome) {
    return row_of(outcome).code;
}

std::string_view describe(BroadcastOutcome outcome) {
    return row_of(outcome).text;
}

bool has_spread(BroadcastOutcome outcome) {
    return row_of(outcome).has_spread;
}

bool BroadcastPeer::was_announced_to() const {
    return state >= RelayState::announced;
}

BroadcastReport make_report(std::vector<BroadcastPeer> peers) {
    BroadcastReport report;
    std::set<chain::Bytes> groups;
    for (const BroadcastPeer& peer : peers) {
        const bool is_untold = !peer.ended && peer.state == RelayState::observing;
        report.announced_to += peer.was_announced_to() ? 1U : 0U;
        report.announced_to_filter_peers += peer.was_announced_to() && peer.has_filter ? 1U : 0U;
        report.untold_filter_peers += is_untold && peer.has_filter ? 1U : 0U;
        report.fetched_by += peer.fetched ? 1U : 0U;
        report.accepted_by += peer.state == RelayState::accepted ? 1U : 0U;
        if (peer.state == RelayState::relayed) groups.insert(peer.identity.group);
    }
    report.peers = std::move(peers);
    report.seen_from = groups.size();
    report.outcome = conclude(report);
    return report;
}

}  // namespace petal::net
