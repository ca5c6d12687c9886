// Which transactions a wallet wants rebroadcast.
#include <gtest/gtest.h>

#include "tests/wallet/wallet_fixture.h"

namespace petal::wallet {
namespace {

using test::foreign_coin;
using test::foreign_script;
using test::output_of;
using test::spend;

/// A wallet with a coin of 100 satoshis.
class OwnUnconfirmed : public test::WalletFixture {
protected:
    OwnUnconfirmed() : coin(output_of(payment())) { mine({payment()}); }

    chain::Transaction payment() const { return pay(100); }
    chain::Transaction signed_like(const chain::Transaction& transaction) const {
        return test::sign(transaction, std::vector{payment()});
    }
    void keep(const chain::Transaction& transaction, std::int64_t time) {
        wallet->keep_own(transaction, time);
    }
    std::vector<chain::Txid> txids() const {
        std::vector<chain::Txid> result;
        for (const auto& own : wallet->own_unconfirmed()) result.push_back(own.transaction.txid());
        return result;
    }

    chain::Outpoint coin;
};

TEST_F(OwnUnconfirmed, AreWholeAndKnowTheirFee) {
    EXPECT_TRUE(wallet->own_unconfirmed().empty())
        << "a payment to the wallet is for its sender to announce";
    const auto sent = signed_like(spend({coin}, {{60, foreign_script()}, {30, script(0)}}));
    keep(sent, 1);
    reopen();
    const auto own = wallet->own_unconfirmed();
    ASSERT_EQ(own.size(), 1U);
    EXPECT_EQ(own[0].transaction, sent) << "with its witness";
    EXPECT_EQ(own[0].fee, 10);
}

TEST_F(OwnUnconfirmed, HaveNoKnownFeeIfOthersPayToo) {
    keep(signed_like(spend({coin, foreign_coin(7)}, {{60, foreign_script()}})), 1);
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_EQ(wallet->own_unconfirmed()[0].fee, std::nullopt);
}

TEST_F(OwnUnconfirmed, ExcludeTransactionsThatOnlyPeersHaveShown) {
    test::see(*wallet, signed_like(spend({coin}, {{60, foreign_script()}})), 1);
    EXPECT_TRUE(txids().empty()) << "announcing a forged spend would reveal the coin's owner";
}

TEST_F(OwnUnconfirmed, KeepTheBytesThatTheUserAnnounced) {
    const auto sent = signed_like(spend({coin}, {{60, foreign_script()}}));
    auto garbage = sent;
    garbage.inputs[0].witness = {chain::Bytes(3, 9)};
    test::see(*wallet, garbage, 1);
    EXPECT_TRUE(wallet->keep_own(sent, 2));
    test::see(*wallet, garbage, 3);
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_EQ(wallet->own_unconfirmed()[0].transaction, sent);
}

TEST_F(OwnUnconfirmed, AreNotEndedByWhatPeersShow) {
    const auto sent = signed_like(spend({coin}, {{60, foreign_script()}}));
    const auto forged = signed_like(spend({coin}, {{50, foreign_script()}}));
    keep(sent, 1);
    test::see(*wallet, forged, 2);
    EXPECT_EQ(txids(), std::vector{sent.txid()});
    mine({forged});
    EXPECT_TRUE(txids().empty()) << "a block has decided";
}

TEST_F(OwnUnconfirmed, AreNotPaymentsByOthers) {
    keep(signed_like(pay(50, 1, 3)), 1);
    EXPECT_TRUE(txids().empty());
}

TEST_F(OwnUnconfirmed, MustSpendFromTheWalletIfNoPeerAcceptedThem) {
    const auto made_up = signed_like(spend({foreign_coin(7)}, {{60, script(0)}}));
    EXPECT_FALSE(wallet->keep_own_spend(made_up, 1));
    EXPECT_EQ(wallet->transaction(made_up.txid()), std::nullopt);
    EXPECT_EQ(wallet->balance().pending, 0);
    const auto sent = signed_like(spend({coin}, {{60, foreign_script()}}));
    EXPECT_TRUE(wallet->keep_own_spend(sent, 2));
    const auto replacement = signed_like(spend({coin, foreign_coin(7)}, {{50, script(0)}}));
    EXPECT_TRUE(wallet->keep_own_spend(replacement, 3))
        << "the coin is spent, but only by an unconfirmed transaction";
    EXPECT_EQ(txids(), std::vector{replacement.txid()});
}

TEST_F(OwnUnconfirmed, EndWhenConfirmedAndReturnWhenReorganised) {
    const auto sent = signed_like(spend({coin}, {{60, foreign_script()}}));
    keep(sent, 1);
    mine({sent});
    EXPECT_TRUE(txids().empty());
    wallet->undo_to(chain.at(1).block);
    EXPECT_EQ(txids(), std::vector{sent.txid()});
}

TEST_F(OwnUnconfirmed, EndWithAReplacement) {
    const auto first = signed_like(spend({coin}, {{60, foreign_script()}}));
    const auto second = signed_like(spend({coin}, {{50, foreign_script()}}));
    keep(first, 1);
    keep(second, 2);
    EXPECT_EQ(txids(), std::vector{second.txid()});
}

TEST_F(OwnUnconfirmed, PayTheRestOfTheirInputsAsFee) {
    const auto fee_of = [&](chain::Satoshis sent, const std::vector<chain::Outpoint>& coins) {
        return wallet->fee_of(spend(coins, {{sent, foreign_script()}}));
    };
    EXPECT_EQ(fee_of(90, {coin}), 10) << "although no peer has shown the transaction yet";
    EXPECT_EQ(fee_of(100, {coin}), 0);
    EXPECT_EQ(fee_of(101, {coin}), -1);
    EXPECT_EQ(fee_of(90, {coin, foreign_coin(7)}), std::nullopt);
    EXPECT_EQ(fee_of(90, {{coin.txid, coin.index + 1}}), std::nullopt)
        << "the output is not the wallet's";
}

TEST_F(OwnUnconfirmed, StayInTheOrderOfArrival) {
    const auto parent = signed_like(spend({coin}, {{60, script(0, KeyChain::change)}}));
    const auto child =
        test::sign(spend({output_of(parent)}, {{50, foreign_script()}}), std::vector{parent});
    test::see(*wallet, child, 1);  // the spent transaction is unknown, so this is an orphan
    keep(parent, 2);
    keep(child, 3);
    EXPECT_EQ(txids(), (std::vector{parent.txid(), child.txid()}));
}

TEST_F(OwnUnconfirmed, StandAfterTheirParents) {
    const auto parent = signed_like(spend({coin}, {{60, script(0, KeyChain::change)}}));
    const auto child =
        test::sign(spend({output_of(parent)}, {{50, foreign_script()}}), std::vector{parent});
    keep(parent, 1);
    keep(child, 2);
    mine({parent});
    wallet->undo_to(chain.at(1).block);
    EXPECT_EQ(txids(), (std::vector{parent.txid(), child.txid()}))
        << "although the parent was seen last";
}

}  // namespace
}  // namespace petal::wallet
