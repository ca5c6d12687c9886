// The result that is concluded from what the peers showed of a transaction.
#include "net/broadcast/broadcast_report.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

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

BroadcastPeer greeted(bool takes_transactions) {
    BroadcastPeer peer;
    peer.greeted = true;
    peer.claims.takes_transactions = takes_transactions;
    return peer;
}

TEST(BroadcastReport, SaysThatNoPeerRelaysOnlyIfAllSaidSo) {
    BroadcastPeer silent;  // it sent only its version message
    silent.claims.takes_transactions = false;
    const auto outcome_of = [](std::vector<BroadcastPeer> peers) {
        return make_report(std::move(peers)).outcome;
    };
    EXPECT_EQ(outcome_of({greeted(false), greeted(false)}), BroadcastOutcome::no_relay);
    EXPECT_EQ(outcome_of({greeted(false), silent}), BroadcastOutcome::no_relay);
    EXPECT_EQ(outcome_of({greeted(true)}), BroadcastOutcome::no_peer)
        << "the peer was lost before it was told";
    EXPECT_EQ(outcome_of({greeted(false), greeted(true)}), BroadcastOutcome::no_peer);
    EXPECT_EQ(outcome_of({silent}), BroadcastOutcome::no_peer);
    EXPECT_EQ(outcome_of({}), BroadcastOutcome::no_peer);
}

TEST(BroadcastReport, BlamesTheFeeIfAPeerRefusesIt) {
    BroadcastPeer dear = greeted(true);
    dear.refuses_fee = true;
    EXPECT_EQ(make_report({dear, greeted(false), greeted(true)}).outcome,
              BroadcastOutcome::low_fee);
}

TEST(BroadcastReport, CountsUntoldPeersWithAFilter) {
    std::vector<BroadcastPeer> peers(7, greeted(true));
    for (BroadcastPeer& peer : peers) peer.has_filter = true;
    peers[0].announced = true;
    peers[1].saw_it = true;
    peers[2].refuses_fee = true;
    peers[3].claims.takes_transactions = false;
    peers[4].greeted = false;
    peers[5].ended = DisconnectReason::finished;  // it was replaced, so it did not watch to the end
    peers.push_back(greeted(true));
    const BroadcastReport report = make_report(peers);
    EXPECT_EQ(report.announced_to_filter_peers, 1U);
    EXPECT_EQ(report.untold_filter_peers, 1U);
}

}  // namespace
}  // namespace petal::net
