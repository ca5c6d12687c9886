// Payments from a wallet's coins: which coins it offers, and which payments it signs and keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "chain/script/input_verification.h"
#include "tests/support/type_name.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/label_exchange.h"
#include "wallet/spending/payment.h"

namespace petal::wallet {
namespace {

using test::foreign_coin;
using test::foreign_script;
using test::output_of;
using test::spend;

RandomBits fixed_bits() {
    return [number = std::uint64_t{0}]() mutable { return number += 0x9e37'79b9'7f4a'7c15; };
}

class WalletSpending : public test::WalletFixture {
protected:
    explicit WalletSpending(const NewWallet& made = test::new_wallet())
        : test::WalletFixture(made) {}

    Payment build(chain::Satoshis amount) const {
        PaymentRequest request;
        request.recipients = {{foreign_script(), amount}};
        request.change = wallet->change_for({});
        return build_payment(request, wallet->spendable_coins().coins, fixed_bits()).value();
    }

    Payment build_signed(chain::Satoshis amount) const {
        Payment payment = build(amount);
        wallet->sign(payment.transaction, payment.coins, wallet->secret(""), {});
        return payment;
    }

    /// Keeps a payment that a node has taken.
    Payment send(chain::Satoshis amount) {
        const Payment payment = build_signed(amount);
        EXPECT_TRUE(wallet->keep_payment(payment, 1));
        wallet->mark_shown(payment.transaction.txid());
        return payment;
    }

    std::vector<chain::Outpoint> spendable() const {
        std::vector<chain::Outpoint> result;
        for (const InputCoin& coin : wallet->spendable_coins().coins) {
            result.push_back(coin.outpoint);
        }
        return result;
    }
};

class WalletSpendingOfType : public WalletSpending, public testing::WithParamInterface<ScriptKind> {
protected:
    WalletSpendingOfType() : WalletSpending(test::new_wallet(50, 20, {GetParam(), 0})) {}
};

INSTANTIATE_TEST_SUITE_P(Types, WalletSpendingOfType, testing::ValuesIn(kScriptKinds),
                         test::TypeName());

TEST_P(WalletSpendingOfType, PaysAndKnowsItAfterReopening) {
    mine({pay(100'000)});
    const Payment payment = build_signed(30'000);
    ASSERT_TRUE(payment.change_index);
    const chain::Bytes change = wallet->change_for({}).script_pubkey;
    ASSERT_TRUE(wallet->keep_payment(payment, 1));
    reopen();
    EXPECT_EQ(wallet->balance().total(), 70'000 - payment.fee);
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_EQ(wallet->own_unconfirmed().front().transaction, payment.transaction);
    EXPECT_EQ(wallet->own_unconfirmed().front().fee, payment.fee);
    EXPECT_NE(wallet->change_for({}).script_pubkey, change)
        << "each payment has its own change address";
    mine({payment.transaction});
    EXPECT_EQ(wallet->balance().confirmed, 70'000 - payment.fee);
}

// The first payment waits for its password while the second one is made.
TEST_F(WalletSpending, TwoPaymentsReserveTwoChangeAddresses) {
    mine({pay(100'000), pay(100'000, 1, 1)});
    auto other = Wallet::open(file, test::regtest_params(), Access::change);
    const chain::Bytes shown = wallet->change_for({}).script_pubkey;
    ASSERT_EQ(other.change_for({}).script_pubkey, shown);
    EXPECT_EQ(other.reserve_change(shown), shown);
    EXPECT_EQ(wallet->reserve_change(shown), script(1, KeyChain::change));
    EXPECT_EQ(other.reserve_change(shown), script(2, KeyChain::change));
    EXPECT_EQ(wallet->reserve_change(foreign_script()), foreign_script());
    reopen();
    EXPECT_EQ(wallet->change_for({}).script_pubkey, script(3, KeyChain::change));
}

TEST_F(WalletSpending, OffersOwnUnconfirmedChange) {
    mine({pay(100'000)});
    const Payment payment = send(30'000);
    const SpendableCoins coins = wallet->spendable_coins();
    ASSERT_EQ(coins.coins.size(), 1U);
    EXPECT_FALSE(coins.coins.front().confirmed);
    EXPECT_EQ(coins.coins.front().path, (KeyPath{KeyChain::change, 0}));
    EXPECT_EQ(coins.unconfirmed, 0);
    ASSERT_EQ(coins.relatives.size(), 1U);
    EXPECT_EQ(coins.relatives[0].txid, payment.transaction.txid());
    EXPECT_EQ(coins.relatives[0].fee, payment.fee);
    EXPECT_EQ(coins.relatives[0].virtual_size, payment.transaction.virtual_size());
    send(20'000);
    EXPECT_EQ(spendable().size(), 1U) << "a chain of two unconfirmed payments is allowed as well";
}

TEST_F(WalletSpending, PaysChangeToNoAddressThatHasALabel) {
    wallet->set_label(script(0, KeyChain::change), "Rent");
    wallet->set_label(script(1, KeyChain::change), "Rent");
    wallet->set_label(script(1, KeyChain::change), "");
    EXPECT_EQ(wallet->change_for({}).script_pubkey, script(2, KeyChain::change));
}

// Otherwise `send` would only say that funds are missing.
TEST_F(WalletSpending, NamesThePaymentsThatHoldCoinsForAnUndoneReceipt) {
    const auto own = pay(100'000);
    mine({own});
    const auto fork = chain.tip();
    const auto undone = pay(1'000, 1, 1);
    mine({undone});
    const std::vector both{own, undone};
    const auto payment = test::sign(
        spend({output_of(own), output_of(undone)}, {{60'000, test::foreign_script()}}), both);
    ASSERT_TRUE(wallet->keep_own(payment, 1));
    EXPECT_TRUE(wallet->spendable_coins().undone_payments.empty());

    wallet->undo_to(chain.cut(fork.height));

    EXPECT_TRUE(spendable().empty());
    EXPECT_EQ(wallet->spendable_coins().undone_payments, std::vector{payment.txid()});
    EXPECT_EQ(wallet->spendable_coins().held_by_undone, 100'000);
    ASSERT_TRUE(wallet->abandon(payment.txid()));
    EXPECT_EQ(spendable(), std::vector{output_of(own)});
}

// Nodes may never take a payment, as a replacement that pays less than what it would evict.
TEST_F(WalletSpending, OffersChangeOnceANodeHasShownThePayment) {
    mine({pay(100'000)});
    const Payment payment = build_signed(30'000);
    const chain::Txid txid = payment.transaction.txid();
    ASSERT_TRUE(wallet->keep_payment(payment, 1));
    for (const bool is_reopened : {false, true}) {
        if (is_reopened) reopen();
        EXPECT_TRUE(spendable().empty());
        EXPECT_EQ(wallet->spendable_coins().unshown, 70'000 - payment.fee);
        EXPECT_EQ(wallet->spendable_coins().unshown_payments, std::vector{txid});
        EXPECT_EQ(wallet->spendable_coins().unconfirmed, 0);
    }
    const chain::PresentSources none{txid, {}};
    wallet->apply_unconfirmed({}, {&none, 1}, wallet->sync_state());
    EXPECT_TRUE(spendable().empty());
    const chain::PresentSources peer{txid, {{1, 1}}};
    wallet->apply_unconfirmed({}, {&peer, 1}, wallet->sync_state());
    for (const bool is_reopened : {false, true}) {
        if (is_reopened) reopen();
        EXPECT_EQ(spendable().size(), 1U);
        EXPECT_EQ(wallet->spendable_coins().unshown, 0);
        EXPECT_TRUE(wallet->spendable_coins().unshown_payments.empty());
    }
}

TEST_F(WalletSpending, NodeThatHasAPaymentHasThoseThatItSpendsFrom) {
    mine({pay(100'000)});
    std::vector<chain::Transaction> payments;
    std::vector<chain::Txid> txids;
    for (const chain::Satoshis value : {90'000, 80'000}) {
        const auto funding = payments.empty() ? pay(100'000) : payments.back();
        payments.push_back(
            test::sign(spend({output_of(funding)}, {{value, script(0)}}), std::vector{funding}));
        txids.push_back(payments.back().txid());
        ASSERT_TRUE(wallet->keep_own(payments.back(), 1));
    }
    std::ranges::sort(txids);
    EXPECT_TRUE(spendable().empty());
    EXPECT_EQ(wallet->spendable_coins().unshown_payments, txids);
    wallet->mark_shown(payments[0].txid());
    EXPECT_TRUE(spendable().empty());
    EXPECT_EQ(wallet->spendable_coins().unshown_payments, std::vector{payments[1].txid()});
    ASSERT_TRUE(wallet->abandon(payments[0].txid()));
    for (const auto& payment : payments) ASSERT_TRUE(wallet->keep_own(payment, 1));
    EXPECT_TRUE(spendable().empty()) << "abandoned payments are forgotten";
    wallet->mark_shown(payments[1].txid());
    EXPECT_EQ(spendable(), std::vector{output_of(payments[1])});
}

// Anyone with the work can make up a block.
TEST_F(WalletSpending, BlockThatIsUndoneShowsNoPayment) {
    mine({pay(100'000)});
    const Payment payment = build_signed(30'000);
    ASSERT_TRUE(wallet->keep_payment(payment, 1));
    mine({payment.transaction});
    EXPECT_EQ(spendable().size(), 1U);
    wallet->undo_to(chain.cut(chain.tip().height - 1));
    EXPECT_TRUE(spendable().empty());
    wallet->mark_shown(payment.transaction.txid());
    mine({payment.transaction});
    reopen();
    wallet->undo_to(chain.cut(chain.tip().height - 1));
    EXPECT_EQ(spendable().size(), 1U) << "it was shown before the block";
    reopen();
    EXPECT_EQ(spendable().size(), 1U);
}

TEST_F(WalletSpending, OffersNothingThatOthersMayReplace) {
    const auto foreign = pay(40'000);
    test::see(*wallet, foreign, 1);
    EXPECT_TRUE(spendable().empty());
    EXPECT_EQ(wallet->spendable_coins().unconfirmed, 40'000);
    // Change of a payment that spends such a coin is not offered either, although the user
    // announced that payment.
    const auto sent = test::sign(
        spend({output_of(foreign)}, {{30'000, script(0, KeyChain::change)}}), std::vector{foreign});
    ASSERT_TRUE(wallet->keep_own(sent, 2));
    EXPECT_TRUE(spendable().empty());
    EXPECT_EQ(wallet->spendable_coins().unconfirmed, 30'000);
}

TEST_F(WalletSpending, OffersNoChangeOfCoinsThatItOnlyWatches) {
    const auto other = Wallet::create(folder.path() / "other", test::regtest_params(),
                                      test::new_wallet(50, 20, {ScriptKind::wpkh, 1}));
    const auto texts = other.info().descriptors;
    const auto watched = parse_new_descriptors(texts, test::regtest_params()).value().descriptors;
    ASSERT_TRUE(wallet->import(watched, {{}, {}, wallet->sync_state().synced}));
    const auto funding =
        spend({foreign_coin(1)}, {{40'000, other.script_at({KeyChain::receive, 0})}});
    mine({funding});

    auto sent = spend({output_of(funding)}, {{30'000, script(0)}});
    const InputCoin coin{output_of(funding), funding.outputs[0], ScriptKind::wpkh,
                         KeyPath{KeyChain::receive, 0}};
    other.sign(sent, {&coin, 1}, other.secret(""), {});
    ASSERT_TRUE(wallet->keep_own(sent, 2)) << "the user sends it for the other wallet";
    EXPECT_TRUE(spendable().empty()) << "the other wallet can replace it";
    EXPECT_EQ(wallet->spendable_coins().unconfirmed, 30'000);
}

TEST_F(WalletSpending, OffersNoChangeWithTooManyAncestors) {
    mine({pay(1'000'000)});
    for (int i = 0; i < 25; ++i) {
        ASSERT_EQ(spendable().size(), 1U) << i;
        send(1'000);
    }
    EXPECT_TRUE(spendable().empty()) << "the next payment would have 25 unconfirmed ancestors";
}

// A payment may spend coins of several chains.
TEST_F(WalletSpending, OffersChangeWithTooManyAncestorsTogetherOfOneChainOnly) {
    const auto chain_from = [&](const chain::Transaction& funding, std::uint32_t index) {
        std::vector<chain::Transaction> payments{funding};
        const chain::Satoshis start = funding.outputs[0].value - 10'000;
        for (chain::Satoshis value = start; value > start - 13'000; value -= 1'000) {
            payments.push_back(
                test::sign(spend({output_of(payments.back())}, {{value, script(index)}}),
                           {&payments.back(), 1}));
            EXPECT_TRUE(wallet->keep_own(payments.back(), 1));
        }
        wallet->mark_shown(payments.back().txid());
        return output_of(payments.back());
    };
    const auto first = pay(100'000, 0, 1);
    const auto second = pay(200'000, 1, 2);
    mine({first, second});
    const chain::Outpoint small = chain_from(first, 0);
    EXPECT_EQ(spendable().size(), 2U) << "13 ancestors, and a confirmed coin";
    const chain::Outpoint large = chain_from(second, 1);
    EXPECT_EQ(spendable(), std::vector{large});
    EXPECT_EQ(wallet->spendable_coins().unconfirmed, 78'000);
    ASSERT_EQ(wallet->spendable_coins(small).coins.size(), 1U);
    EXPECT_EQ(wallet->spendable_coins(small).coins[0].outpoint, small);
}

TEST_F(WalletSpending, TellsHowMuchIsFrozen) {
    const auto first = pay(40'000);
    mine({first, pay(2'000, 1, 1)});
    LabelExchange(*wallet).import(
        std::vector<LabelRecord>{{"output", first.txid().to_hex() + ":0", {}, {}, false, {}}});
    EXPECT_EQ(spendable().size(), 1U);
    EXPECT_EQ(wallet->spendable_coins().frozen, 40'000);
}

TEST_F(WalletSpending, OffersNoChangeOfAPaymentThatOnlyPeersShowed) {
    const auto funding = pay(100'000);
    mine({funding});
    const auto sent = test::sign(
        spend({output_of(funding)}, {{90'000, script(0, KeyChain::change)}}), std::vector{funding});
    test::see(*wallet, sent, 1);
    EXPECT_TRUE(spendable().empty());
}

TEST_F(WalletSpending, OffersNoImmatureCoinbase) {
    mine({test::coinbase(1, {{50'000, script(0)}})});
    EXPECT_TRUE(spendable().empty());
    EXPECT_EQ(wallet->spendable_coins().immature, 50'000);
    EXPECT_EQ(wallet->spendable_coins().unconfirmed, 0);
    for (int i = 0; i < 99; ++i) mine();
    EXPECT_EQ(spendable().size(), 1U);
}

TEST_F(WalletSpending, KeepsNoPaymentOfSpentCoins) {
    mine({pay(100'000)});
    const Payment first = build_signed(30'000);
    const Payment second = build_signed(20'000);
    ASSERT_TRUE(wallet->keep_payment(first, 1));
    const auto before = test::all_of(*wallet);
    EXPECT_FALSE(wallet->keep_payment(second, 2));
    test::expect_equal(test::all_of(*wallet), before);
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
}

TEST_F(WalletSpending, NoticesThatAnotherProcessHasSpentTheCoins) {
    mine({pay(100'000)});
    const Payment here = build_signed(30'000);
    const Payment there = build_signed(20'000);
    auto other = Wallet::open(file, test::regtest_params(), Access::change);
    ASSERT_TRUE(other.keep_payment(there, 1));
    EXPECT_FALSE(wallet->keep_payment(here, 2));
}

}  // namespace
}  // namespace petal::wallet
