// The result that is concluded from what the peers showed of a transaction.
#include "net/broadcast/broadcast_report.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace petal::net {
namespace {

TEST(BroadcastReport, NamesEachOutcomeAndIfItHasSpread) {
    using enum BroadcastOutcome;
    std::map<std::string, bool> spread;
    for (const auto each :
         {relayed, accepted, known, refused, dropped, ignored, low_fee, no_relay, no_peer}) {
        spread[std::string(code_of(each))] = has_spread(each);
    }
    EXPECT_EQ(spread, (std::map<std::string, bool>{{"relayed", true},
                                                   {"accepted", true},
                                                   {"known", true},
                                                   {"refused", false},
                                                   {"dropped", false},
                                                   {"ignored", false},
                                                   {"low-fee", false},
                                                   {"no-relay", false},
                                                   {"no-usable-peer", false}}));
}

BroadcastPeer peer_in(RelayState state) {
    BroadcastPeer peer;
    peer.state = state;
    return peer;
}

TEST(BroadcastReport, SaysThatNoPeerRelaysOnlyIfAllSaidSo) {
    using enum RelayState;
    const auto outcome_of = [](const std::vector<RelayState>& states) {
        std::vector<BroadcastPeer> peers;
        for (const RelayState state : states) peers.push_back(peer_in(state));
        return make_report(std::move(peers)).outcome;
    };
    EXPECT_EQ(outcome_of({no_relay, no_relay}), BroadcastOutcome::no_relay);
    EXPECT_EQ(outcome_of({no_relay, connecting}), BroadcastOutcome::no_relay);
    EXPECT_EQ(outcome_of({observing}), BroadcastOutcome::no_peer)
        << "the peer was lost before anything was announced to it";
    EXPECT_EQ(outcome_of({no_relay, observing}), BroadcastOutcome::no_peer);
    EXPECT_EQ(outcome_of({no_relay, handshake_complete}), BroadcastOutcome::no_peer);
    EXPECT_EQ(outcome_of({connecting}), BroadcastOutcome::no_peer);
    EXPECT_EQ(outcome_of({}), BroadcastOutcome::no_peer);
    EXPECT_EQ(outcome_of({fee_too_low, no_relay, observing}), BroadcastOutcome::low_fee);
}

TEST(BroadcastReport, CountsUntoldPeersWithAFilter) {
    using enum RelayState;
    std::vector<BroadcastPeer> peers;
    for (const RelayState state :
         {announced, relayed, fee_too_low, no_relay, connecting, observing, observing}) {
        peers.push_back(peer_in(state));
        peers.back().has_filter = true;
    }
    peers[5].ended = DisconnectReason::finished;  // it was replaced, so it did not watch to the end
    peers.push_back(peer_in(observing));
    const BroadcastReport report = make_report(peers);
    EXPECT_EQ(report.announced_to_filter_peers, 1U);
    EXPECT_EQ(report.untold_filter_peers, 1U);
}

}  // namespace
}  // namespace petal::net
