// Blocks that leave the chain leave nothing behind in a wallet and its file.
#include <gtest/gtest.h>

#include "tests/wallet/ledger/print_records.h"
#include "tests/wallet/ledger/unconfirmed_scene.h"
#include "wallet/fee_bumper.h"

namespace petal::wallet {
namespace {

using test::foreign_coin;
using test::foreign_script;
using test::kSeenTime;
using test::output_of;
using test::spend;

/// Two coins of 700 satoshis, in blocks 1 and 2.
class UndoneBlocks : public test::UnconfirmedScene {
protected:
    void undo_to(std::uint32_t height) { wallet->undo_to(chain.cut(height)); }
    void forget_undone() { wallet->forget_undone(wallet->sync_state()); }
    bool is_undone(const chain::Transaction& transaction) const {
        return wallet->transaction(transaction.txid()).value().undone;
    }
};

TEST_F(UndoneBlocks, UnsignedSpendTakesNoCoin) {
    mine({sweep(0)});
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
    undo_to(2);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(wallet->balance(), (Balance{1'400, 0, 0}));
        EXPECT_EQ(wallet->spendable_coins().coins.size(), 2U);
        EXPECT_TRUE(is_undone(sweep(0)));
        reopen();
    }
    mine();
    forget_undone();
    EXPECT_FALSE(knows(sweep(0)));
    EXPECT_EQ(wallet->history(0).size(), 2U);
    EXPECT_EQ(wallet->sync_state().synced, chain.tip());
    reopen();
}

TEST_F(UndoneBlocks, SpendCountsAgainOnceAPeerShowsItSigned) {
    mine({sweep(0)});
    undo_to(2);
    see(sweep(0));
    EXPECT_TRUE(is_undone(sweep(0))) << "it is not signed";
    see(sign(sweep(1)));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0, 700}));

    see(sign(sweep(0)));

    EXPECT_FALSE(is_undone(sweep(0)));
    EXPECT_EQ(wallet->balance(), (Balance{0, 0, 0, 1'400}));
    EXPECT_TRUE(wallet->known_transaction(sweep(0).txid())->transaction.has_witness());
    reopen();
    forget_undone();
    EXPECT_TRUE(knows(sweep(0)));
    mine({sweep(0)});
    undo_to(2);
    EXPECT_EQ(wallet->balance(), (Balance{0, 0, 0, 1'400})) << "it was verified before the block";
    reopen();
}

TEST_F(UndoneBlocks, RepeatedTransactionsKeepTheirPlaceAndProof) {
    const auto before = test::all_of(*wallet);
    const auto proof = wallet->known_transaction(coins[0].txid())->proof;
    const chain::ProvenBlock& block = chain.mine({coins[1], coins[0]});
    const auto result = apply(block);
    ASSERT_EQ(result.invalid_blocks.size(), 2U);
    EXPECT_EQ(result.invalid_blocks[1], (chain::InvalidBlock{block.block, coins[0].txid(),
                                                             chain.at(1).block, coins[0].txid()}));
    EXPECT_EQ(result.relevant, 2U) << "they are no false positives";
    EXPECT_EQ(wallet->known_transaction(coins[0].txid())->proof, proof);
    reopen();
    undo_to(2);
    test::expect_equal(test::all_of(*wallet), before);
    reopen();
}

TEST_F(UndoneBlocks, FirstPlaceThatIsFoundLaterHasItsProof) {
    const auto payment = pay(5, 3, 30);
    chain.mine({payment});
    const chain::ProvenBlock low = chain.at(3);
    mine();
    mine({payment});
    EXPECT_EQ(apply(low).invalid_blocks.size(), 1U);
    const auto known = wallet->known_transaction(payment.txid()).value();
    EXPECT_EQ(known.position, low.transactions[0].position);
    EXPECT_EQ(known.proof->branch, low.transactions[0].branch);
    reopen();
    undo_to(3);
    EXPECT_EQ(wallet->balance(), (Balance{1'405, 0, 0}));
    reopen();
}

TEST_F(UndoneBlocks, SpendThatComesTooLateLeavesNothing) {
    const auto first = sweep(0, 600);
    const auto second = spend({output_of(coins[0])}, {{650, script(9)}});
    chain.mine({first});
    const chain::ProvenBlock low = chain.at(3);
    mine({second});
    EXPECT_EQ(apply(low).invalid_blocks.size(), 1U);
    EXPECT_FALSE(knows(second));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
    EXPECT_EQ(ask("SELECT count(*) FROM merkle_branch"), 3);
    EXPECT_EQ(ask("SELECT count(*) FROM block"), 3);
    EXPECT_EQ(wallet->receive_address(false).path.index, 10U) << "the address was shown as paid";
    reopen();
}

// A miner spends the coin of a pending payment, and the block is undone.
TEST_F(UndoneBlocks, PendingPaymentIsAsItWas) {
    const auto payment = sign(sweep(0));
    ASSERT_TRUE(wallet->keep_own(payment, kSeenTime));
    const auto receipt = pay(9, 5, 40);
    see(receipt);
    const auto before = test::all_of(*wallet);
    mine({sweep(0, 500), spend({foreign_coin(40)}, {{1, foreign_script()}})});
    EXPECT_TRUE(wallet->own_unconfirmed().empty());

    undo_to(2);

    EXPECT_EQ(wallet->balance(), (Balance{700, 9, 0, 700}));
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_EQ(wallet->own_unconfirmed()[0].transaction, payment);
    EXPECT_TRUE(FeeBumper(*wallet).replacement_of(payment.txid()));
    reopen();
    forget_undone();
    test::expect_equal(test::all_of(*wallet), before);
    reopen();
}

// The old version of a payment is signed, so that a miner can confirm it in place of the new one.
TEST_F(UndoneBlocks, ReplacedPaymentStaysReplaced) {
    const auto old = sign(sweep(0, 600));
    const auto payment = sign(sweep(0, 550));
    ASSERT_TRUE(wallet->keep_own(old, kSeenTime));
    ASSERT_TRUE(wallet->keep_own(payment, kSeenTime + 1));
    const auto before = test::all_of(*wallet);
    mine({old});
    undo_to(2);
    test::expect_equal(test::all_of(*wallet), before);
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_EQ(wallet->own_unconfirmed()[0].transaction, payment);
    reopen();
}

// Otherwise it would be forgotten once another of its inputs turns out to be known.
TEST_F(UndoneBlocks, PaymentThatIsShownAgainHasItsWitness) {
    const auto payment = sign(sweep(0));
    see(payment);
    mine({sweep(0)});
    undo_to(2);
    EXPECT_FALSE(wallet->known_transaction(payment.txid())->transaction.has_witness());
    see(payment);
    EXPECT_EQ(wallet->known_transaction(payment.txid())->transaction, payment);
    reopen();
    see(sweep(0));
    EXPECT_EQ(wallet->known_transaction(payment.txid())->transaction, payment);
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0, 700}));
}

// While a block confirms it, an input of a transaction turns out to be the wallet's.
TEST_F(UndoneBlocks, SpendOfACoinThatIsFoundLaterIsNotVerified) {
    const auto late = pay(300, 4, 20);
    const auto early = spend({output_of(late)}, {{100, script(6)}});
    see(early);
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 100, 0}));
    chain.mine({late});
    const chain::ProvenBlock low = chain.at(3);
    mine({early});
    apply(low);
    EXPECT_EQ(wallet->balance(), (Balance{1'500, 0, 0}));

    undo_to(3);

    EXPECT_EQ(wallet->balance(), (Balance{1'700, 0, 0}));
    EXPECT_TRUE(is_undone(early));
    reopen();
}

TEST_F(UndoneBlocks, CoinbaseIsForgotten) {
    const auto reward = test::coinbase(3, {{50, script(8)}});
    mine({reward});
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 0, 50}));
    undo_to(2);
    EXPECT_FALSE(knows(reward));
    EXPECT_EQ(wallet->receive_address(false).path.index, 9U);
    reopen();
}

TEST_F(UndoneBlocks, AddressesAndLabelsStay) {
    const auto made_up = pay(1, 12, 50);
    mine({made_up});
    wallet->set_label(made_up.txid(), "gift");
    undo_to(2);
    EXPECT_EQ(wallet->receive_address(false).path.index, 13U);
    forget_undone();
    EXPECT_EQ(wallet->receive_address(false).path.index, 13U);
    reopen();
    mine({made_up});
    EXPECT_EQ(wallet->transaction(made_up.txid())->label, "gift");
}

// A merkle proof stays valid while its block is on the chain. A peer that leaves the transaction
// out during a rescan must not make the wallet forget it.
TEST_F(UndoneBlocks, RescanThatLeavesATransactionOutKeepsIt) {
    const auto spent = sweep(0);
    mine({spent});
    wallet->rescan({});
    EXPECT_EQ(wallet->balance(), (Balance{0, 700, 0}));
    reopen();
    chain::ProvenBlock empty = chain.at(3);
    empty.transactions.clear();
    apply(chain.at(1));
    apply(chain.at(2));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
    reopen();
    apply(empty);
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
    EXPECT_EQ(wallet->transaction(spent.txid())->height, 3U);
    EXPECT_TRUE(wallet->known_transaction(spent.txid())->proof);
    reopen();
}

TEST_F(UndoneBlocks, RescanAboveABlockKeepsTransactions) {
    const auto spent = sweep(0);
    mine({spent});
    wallet->rescan_above(chain.at(2).block);
    EXPECT_EQ(wallet->sync_state().synced, chain.at(2).block);
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
    reopen();
    chain::ProvenBlock empty = chain.at(3);
    empty.transactions.clear();
    apply(empty);
    EXPECT_EQ(wallet->transaction(spent.txid())->height, 3U);
    EXPECT_TRUE(wallet->known_transaction(spent.txid())->proof);
    reopen();
}

TEST_F(UndoneBlocks, ReorganisationDuringARescanUndoes) {
    const auto spent = sweep(0);
    mine({spent});
    wallet->rescan({});
    apply(chain.at(1));
    apply(chain.at(2));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
    undo_to(2);
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 0, 0}));
    EXPECT_TRUE(is_undone(spent));
    reopen();
}

// Whether a transaction of a file of an earlier version was shown can only be concluded.
TEST_F(UndoneBlocks, FileOfTheEighthVersionIsUpgraded) {
    const auto own = sign(spend({output_of(coins[0])}, {{600, script(9)}}));
    const auto receipt = pay(7, 4, 30);
    ASSERT_TRUE(wallet->keep_own(own, kSeenTime));
    see(receipt);
    see(sign(sweep(1)));
    mine({pay(9, 5, 31)});
    wallet.reset();
    execute(test::kToEighthVersion);
    const Balance before = Wallet::open(file, test::regtest_params(), Access::read).balance();
    EXPECT_EQ(before, (Balance{9, 607, 0, 1'400}));
    wallet.emplace(Wallet::open(file, test::regtest_params(), Access::sync));
    EXPECT_EQ(wallet->balance(), before);
    EXPECT_EQ(ask("SELECT count(*) FROM shown"), 3);

    // As if a reorganisation had made a spend unconfirmed.
    wallet.reset();
    execute(test::kToEighthVersion);
    const auto bare = sign(sweep(1)).serialize_without_witness();
    execute("UPDATE tx SET raw = x'" + chain::to_hex(bare) +
            "' WHERE length(raw) = " + std::to_string(sign(sweep(1)).serialize().size()));
    wallet.emplace(Wallet::open(file, test::regtest_params(), Access::sync));
    EXPECT_TRUE(is_undone(sweep(1)));
    EXPECT_EQ(wallet->balance(), (Balance{709, 607, 0, 700}));
    reopen();
}

}  // namespace
}  // namespace petal::wallet
