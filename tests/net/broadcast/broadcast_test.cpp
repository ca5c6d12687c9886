// Which peers are told of a transaction, which are waited for, and the result.
#include "net/broadcast/broadcast_engine.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/net/broadcast/broadcast_fixture.h"

namespace petal::net {
namespace {

TEST_F(Broadcast, AnnouncesToHalfOfThePeers) {
    std::vector<bool> told;
    for (int i = 0; i < 6; ++i) told.push_back(is_told(meet()));
    EXPECT_EQ(told, (std::vector{true, false, true, false, true, false}));
}

TEST_F(Broadcast, CountsOnlyPeersThatTakeItForTheHalf) {
    meet({.relay = false});
    meet({.relay = false});
    meet({.least_fee_rate = 1'000'000});
    EXPECT_TRUE(is_told(meet()));
    EXPECT_FALSE(is_told(meet())) << "one of the two peers that can announce it must watch";
}

TEST_F(Broadcast, ExpectsNoAnnouncementFromPeersThatDoNotTakeIt) {
    meet({.relay = false});
    meet({.least_fee_rate = 1'000'000});
    const PeerId taker = meet();
    settle();
    fetch(taker);
    give_back(taker);
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::accepted);
}

TEST_F(Broadcast, SendsNoFilterAndAsksForAllAnnouncements) {
    const PeerId first = meet();
    const PeerId watcher = meet();
    for (const PeerId id : {first, watcher}) {
        EXPECT_EQ(count(id, "filterload"), 0U);
        EXPECT_EQ(count(id, "mempool"), 0U);
    }
    EXPECT_EQ(count(watcher, "getdata"), 0U) << "the watching peer must not learn the txid";
}

TEST_F(Broadcast, AnnouncesNothingBeforeAPeersFirstPong) {
    const PeerId id = greet({});
    EXPECT_FALSE(is_told(id));
    engine.on_message(id, Pong{1}, now);  // not the nonce of the ping that the peer was sent
    EXPECT_TRUE(engine.take_commands().empty());
    pass(seconds{10});
    EXPECT_EQ(dropped.at(id), DisconnectReason::timed_out);
}

TEST_F(Broadcast, ServesTheWholeTransactionToAToldPeer) {
    const PeerId told = meet();
    fetch(told);
    ASSERT_EQ(given.size(), 1U);
    EXPECT_EQ(given[0], transaction) << "the request named no witness, but the witness is needed";
    EXPECT_EQ(engine.report().fetched_by, 1U);
}

TEST_F(Broadcast, ServesNothingToAnUntoldPeer) {
    meet();
    const PeerId watcher = meet();
    fetch(watcher);
    EXPECT_TRUE(given.empty());
    EXPECT_EQ(count(watcher, "notfound"), 1U);
    EXPECT_EQ(engine.report().fetched_by, 0U);
}

TEST_F(Broadcast, ServesOnlyTheTransactionAndNotForEver) {
    const PeerId told = meet();
    engine.on_message(told, GetData{{{InventoryType::tx, {}}}}, now);
    for (const auto type : {InventoryType::block, InventoryType::wtx}) {
        engine.on_message(told, GetData{{{type, {transaction.txid().bytes}}}}, now);
    }
    for (int i = 0; i < 10; ++i) fetch(told);
    EXPECT_EQ(given.size(), static_cast<std::size_t>(TxServer::kMaxServed));
}

// Decoding four million bytes takes three times their memory.
TEST_F(Broadcast, DecodesNoTransactionLargerThanItsOwn) {
    const PeerId recipient = meet();
    const PeerId watcher = meet();
    const auto expects = [this](PeerId peer, std::size_t bytes) {
        const chain::Bytes payload(bytes);
        return engine.expects(peer, {"tx", payload}).value();
    };
    EXPECT_TRUE(expects(recipient, 192)) << "its size with its witness";
    EXPECT_FALSE(expects(recipient, 193));
    EXPECT_FALSE(expects(watcher, 192)) << "the peer was not asked for it";
    give_back(recipient);
    EXPECT_FALSE(expects(recipient, 192)) << "again";
    EXPECT_FALSE(engine.expects(recipient, {"headers", {}}).value());
}

TEST_F(Broadcast, DecodesNoBlockFilters) {
    const PeerId recipient = meet();
    for (const std::string_view command :
         {"cfilter", "cfheaders", "cfcheckpt", "getcfilters", "getcfheaders", "getcfcheckpt"}) {
        EXPECT_FALSE(engine.expects(recipient, {command, {}}).value()) << command;
    }
    EXPECT_TRUE(engine.expects(recipient, {"inv", {}}).value());
}

TEST_F(Broadcast, EndsAtOnceWhenAllOthersAnnounceIt) {
    const PeerId told = meet();
    const PeerId second = meet();
    const PeerId third = meet();
    ASSERT_TRUE(is_told(third));
    const PeerId fourth = meet();
    settle();
    fetch(told);
    announce(second);
    EXPECT_FALSE(engine.finished());
    announce(fourth);
    EXPECT_TRUE(engine.finished());
    const auto report = engine.report();
    EXPECT_EQ(report.outcome, BroadcastOutcome::relayed);
    EXPECT_EQ(report.announced_to, 2U);
    EXPECT_EQ(report.fetched_by, 1U);
    EXPECT_EQ(report.seen_from, 2U);
}

TEST_F(Broadcast, LingersForFurtherAnnouncementsAfterTheFirst) {
    fetch(meet());
    const PeerId watcher = meet();
    meet();
    meet();
    announce(watcher);
    pass(milliseconds{4'999});
    EXPECT_FALSE(engine.finished());
    pass(milliseconds{1});
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(engine.report().seen_from, 1U);
}

TEST_F(Broadcast, CountsPeersOfOneNetworkGroupAsOne) {
    meet();
    announce(meet({.address = "203.0.113.5:8333"}));
    meet();
    announce(meet({.address = "203.0.200.9:8333"}));
    EXPECT_EQ(engine.report().seen_from, 1U);
    meet();
    announce(meet({.address = "198.51.100.1:8333"}));
    EXPECT_EQ(engine.report().seen_from, 2U);
}

TEST_F(Broadcast, TreatsANodeThatIsReachedTwiceAsOnePeer) {
    const PeerId told = meet({.address = "203.0.113.5:8333"});
    ASSERT_TRUE(is_told(told));
    const PeerId again = ++last_;
    engine.on_connected(again, test::peer_at("203.0.113.5:8333"), now);
    settle();
    EXPECT_EQ(dropped.at(again), DisconnectReason::duplicate);
    announce(again);
    EXPECT_EQ(engine.report().seen_from, 0U);
    EXPECT_EQ(engine.report().peers.at(1).ended, DisconnectReason::duplicate);
    give_back(told);
    EXPECT_TRUE(engine.finished()) << "there is no other peer";
}

TEST_F(Broadcast, DropsAToldNodeThatComesBack) {
    const PeerId told = meet({.address = "203.0.113.5:8333"});
    engine.on_closed(told, now);
    greet({.address = "203.0.113.5:8333"});
    EXPECT_EQ(dropped.size(), 1U);
}

TEST_F(Broadcast, AcceptsANodeAgainThatLeftBeforeItWasTold) {
    const PeerId gone = greet({.address = "203.0.113.5:8333"});
    engine.on_closed(gone, now);
    EXPECT_TRUE(is_told(meet({.address = "203.0.113.5:8333"})));
    EXPECT_TRUE(dropped.empty());
}

TEST_F(Broadcast, TreatsAnotherPortAsAnotherNode) {
    meet({.address = "203.0.113.5:8333"});
    announce(meet({.address = "203.0.113.5:8334"}));
    EXPECT_EQ(engine.report().seen_from, 1U);
}

TEST_F(Broadcast, DoesNotTrustTheEchoOfAToldPeer) {
    const PeerId told = meet();
    meet();
    fetch(told);
    announce(told);
    EXPECT_EQ(engine.report().seen_from, 0U);
    EXPECT_EQ(engine.report().accepted_by, 1U);
}

TEST_F(Broadcast, DoesNotTreatAnEchoAsAcceptance) {
    const PeerId lone = meet();
    settle();
    announce(lone);
    EXPECT_EQ(engine.report().accepted_by, 0U);
    EXPECT_EQ(count(lone, "getdata"), 1U) << "the lone peer is asked for it at once";
    pass(seconds{40});
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::ignored);
}

TEST_F(Broadcast, TreatsAReturnedTransactionAsKnown) {
    const PeerId lone = meet();
    settle();
    announce(lone);
    give_back(lone);
    EXPECT_EQ(engine.report().accepted_by, 1U);
    EXPECT_EQ(outcome(), BroadcastOutcome::known);
}

TEST_F(Broadcast, CountsOnlyAnnouncementsOfItsTransaction) {
    meet();
    const PeerId watcher = meet();
    Inv others;
    others.entries.resize(1'000);
    others.entries.push_back({InventoryType::block, {transaction.txid().bytes}});
    engine.on_message(watcher, others, now);
    EXPECT_EQ(engine.report().seen_from, 0U);
}

// Bitcoin Core serves a transaction that it already had only after it has announced the transaction
// to us.
TEST_F(Broadcast, SendsAFilterOnlyToRecipientsThatServeFilters) {
    const PeerId without_filters = meet();
    const PeerId watcher = meet({.services = kNodeBloom});
    const PeerId with_filters = meet({.services = kNodeBloom});
    settle();
    ASSERT_TRUE(is_told(without_filters) && is_told(with_filters));
    ASSERT_FALSE(is_told(watcher));
    pass(seconds{4});
    EXPECT_EQ(count(with_filters, "filterload"), 1U);
    EXPECT_EQ(count(without_filters, "filterload"), 0U)
        << "a node without NODE_BLOOM would disconnect";
    EXPECT_EQ(count(watcher, "filterload"), 0U) << "the filter would reveal the txid";
}

TEST_F(Broadcast, LearnsQuicklyThatALonePeerKnewIt) {
    const PeerId peer = meet({.services = kNodeBloom});
    settle();
    ASSERT_TRUE(is_told(peer));
    pass(seconds{4});
    EXPECT_EQ(count(peer, "filterload"), 1U);
    EXPECT_EQ(count(peer, "mempool"), 1U);
    announce(peer);
    give_back(peer);
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::known);
}

TEST_F(Broadcast, RequestsItBackFromALonePeer) {
    const PeerId lone = meet();
    settle();
    fetch(lone);
    EXPECT_EQ(count(lone, "getdata"), 0U);
    pass(milliseconds{20});
    EXPECT_EQ(count(lone, "getdata"), 1U) << "the user's own node returns it at once";
    EXPECT_FALSE(engine.finished());
    pass(milliseconds{980});
    EXPECT_EQ(count(lone, "getdata"), 5U) << "at pauses of 40, 80, 160 and 320 ms";
    pass(seconds{9});
    EXPECT_EQ(count(lone, "getdata"), 9U) << "and then at pauses of up to 3 s";
    give_back(lone);
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::accepted);
}

TEST_F(Broadcast, TreatsAnUnreturnedTransactionAsDropped) {
    const PeerId lone = meet();
    settle();
    fetch(lone);
    engine.on_message(lone, Tx{chain::Transaction{}}, now);  // another transaction
    pass(milliseconds{59'999});
    EXPECT_FALSE(engine.finished()) << "some nodes return nothing for twenty seconds";
    pass(milliseconds{1});
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::dropped);
}

TEST_F(Broadcast, ReportsTheReasonOfAReject) {
    const PeerId lone = meet();
    settle();
    fetch(lone);
    refuse(lone, "missing-inputs");
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::refused);
    EXPECT_EQ(engine.report().peers[0].refusal, "missing-inputs");
    EXPECT_FALSE(engine.report().timed_out);
}

TEST_F(Broadcast, DoesNotTreatAKnownTransactionAsRefused) {
    for (const std::string reason :
         {"txn-already-in-mempool", "txn-already-known", "already have transaction"}) {
        std::destroy_at(&engine);
        std::construct_at(&engine, chain::OwnTransaction{transaction, kFee}, BroadcastOptions{},
                          now);
        const PeerId lone = meet();
        settle();
        refuse(lone, reason, 0x12);
        EXPECT_FALSE(engine.finished()) << "it may never have got the transaction";
        engine.on_message(lone, Tx{transaction}, now);
        EXPECT_TRUE(engine.finished()) << reason;
        EXPECT_EQ(outcome(), BroadcastOutcome::known) << reason;
    }
}

TEST_F(Broadcast, TreatsOtherDuplicatesAsRefused) {
    const PeerId first = meet();
    refuse(first, "txn-mempool-conflict", 0x12);
    EXPECT_EQ(outcome(), BroadcastOutcome::refused);
    const PeerId second = meet();
    ASSERT_TRUE(is_told(second));
    refuse(second, "txn-already-known");
    EXPECT_EQ(outcome(), BroadcastOutcome::refused) << "with a different reject code";
}

TEST_F(Broadcast, AnnouncesToAnotherPeerIfOneRefuses) {
    const PeerId first = meet();
    const PeerId second = meet();
    const PeerId third = meet();
    const PeerId fourth = meet();
    settle();
    ASSERT_TRUE(is_told(first) && is_told(third));
    fetch(first);
    refuse(first, "insufficient fee");
    EXPECT_TRUE(is_told(second) || is_told(fourth));
    EXPECT_FALSE(engine.finished());
    for (const PeerId id : {third, fourth, second}) refuse(id, "insufficient fee");
    EXPECT_TRUE(engine.finished()) << "no other peer is left to be told";
    EXPECT_EQ(outcome(), BroadcastOutcome::refused);
}

TEST_F(Broadcast, BelievesAnAnnouncementRatherThanAReject) {
    fetch(meet());
    const PeerId watcher = meet();
    refuse(1, "no");
    EXPECT_TRUE(is_told(watcher));
    const PeerId third = meet();
    announce(third);
    EXPECT_EQ(outcome(), BroadcastOutcome::relayed);
}

TEST_F(Broadcast, IgnoresRejectsOfUntoldPeersAndOfOtherData) {
    const PeerId told = meet();
    const PeerId watcher = meet();
    const auto hash = entry_of(transaction).hash;
    refuse(watcher, "no");
    engine.on_message(told, Reject{"tx", 0x10, "no", {}}, now);
    engine.on_message(told, Reject{"tx", 0x10, "no", chain::Hash256{}}, now);
    engine.on_message(told, Reject{"block", 0x10, "no", hash}, now);
    for (const auto& peer : engine.report().peers) EXPECT_FALSE(peer.refusal);
    EXPECT_EQ(outcome(), BroadcastOutcome::ignored);
}

TEST_F(Broadcast, NoticesThatPeersKnewIt) {
    const PeerId lone = meet();
    settle();
    pass(seconds{3});
    EXPECT_EQ(count(lone, "getdata"), 1U)
        << "the peer has not requested it, so the peer is asked for it";
    give_back(lone);
    pass(seconds{5});
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::known);
}

TEST_F(Broadcast, AnnouncesToMorePeersIfNoneRequestsIt) {
    meet();
    const PeerId spare = meet();
    settle();
    pass(milliseconds{9'999});
    EXPECT_FALSE(is_told(spare));
    pass(milliseconds{1});
    EXPECT_TRUE(is_told(spare));
    pass(milliseconds{29'999});
    EXPECT_FALSE(engine.finished());
    pass(milliseconds{1});
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::ignored);
}

TEST_F(Broadcast, AnnouncesToAnotherPeerIfAToldPeerLeaves) {
    const PeerId told = meet();
    const PeerId spare = meet();
    engine.on_closed(told, now);
    EXPECT_FALSE(engine.take_commands().empty());
    EXPECT_TRUE(engine.report().peers.at(spare - 1).was_announced_to());
    EXPECT_EQ(engine.report().peers.at(told - 1).ended, DisconnectReason::gone);
}

TEST_F(Broadcast, SkipsPeersWithoutTransactionRelay) {
    const PeerId without_relay = meet({.relay = false});
    EXPECT_FALSE(is_told(without_relay));
    settle();
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::no_relay);
}

TEST_F(Broadcast, SkipsPeersWithAHigherFeeFilter) {
    const auto size = static_cast<chain::Satoshis>(transaction.virtual_size());
    const PeerId above_fee = meet({.least_fee_rate = kFee * 1'000 / size + 1});
    EXPECT_FALSE(is_told(above_fee));
    const PeerId fair = meet({.least_fee_rate = kFee * 1'000 / size});
    EXPECT_TRUE(is_told(fair)) << "the other peer still watches";
    EXPECT_EQ(engine.report().peers[0].state, RelayState::fee_too_low);
}

TEST_F(Broadcast, ReportsAFeeThatIsTooLowForAllPeers) {
    meet({.least_fee_rate = 1'000'000});
    meet({.least_fee_rate = 1'000'000});
    EXPECT_FALSE(engine.finished()) << "another peer may come";
    settle();
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::low_fee);
}

class BroadcastOfUnknownFee : public Broadcast {
protected:
    BroadcastOfUnknownFee() : Broadcast(std::nullopt) {}
};

TEST_F(BroadcastOfUnknownFee, IsAnnouncedDespiteAnyFeeFilter) {
    EXPECT_TRUE(is_told(meet({.least_fee_rate = 1'000'000})));
}

TEST_F(Broadcast, IgnoresAFeefilterThatIsNoAmount) {
    const PeerId id = greet({});
    engine.on_message(id, FeeFilter{-1}, now);
    engine.on_message(id, FeeFilter{chain::kMaxMoney + 1}, now);
    EXPECT_EQ(engine.report().peers[0].claims.least_fee_rate, 0);
}

TEST_F(Broadcast, EndsWhenNoPeerIsLeft) {
    const PeerId only = greet({});
    settle();
    EXPECT_FALSE(engine.finished());
    engine.on_bad_bytes(only, DisconnectReason::not_bitcoin, "", now);
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(engine.report().peers[0].ended, DisconnectReason::not_bitcoin);
}

TEST_F(Broadcast, ContinuesWhileAnotherPeerMayCome) {
    const PeerId only = greet({});
    settle(PeerAvailability::later);
    engine.on_closed(only, now);
    EXPECT_FALSE(engine.finished());
    settle(PeerAvailability::none);
    EXPECT_TRUE(engine.finished());
}

TEST_F(Broadcast, EndsAtItsTimeoutWhateverHappens) {
    pass(milliseconds{119'999});
    EXPECT_FALSE(engine.finished());
    pass(milliseconds{1});
    EXPECT_TRUE(engine.finished());
    EXPECT_TRUE(engine.report().timed_out);
    EXPECT_EQ(outcome(), BroadcastOutcome::no_peer);
}

TEST_F(Broadcast, WaitsAMinuteForOthersToAnnounceWhatWasFetched) {
    const PeerId told = meet();
    meet();
    settle();
    fetch(told);
    pass(seconds{1});
    give_back(told);
    pass(milliseconds{58'999});
    EXPECT_FALSE(engine.finished());
    pass(milliseconds{1});
    EXPECT_TRUE(engine.finished());
    EXPECT_FALSE(engine.report().timed_out);
    EXPECT_EQ(outcome(), BroadcastOutcome::accepted);
}

TEST_F(Broadcast, AnswersPingsAndRefusesItself) {
    const PeerId id = meet();
    engine.on_message(id, Ping{5}, now);
    EXPECT_EQ(std::get<Pong>(std::get<Send>(engine.take_commands().at(0)).message).nonce, 5U);
    EXPECT_TRUE(dropped.empty());
    engine.on_connected(99, test::peer_at("192.0.2.1:1"), now);
    const auto opening = std::get<Version>(std::get<Send>(engine.take_commands().at(0)).message);
    EXPECT_TRUE(opening.relay);
    Version mirror;
    mirror.nonce = opening.nonce;
    engine.on_message(99, mirror, now);
    EXPECT_EQ(std::get<Disconnect>(engine.take_commands().at(0)).reason, DisconnectReason::self);
}

}  // namespace
}  // namespace petal::net
