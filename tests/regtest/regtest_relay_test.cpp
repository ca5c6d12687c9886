/// How an embedded node relays unconfirmed transactions, beyond what p2p_filter.py asks.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "chain/script/script.h"
#include "regtest/known_inventory.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

using namespace std::chrono_literals;
using chain::Bytes;
using chain::Outpoint;

const bloom::BloomFilter kFilter = filter_of({Bytes(20, 1)});

class RegtestRelay : public testing::Test {
protected:
    /// Fills the purse first, because this mines blocks, which a connected peer would hear of.
    RegtestRelay() { chain.make_payment({{1'000, script(9)}}); }

    static NodeBehaviour with_trickle(std::chrono::milliseconds trickle) {
        NodeBehaviour behaviour;
        behaviour.trickle = trickle;
        return behaviour;
    }

    chain::Transaction spend(const Outpoint& outpoint, chain::Satoshis value) {
        return test::make_spend(chain, std::array{outpoint}, {{value, script(5)}});
    }

    RegtestChain chain;
};

TEST_F(RegtestRelay, AnnouncesEachTransactionOnceEvenUnderANewFilter) {
    RegtestPeer peer(chain);
    peer.load(kFilter);
    const auto txid = chain.pay(script(1), 1'000);
    EXPECT_EQ(peer.received(), one_inv(tx_entry(txid)));
    peer.load(kFilter);
    EXPECT_TRUE(peer.received().empty());
    peer.send(net::Mempool{});
    EXPECT_EQ(peer.received(), one_inv(tx_entry(txid))) << "the answer to mempool repeats it";
}

TEST_F(RegtestRelay, AnnouncesNothingThatThePeerAnnounced) {
    RegtestPeer peer(chain);
    peer.load(kFilter);
    const auto payment = chain.make_payment({{1'000, script(1)}});
    peer.announce(payment.txid());
    peer.received();  // the node requests the transaction
    chain.submit(payment);
    EXPECT_TRUE(peer.received().empty());
}

TEST_F(RegtestRelay, RemembersThePeersLatestAnnouncements) {
    RegtestPeer peer(chain);
    peer.load(kFilter);
    const auto payment = chain.make_payment({{1'000, script(1)}});
    std::uint32_t announced = 0;
    const auto announce_others = [&] {
        net::Inv others;
        others.entries.resize(KnownInventory::kMaxHashes);
        for (net::Inventory& entry : others.entries) {
            ++announced;
            std::memcpy(entry.hash.bytes.data(), &announced, sizeof announced);
        }
        peer.send(others);
        peer.received();
    };
    peer.announce(payment.txid());
    announce_others();
    chain.submit(payment);
    EXPECT_TRUE(peer.received().empty());
    chain.drop(payment.txid());
    announce_others();
    announce_others();
    chain.submit(payment);
    EXPECT_EQ(peer.received(), one_inv(tx_entry(payment.txid())))
        << "the node forgot that the peer had announced it";
}

TEST_F(RegtestRelay, DiscardsTransactionsWhileRelayIsOff) {
    RegtestPeer peer(chain);
    chain.pay(script(1), 1'000);
    EXPECT_TRUE(peer.received().empty());
    peer.load(kFilter);
    EXPECT_TRUE(peer.received().empty());
}

TEST_F(RegtestRelay, AnnouncesTransactionsFromJustBeforeRelayIsOn) {
    RegtestPeer peer(chain, with_trickle(5s));
    peer.pass(5s);
    const auto txid = chain.pay(script(1), 1'000);
    peer.load(kFilter);
    EXPECT_TRUE(peer.received().empty());
    peer.pass(5s);
    EXPECT_EQ(peer.received(), one_inv(tx_entry(txid)));
}

TEST_F(RegtestRelay, HoldsAnnouncementsAndMempoolAnswersUntilTheTrickle) {
    const auto before = chain.pay(script(1), 1'000);
    RegtestPeer peer(chain, with_trickle(5s));
    peer.load(kFilter);
    const auto after = chain.pay(script(1), 2'000);
    peer.pass(4'999ms);
    EXPECT_TRUE(peer.received().empty());
    peer.pass(1ms);
    EXPECT_EQ(peer.received(), one_inv(tx_entry(after)));

    peer.send(net::Mempool{});
    peer.send(net::Ping{1});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::Pong{1}})
        << "the pong does not wait for the announcements";
    peer.pass(5s);
    EXPECT_EQ(peer.received(), one_inv(tx_entry(before), tx_entry(after)));
}

TEST_F(RegtestRelay, ShowsQueuedAnnouncements) {
    RegtestPeer peer(chain, with_trickle(5s));
    PeerRecord record;
    const auto waiting = [&] {
        peer.node.describe_peer(record, peer.now);
        return record.relay.waiting_announcements;
    };
    chain.pay(script(1), 1'000);
    EXPECT_EQ(waiting(), 0U) << "the peer has relay off";
    peer.load(kFilter);
    chain.pay(script(1), 2'000);
    EXPECT_EQ(waiting(), 2U);
    peer.pass(5s);
    EXPECT_EQ(waiting(), 0U);
    EXPECT_EQ(record.relay.last_inv_sequence, chain.history().revision());
}

TEST_F(RegtestRelay, DoesNotHoldBackBlocks) {
    RegtestPeer peer(chain, with_trickle(5s));
    chain.mine();
    EXPECT_EQ(peer.received(), one_inv(block_entry(chain.tip())));
}

TEST_F(RegtestRelay, IsSilentIfNothingInTheMempoolMatches) {
    chain.pay(script(2), 1'000);
    RegtestPeer peer(chain);
    peer.load(kFilter);
    peer.send(net::Mempool{});
    EXPECT_TRUE(peer.received().empty());
}

TEST_F(RegtestRelay, GivesTheWholeMempoolToAPeerWithoutAFilter) {
    const auto txid = chain.pay(script(2), 1'000);
    RegtestPeer peer(chain);
    peer.send(net::Mempool{});
    EXPECT_EQ(peer.received(), one_inv(tx_entry(txid)));
    chain.pay(script(2), 2'000);
    EXPECT_TRUE(peer.received().empty()) << "mempool does not turn relay on";
}

TEST_F(RegtestRelay, FollowsUnconfirmedOutpointsByUpdatingTheFilter) {
    RegtestPeer peer(chain);
    peer.load(kFilter);
    const auto payment = chain.pay(script(1), 10'000);
    const auto child = chain.submit(spend({payment, 0}, 9'000));
    EXPECT_EQ(peer.received(), one_inv(tx_entry(payment), tx_entry(child)));
    EXPECT_TRUE(peer.node.filter()->contains(Outpoint{payment, 0}.serialize()));
}

TEST_F(RegtestRelay, ServesAReplacementInsteadOfTheReplaced) {
    RegtestPeer peer(chain);
    const auto payment = chain.pay(script(1), 10'000);
    chain.mine();
    const auto replaced = chain.submit(spend({payment, 0}, 9'000));
    peer.load(filter_of({Bytes(20, 1), Bytes(20, 5)}));
    peer.received();
    const auto replacement = chain.submit(spend({payment, 0}, 8'000));
    EXPECT_EQ(peer.received(), one_inv(tx_entry(replacement)));
    peer.request(net::InventoryType::tx, replaced);
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::NotFound{{tx_entry(replaced)}}});
}

TEST_F(RegtestRelay, DoesNotAnnounceAReturningTransactionTwice) {
    RegtestPeer peer(chain);
    const auto payment = chain.pay(script(1), 10'000);
    chain.mine();
    peer.load(filter_of({Bytes(20, 5)}));
    peer.received();
    const auto first = spend({payment, 0}, 9'000);
    const auto second = spend({payment, 0}, 8'000);
    EXPECT_EQ((chain.submit(first), peer.received()), one_inv(tx_entry(first.txid())));
    EXPECT_EQ((chain.submit(second), peer.received()), one_inv(tx_entry(second.txid())));
    EXPECT_TRUE((chain.submit(first), peer.received()).empty());
}

TEST_F(RegtestRelay, BeginsWhenTheHandshakeIsComplete) {
    RegtestNode node(chain, {}, 1);
    node.on_message(net::Version{}, 0ms);
    chain.pay(script(1), 1'000);
    node.on_message(net::Verack{}, 0ms);
    for (const auto& message : node.take_output()) EXPECT_NE(command_of(message), "inv");
    const auto txid = chain.pay(script(1), 2'000);
    node.on_time(0ms);
    EXPECT_EQ(node.take_output(), one_inv(tx_entry(txid)));
}

TEST_F(RegtestRelay, DoesNotAnnounceTransactionsThatAReorgReturns) {
    RegtestPeer peer(chain);
    peer.load(kFilter);
    chain.pay(script(1), 1'000);
    peer.received();
    chain.mine();
    chain.reorganise(chain.height() - 1, 2);
    ASSERT_EQ(chain.mempool().transactions().size(), 1U);
    EXPECT_EQ(peer.received(), one_inv(block_entry(chain.tip())));
}

TEST_F(RegtestRelay, ServesTransactionsOfTheLatestBlockOnly) {
    RegtestPeer peer(chain);
    const auto txid = chain.pay(script(1), 1'000);
    chain.mine();
    const net::Tx expected{chain.block_at(chain.height()).transactions[1]};
    peer.received();
    peer.request(net::InventoryType::tx, txid);
    EXPECT_EQ(peer.received(), std::vector<net::Message>{expected});
    chain.mine();
    peer.received();
    peer.request(net::InventoryType::tx, txid);
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::NotFound{{tx_entry(txid)}}});
}

TEST_F(RegtestRelay, ServesTransactionsOnlyAfterTheNextTrickle) {
    RegtestPeer peer(chain, with_trickle(5s));
    peer.pass(5s);
    const auto txid = chain.pay(script(2), 1'000);
    peer.request(net::InventoryType::tx, txid);
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::NotFound{{tx_entry(txid)}}});
    peer.pass(5s);
    peer.request(net::InventoryType::tx, txid);
    EXPECT_EQ(peer.received(),
              std::vector<net::Message>{net::Tx{chain.mempool().transactions()[0]}});
}

TEST_F(RegtestRelay, ServesTheWitnessOnRequest) {
    RegtestPeer peer(chain);
    const auto payment = chain.pay(script(1), 10'000);
    const auto transaction = spend({payment, 0}, 9'000);
    ASSERT_TRUE(transaction.has_witness());
    const auto txid = chain.submit(transaction);
    peer.received();
    peer.request(net::InventoryType::tx, txid);
    peer.request(net::InventoryType::witness_tx, txid);
    peer.request(net::InventoryType::wtx, transaction.wtxid());
    EXPECT_EQ(peer.received(),
              (std::vector<net::Message>{stripped(transaction), net::Tx{transaction},
                                         net::Tx{transaction}}));
    peer.request(net::InventoryType::wtx, txid);
    const net::Inventory no_wtxid{net::InventoryType::wtx, {txid.bytes}};
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::NotFound{{no_wtxid}}});
}

TEST_F(RegtestRelay, AnnouncesByWtxidIfThatWasAgreed) {
    RegtestNode node(chain, {}, 1);
    node.on_message(net::Version{}, 0ms);
    node.on_message(net::WtxidRelay{}, 0ms);
    node.on_message(net::Verack{}, 0ms);
    node.take_output();
    const auto payment = chain.pay(script(1), 10'000);
    const auto transaction = spend({payment, 0}, 9'000);
    chain.submit(transaction);
    node.on_time(0ms);
    const net::Inventory first{net::InventoryType::wtx, {payment.bytes}};
    const net::Inventory second{net::InventoryType::wtx, {transaction.wtxid().bytes}};
    EXPECT_EQ(node.take_output(), one_inv(first, second));
}

TEST_F(RegtestRelay, KeepsNoRelayStateForAPeerThatCannotEnableRelay) {
    NodeBehaviour behaviour;
    behaviour.services = net::kNodeNetwork;
    RegtestPeer peer(chain, behaviour);
    const auto txid = chain.pay(script(1), 1'000);
    peer.request(net::InventoryType::tx, txid);
    EXPECT_TRUE(peer.received().empty()) << "not even a notfound";
}

TEST_F(RegtestRelay, HeedsTheFeeFilter) {
    RegtestPeer peer(chain);
    peer.load(filter_of({Bytes(20, 1), Bytes(20, 5)}));
    peer.send(net::FeeFilter{40'000});
    const auto payment = chain.pay(script(1), 10'000);  // some 30 sat/vB
    EXPECT_TRUE(peer.received().empty());
    const auto child = chain.submit(spend({payment, 0}, 1'000));  // some 80 sat/vB
    EXPECT_EQ(peer.received(), one_inv(tx_entry(child)));
    peer.send(net::Mempool{});
    EXPECT_EQ(peer.received(), one_inv(tx_entry(child)));

    peer.send(net::FeeFilter{-1});
    peer.send(net::FeeFilter{std::numeric_limits<std::int64_t>::max()});
    peer.send(net::Mempool{});
    EXPECT_EQ(peer.received(), one_inv(tx_entry(child))) << "an invalid fee rate changes nothing";
    peer.send(net::FeeFilter{0});
    peer.send(net::Mempool{});
    EXPECT_EQ(peer.received(), one_inv(tx_entry(payment), tx_entry(child)));
}

}  // namespace
}  // namespace petal::regtest
