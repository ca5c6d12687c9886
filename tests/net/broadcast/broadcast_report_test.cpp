// What is concluded from what peers showed of a transaction.
#include "net/broadcast/broadcast_report.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace petal::net {
namespace {

TEST(BroadcastReport, NamesEachOutcomeAndWhichOfThemAreGood) {
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
    peer.takes_transactions = takes_transactions;
    return peer;
}

TEST(BroadcastReport, SaysThatNobodyRelaysOnlyOfThoseThatSaidSo) {
    BroadcastPeer silent;  // it sent a version, and no more
    silent.takes_transactions = false;
    const auto outcome_of = [](std::vector<BroadcastPeer> peers) {
        return make_report(std::move(peers)).outcome;
    };
    EXPECT_EQ(outcome_of({greeted(false), greeted(false)}), BroadcastOutcome::no_relay);
    EXPECT_EQ(outcome_of({greeted(false), silent}), BroadcastOutcome::no_relay);
    EXPECT_EQ(outcome_of({greeted(true)}), BroadcastOutcome::no_peer) << "lost before it was told";
    EXPECT_EQ(outcome_of({greeted(false), greeted(true)}), BroadcastOutcome::no_peer);
    EXPECT_EQ(outcome_of({silent}), BroadcastOutcome::no_peer);
    EXPECT_EQ(outcome_of({}), BroadcastOutcome::no_peer);
}

TEST(BroadcastReport, BlamesTheFeeWhereThoseThatTakeAnyAskMore) {
    BroadcastPeer dear = greeted(true);
    dear.refuses_fee = true;
    EXPECT_EQ(make_report({dear, greeted(false), greeted(true)}).outcome,
              BroadcastOutcome::low_fee);
}

}  // namespace
}  // namespace petal::net
