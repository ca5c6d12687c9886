/// How an embedded node accepts transactions from its peers.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <vector>

#include "chain/script/script.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

using namespace std::chrono_literals;
using chain::Bytes;
using chain::Outpoint;

std::vector<net::Message> one_getdata(net::InventoryType type, const auto& hash) {
    return {net::GetData{{{type, {hash.bytes}}}}};
}

net::Version with_witness() {
    net::Version version;
    version.services = net::kNodeWitness;
    return version;
}

class RegtestIntake : public testing::Test {
protected:
    /// Fills the purse first, because this mines blocks, which a connected peer would hear of.
    RegtestIntake() : payment(chain.make_payment({{1'000, script(1)}})), txid(payment.txid()) {}

    RegtestChain chain;
    chain::Transaction payment;
    chain::Txid txid;
};

TEST_F(RegtestIntake, AsksForWhatIsAnnouncedAndPassesItOn) {
    RegtestPeer peer(chain);
    peer.announce(txid);
    EXPECT_EQ(peer.received(), one_getdata(net::InventoryType::tx, txid));
    EXPECT_TRUE(peer.taken_transactions().empty());
    peer.send(net::Tx{payment});
    EXPECT_EQ(peer.taken_transactions(), std::vector{payment});
    EXPECT_TRUE(peer.taken_transactions().empty()) << "each transaction is handed over once";
}

TEST_F(RegtestIntake, AsksForWitnessesIfThePeerHasThem) {
    RegtestPeer peer(chain, {}, with_witness());
    peer.announce(txid);
    EXPECT_EQ(peer.received(), one_getdata(net::InventoryType::witness_tx, txid));
}

TEST_F(RegtestIntake, TakesAHashWithTheTypeOfRequestsForATxid) {
    const net::Inv announcement{{{net::InventoryType::witness_tx, {txid.bytes}}}};
    for (const bool by_wtxid : {false, true}) {
        RegtestNode node(chain, {}, 1);
        node.on_message(with_witness(), {});
        if (by_wtxid) node.on_message(net::WtxidRelay{}, {});
        node.on_message(net::Verack{}, {});
        node.take_output();
        node.on_message(announcement, {});
        EXPECT_EQ(node.take_output(), one_getdata(net::InventoryType::witness_tx, txid));
    }
    RegtestPeer announcer(chain, {}, net::Version{});
    announcer.send(announcement);
    announcer.received();
    ASSERT_TRUE(chain.offer(payment, kAmountsOnly));
    EXPECT_TRUE(announcer.received().empty()) << "the announcer has it";
}

TEST_F(RegtestIntake, AsksByWtxidOnlyIfThatWasAgreed) {
    RegtestNode node(chain, {}, 1);
    RegtestPeer by_txid(chain, {}, with_witness());
    by_txid.send(net::Inv{{{net::InventoryType::wtx, {payment.wtxid().bytes}}}});
    EXPECT_TRUE(by_txid.received().empty());

    node.on_message(with_witness(), {});
    node.on_message(net::WtxidRelay{}, {});
    node.on_message(net::Verack{}, {});
    node.take_output();
    node.on_message(net::Inv{{tx_entry(txid)}}, {});
    EXPECT_FALSE(node.has_output());
    payment.inputs[0].witness = {Bytes{1}};
    for (int i = 0; i < 2; ++i) {
        node.on_message(net::Inv{{{net::InventoryType::wtx, {payment.wtxid().bytes}}}}, {});
        EXPECT_EQ(node.take_output(), one_getdata(net::InventoryType::wtx, payment.wtxid()));
        node.on_message(net::Tx{payment}, {});
    }
}

TEST_F(RegtestIntake, AsksForMissingParentsByTheirTxids) {
    const std::array parents{txid, chain::Txid{{1}}};
    RegtestPeer peer(chain, {}, with_witness());
    peer.announce(parents[1]);
    peer.received();
    peer.node.request_parents(parents);
    EXPECT_EQ(peer.received(), one_getdata(net::InventoryType::witness_tx, txid));
    peer.send(net::Tx{payment});
    chain.submit(payment);
    peer.node.request_parents(parents);
    EXPECT_TRUE(peer.received().empty()) << "the node has one parent and has requested the other";
}

TEST_F(RegtestIntake, AsksOnceWhileTheRequestIsOutstanding) {
    RegtestPeer peer(chain);
    peer.announce(txid);
    peer.received();
    peer.announce(txid);
    EXPECT_TRUE(peer.received().empty());
    payment.inputs[0].witness = {Bytes{1}};
    peer.send(net::Tx{payment});
    peer.announce(txid);  // the chain has not accepted the transaction
    EXPECT_EQ(peer.received(), one_getdata(net::InventoryType::tx, txid));
    peer.send(net::NotFound{{tx_entry(txid)}});
    peer.announce(txid);
    EXPECT_EQ(peer.received(), one_getdata(net::InventoryType::tx, txid));
}

TEST_F(RegtestIntake, AsksAgainOnceTheAnswerIsOverdue) {
    RegtestPeer peer(chain);
    peer.announce(txid);
    peer.received();
    peer.pass(TransactionIntake::kAnswerLimit - 1ms);
    peer.announce(txid);
    EXPECT_TRUE(peer.received().empty());
    peer.pass(1ms);
    peer.announce(txid);
    EXPECT_EQ(peer.received(), one_getdata(net::InventoryType::tx, txid));
    peer.pass(TransactionIntake::kAnswerLimit);
    peer.node.request_parents(std::array{txid});
    EXPECT_EQ(peer.received(), one_getdata(net::InventoryType::tx, txid));
}

TEST_F(RegtestIntake, AsksEveryAnnouncerOfAnOrphanForItsParents) {
    OrphanPool orphans(chain);
    chain::Transaction orphan;
    orphan.inputs = {{{txid, 0}, {}, 0xfffffffd, {}}};
    orphan.outputs = {{500, script(2)}};
    RegtestNode node(chain, {}, 1, {&orphans, 2});
    node.on_message(net::Version{}, {});
    node.on_message(net::Verack{}, {});
    node.take_output();
    orphans.offer(orphan, 1, kAmountsOnly);
    node.on_message(net::Inv{{tx_entry(orphan.txid())}}, {});
    EXPECT_EQ(node.take_output(), one_getdata(net::InventoryType::tx, txid));
    orphans.forget_peer(1);
    EXPECT_TRUE(orphans.announce({orphan.wtxid().bytes}, 2))
        << "the orphan belongs to the announcing peer, too";
}

TEST_F(RegtestIntake, DoesNotAskForWhatItHas) {
    chain.submit(payment);
    RegtestPeer peer(chain);
    peer.announce(txid);
    EXPECT_TRUE(peer.received().empty()) << "in the mempool";
    chain.mine();
    peer.received();
    peer.announce(txid);
    EXPECT_TRUE(peer.received().empty()) << "in the latest block";
    chain.mine();
    peer.received();
    peer.announce(txid);
    EXPECT_FALSE(peer.received().empty()) << "the node has no index of older blocks";
}

TEST_F(RegtestIntake, LooksUpOnlyTransactionsThatItMayRequest) {
    TransactionIntake intake;
    std::size_t looked_for = 0;
    const auto is_known = [&looked_for](const net::Inventory&) { return ++looked_for == 0; };
    net::Inv flood;
    for (std::uint32_t i = 0; i < 50'000; ++i) {
        flood.entries.push_back(tx_entry(txid));
        std::memcpy(flood.entries.back().hash.bytes.data(), &i, sizeof i);
    }
    intake.request(flood, is_known, {});
    intake.request(flood, is_known, {});
    EXPECT_EQ(looked_for, TransactionIntake::kMaxRequested);
}

TEST_F(RegtestIntake, KeepsTrackOfNoMoreThanItMay) {
    RegtestPeer peer(chain);
    net::Inv flood;
    for (std::uint32_t i = 0; i <= TransactionIntake::kMaxRequested; ++i) {
        net::Inventory entry;
        entry.hash.bytes[0] = static_cast<chain::Byte>(i);
        entry.hash.bytes[1] = static_cast<chain::Byte>(i >> 8U);
        flood.entries.push_back(entry);
    }
    peer.send(flood);
    const auto answers = peer.received();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(std::get<net::GetData>(answers[0]).entries.size(), TransactionIntake::kMaxRequested);
}

TEST_F(RegtestIntake, AcceptsNoMoreWhileManyBytesWaitToBeTaken) {
    RegtestPeer peer(chain);
    chain::Transaction large = payment;
    large.outputs[0].script_pubkey.resize(300'000);
    for (int i = 0; i < 16; ++i) peer.send(net::Tx{large});
    EXPECT_TRUE(peer.node.accepts_input());
    peer.send(net::Tx{large});
    EXPECT_FALSE(peer.node.accepts_input());
    EXPECT_TRUE(peer.received().empty());
    EXPECT_FALSE(peer.node.accepts_input());
    EXPECT_EQ(peer.taken_transactions().size(), 17U);
    EXPECT_TRUE(peer.node.accepts_input());
}

TEST_F(RegtestIntake, AnnouncesToAllPeersButTheSender) {
    RegtestPeer giver(chain, {}, net::Version{});
    RegtestPeer other(chain, {}, net::Version{});
    giver.send(net::Tx{payment});  // the transaction comes without an announcement
    for (auto& sent : giver.taken_transactions()) ASSERT_TRUE(chain.offer(sent, kAmountsOnly));
    EXPECT_TRUE(giver.received().empty());
    EXPECT_EQ(other.received(), one_inv(tx_entry(txid)));
}

TEST_F(RegtestIntake, HangsUpOnTransactionsIfItTakesNone) {
    NodeBehaviour behaviour;
    behaviour.takes_transactions = false;
    RegtestPeer announcer(chain, behaviour);
    announcer.send(net::Inv{{block_entry(chain.tip())}});
    EXPECT_FALSE(announcer.node.disconnect_reason());
    announcer.announce(txid);
    EXPECT_TRUE(announcer.node.disconnect_reason());
    RegtestPeer pusher(chain, behaviour);
    pusher.send(net::Tx{payment});
    EXPECT_TRUE(pusher.node.disconnect_reason());
}

TEST_F(RegtestIntake, SaysInTheHandshakeWhatItTakes) {
    NodeBehaviour behaviour;
    behaviour.takes_transactions = false;
    behaviour.mempool.least_fee_rate = 5'000;
    RegtestNode node(chain, behaviour, 1);
    node.on_message(net::Version{}, {});
    node.on_message(net::Verack{}, {});
    bool told_rate = false;
    for (const net::Message& message : node.take_output()) {
        const auto* version = std::get_if<net::Version>(&message);
        EXPECT_FALSE(version != nullptr && version->relay);
        told_rate = told_rate || message == net::Message(net::FeeFilter{5'000});
    }
    EXPECT_TRUE(told_rate);
}

class RegtestOffer : public testing::Test {
protected:
    RegtestOffer() : coin{chain.pay(script(1), 100'000), 0} { chain.mine(); }

    chain::Transaction spend(chain::Satoshis value) {
        return test::make_spend(chain, std::array{coin}, {{value, script(2)}});
    }
    /// The reason for which the chain refuses the transaction; nothing if it accepts.
    std::optional<RejectReason> refusal(chain::Transaction transaction,
                                        chain::Satoshis least_fee_rate = 0) {
        const MempoolPolicy policy{TransactionChecks::amounts, least_fee_rate};
        const auto result = chain.offer(std::move(transaction), policy);
        return result ? std::nullopt : std::optional(result.error().reason);
    }

    RegtestChain chain;
    Outpoint coin;
};

TEST_F(RegtestOffer, TakesExactlyTheLeastFee) {
    const auto fee = static_cast<chain::Satoshis>(spend(0).virtual_size()) * 2;
    EXPECT_EQ(refusal(spend(100'000 - fee + 1), 2'000), RejectReason::fee_too_low);
    EXPECT_EQ(refusal(spend(100'000 - fee), 2'000), std::nullopt);
    EXPECT_EQ(chain.mempool().transactions().size(), 1U);
}

TEST_F(RegtestOffer, ReplacesWhatPaysLess) {
    ASSERT_EQ(refusal(spend(90'000)), std::nullopt);
    EXPECT_EQ(refusal(spend(90'000)), std::nullopt)
        << "offering the same transaction again changes nothing";
    EXPECT_EQ(refusal(spend(95'000)), RejectReason::insufficient_fee);
    EXPECT_EQ(chain.mempool().transactions(), std::vector{spend(90'000)});
    EXPECT_EQ(refusal(spend(80'000)), std::nullopt);
    EXPECT_EQ(chain.mempool().transactions(), std::vector{spend(80'000)});
}

TEST_F(RegtestOffer, RefusesWhatSpendsUnknownOrSpentCoins) {
    auto unknown = spend(90'000);
    unknown.inputs[0].prevout.index = 7;
    EXPECT_EQ(refusal(unknown), RejectReason::missing_input);
    chain.mine_block({spend(90'000)});
    EXPECT_EQ(refusal(spend(80'000)), RejectReason::missing_input);
    EXPECT_EQ(refusal(spend(90'000)), RejectReason::already_known);
    EXPECT_TRUE(chain.mempool().transactions().empty());
}

}  // namespace
}  // namespace petal::regtest
