// Which transactions can be replaced or paid for by a child, and what the wallet keeps of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/support/signing.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/fee_bumper.h"
#include "wallet/label_exchange.h"

namespace petal::wallet {
namespace {

using test::foreign_coin;
using test::foreign_script;
using test::output_of;
using test::spend;

class FeeBumping : public test::WalletFixture {
protected:
    /// Pays 30,000 sat from a coin of 100,000 sat, and keeps the payment.
    Payment send(std::uint32_t number = 0) {
        mine({pay(100'000, number, number)});
        PaymentRequest request;
        request.recipients = {{foreign_script(), 30'000}};
        request.change = wallet->change_for({});
        Payment payment = build(request, wallet->spendable_coins().coins);
        EXPECT_TRUE(wallet->keep_payment(payment, 1));
        wallet->mark_shown(payment.transaction.txid());
        return payment;
    }
    /// Another wallet, whose addresses this one watches without their keys.
    Wallet watched_wallet() {
        Wallet other = Wallet::create(folder.path() / "other", test::regtest_params(),
                                      test::new_wallet(50, 20, {ScriptKind::wpkh, 1}));
        const auto texts = other.info().descriptors;
        const auto watched =
            parse_new_descriptors(texts, test::regtest_params()).value().descriptors;
        EXPECT_TRUE(wallet->import(watched, {{}, {}, wallet->sync_state().synced}));
        return other;
    }
    Payment build(const PaymentRequest& request, const std::vector<InputCoin>& coins) const {
        const RandomBits bits = [number = std::uint64_t{0}]() mutable {
            return number += 0x9e37'79b9'7f4a'7c15;
        };
        Payment payment = build_payment(request, coins, bits).value();
        wallet->sign(payment.transaction, payment.coins, wallet->secret(""), {});
        return payment;
    }
    Payment replace(const chain::Txid& txid, std::int64_t rate = 5'000) {
        PaymentRequest request = FeeBumper(*wallet).replacement_of(txid).value();
        request.fee_rate = FeeRate{rate};
        return build(request, wallet->spendable_coins().coins);
    }
    BumpFailure fault_of(const chain::Txid& txid) {
        const auto request = FeeBumper(*wallet).replacement_of(txid);
        EXPECT_FALSE(request);
        return request ? BumpFailure{} : request.error();
    }
};

TEST_F(FeeBumping, ReplacesAPaymentAndKnowsItAfterReopening) {
    const Payment old = send();
    const chain::Txid old_txid = old.transaction.txid();
    wallet->set_label(old_txid, "rent");
    const Payment payment = replace(old_txid);
    const chain::Txid txid = payment.transaction.txid();
    EXPECT_EQ(payment.coins, old.coins);
    const auto& old_change = old.transaction.outputs.at(old.change_index.value());
    const auto& change = payment.transaction.outputs.at(payment.change_index.value());
    EXPECT_EQ(change.script_pubkey, old_change.script_pubkey);
    EXPECT_EQ(change.value, old_change.value - (payment.fee - old.fee));
    EXPECT_FALSE(wallet->keep_payment(payment, 2)) << "its coins are spent";
    ASSERT_TRUE(FeeBumper(*wallet).keep_replacement(payment, old_txid, 2));
    reopen();
    EXPECT_EQ(wallet->balance().total(), 70'000 - payment.fee);
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U)
        << "the replaced payment is no longer rebroadcast";
    EXPECT_EQ(wallet->own_unconfirmed().front().transaction, payment.transaction);
    EXPECT_EQ(wallet->transaction(old_txid)->replaced_by, txid);
    EXPECT_EQ(wallet->transaction(txid)->label, "rent");

    const BumpFailure fault = fault_of(old_txid);
    EXPECT_EQ(fault.error, BumpError::conflicted);
    EXPECT_EQ(fault.other, txid);
    test::see(*wallet, old.transaction, 2);
    EXPECT_EQ(wallet->transaction(old_txid)->replaced_by, txid)
        << "a peer may show the old payment again";
    EXPECT_TRUE(wallet->keep_own(old.transaction, 2));
    EXPECT_EQ(wallet->transaction(txid)->replaced_by, old_txid)
        << "the user may submit the old payment again";
    EXPECT_TRUE(wallet->keep_own(payment.transaction, 2));
    const Payment third = replace(txid, 9'000);
    ASSERT_TRUE(FeeBumper(*wallet).keep_replacement(third, txid, 3));
    mine({third.transaction});
    EXPECT_EQ(wallet->balance().confirmed, 70'000 - third.fee);
    EXPECT_EQ(fault_of(third.transaction.txid()).error, BumpError::confirmed);
}

// Servers send the transactions of filtered blocks without their witnesses.
TEST_F(FeeBumping, KnowsTheSizeOfAPaymentThatAReorganisationMadeUnconfirmed) {
    const Payment old = send();
    const chain::Txid txid = old.transaction.txid();
    mine({old.transaction});
    wallet->undo_to(chain.cut(chain.tip().height - 1));
    EXPECT_EQ(FeeBumper(*wallet).replacement_of(txid)->replaced->virtual_size, old.virtual_size);
    EXPECT_EQ(FeeBumper(*wallet).child_of(txid)->request.relatives.at(0).virtual_size,
              old.virtual_size);
}

TEST_F(FeeBumping, RefusesAReplacementIfAnotherCameFirst) {
    const Payment old = send();
    const chain::Txid txid = old.transaction.txid();
    const Payment here = replace(txid, 5'000);
    const Payment there = replace(txid, 6'000);
    auto other = Wallet::open(file, test::regtest_params(), Access::change);
    ASSERT_TRUE(FeeBumper(other).keep_replacement(there, txid, 2));
    EXPECT_FALSE(FeeBumper(*wallet).keep_replacement(here, txid, 3));
    EXPECT_FALSE(wallet->transaction(here.transaction.txid()));
}

TEST_F(FeeBumping, KeepsNoReplacementWithCoinsThatAreSpent) {
    const Payment first = send();
    const Payment second = send(1);
    // The replacement also spends the coins of the second payment.
    PaymentRequest request = FeeBumper(*wallet).replacement_of(first.transaction.txid()).value();
    request.fee_rate = FeeRate{5'000};
    request.replaced->coins.push_back(second.coins.front());
    const Payment payment = build(request, {});
    EXPECT_FALSE(FeeBumper(*wallet).keep_replacement(payment, first.transaction.txid(), 2));
}

TEST_F(FeeBumping, AddsChangeToAChangelessPayment) {
    mine({pay(100'000), pay(200'000, 1, 1)});
    PaymentRequest request;
    request.recipients = {{foreign_script(), 0, true}};
    request.spends_all_given = true;
    const Payment old = build(request, {wallet->spendable_coins().coins.front()});
    ASSERT_TRUE(wallet->keep_payment(old, 1));
    const Payment payment = replace(old.transaction.txid());
    EXPECT_EQ(payment.coins.size(), 2U);
    EXPECT_EQ(payment.transaction.outputs.at(payment.change_index.value()).script_pubkey,
              wallet->change_for({}).script_pubkey);
    EXPECT_EQ(payment.paid(), old.paid());
    ASSERT_TRUE(FeeBumper(*wallet).keep_replacement(payment, old.transaction.txid(), 2));
}

TEST_F(FeeBumping, RefusesWhatIsNotAnOwnPayment) {
    EXPECT_EQ(fault_of(chain::Txid{}).error, BumpError::unknown);
    const auto receipt = pay(40'000);
    test::see(*wallet, receipt, 1);
    EXPECT_EQ(fault_of(receipt.txid()).error, BumpError::foreign_inputs);

    const auto funding = pay(100'000, 1, 1);
    const auto coins = pay(50'000, 2, 2);
    mine({funding, coins});
    const auto shown =
        test::sign(spend({output_of(funding)}, {{90'000, foreign_script()}}), std::vector{funding});
    test::see(*wallet, shown, 2);
    EXPECT_EQ(fault_of(shown.txid()).error, BumpError::not_announced);

    const auto shared =
        test::sign(spend({output_of(coins), foreign_coin(9)}, {{40'000, foreign_script()}}),
                   std::vector{coins});
    ASSERT_TRUE(wallet->keep_own(shared, 3));
    EXPECT_EQ(fault_of(shared.txid()).error, BumpError::foreign_inputs);
}

TEST_F(FeeBumping, SpendsNothingThatTheWalletOnlyWatches) {
    const Wallet other = watched_wallet();
    const auto funding =
        spend({foreign_coin(5)}, {{100'000, other.script_at({KeyChain::receive, 0})}});
    mine({funding});
    auto payment = spend({output_of(funding)}, {{90'000, other.script_at({KeyChain::receive, 1})}});
    const InputCoin coin{
        output_of(funding), funding.outputs[0], ScriptKind::wpkh, {KeyChain::receive, 0}};
    other.sign(payment, std::vector{coin}, other.secret(""), {});
    ASSERT_TRUE(wallet->keep_own(payment, 1));
    EXPECT_EQ(fault_of(payment.txid()).error, BumpError::foreign_inputs);
    EXPECT_EQ(FeeBumper(*wallet).child_of(payment.txid()).error().error, BumpError::no_own_output);
}

TEST_F(FeeBumping, DoesNotTreatAReceiveAddressAsChange) {
    mine({pay(100'000)});
    PaymentRequest request;
    request.recipients = {{script(7), 10'000}, {script(8), 20'000}, {script(9), 30'000}};
    request.change = wallet->change_for({});
    const Payment old = build(request, wallet->spendable_coins().coins);
    ASSERT_NE(old.change_index, 0U) << "the first output is a recipient's";
    ASSERT_TRUE(wallet->keep_payment(old, 1));
    const Payment payment = replace(old.transaction.txid());
    EXPECT_EQ(payment.paid(), 60'000);
    for (const Recipient& recipient : request.recipients) {
        const chain::TxOutput paid{recipient.amount, recipient.script_pubkey};
        EXPECT_EQ(std::ranges::count(payment.transaction.outputs, paid), 1);
    }
}

TEST_F(FeeBumping, DoesNotTreatAWatchedChangeAddressAsChange) {
    const Wallet other = watched_wallet();
    mine({pay(100'000), pay(200'000, 1, 1)});
    PaymentRequest request;
    request.recipients = {{other.script_at({KeyChain::change, 0}), 0, true}};
    request.spends_all_given = true;
    const Payment old = build(request, {wallet->spendable_coins().coins.front()});
    ASSERT_TRUE(wallet->keep_payment(old, 1));
    EXPECT_EQ(replace(old.transaction.txid()).paid(), old.paid());
}

TEST_F(FeeBumping, KeepsASecondOutputToAChangeAddress) {
    mine({pay(100'000)});
    PaymentRequest request;
    request.recipients = {{wallet->script_at({KeyChain::change, 1}), 30'000}};
    request.change = wallet->change_for({});
    const Payment old = build(request, wallet->spendable_coins().coins);
    ASSERT_TRUE(old.change_index && wallet->keep_payment(old, 1));
    const Payment payment = replace(old.transaction.txid());
    ASSERT_EQ(payment.transaction.outputs.size(), 2U);
    std::set<chain::Bytes> scripts;
    for (const auto& output : payment.transaction.outputs) scripts.insert(output.script_pubkey);
    EXPECT_EQ(scripts.size(), 2U);
}

TEST_F(FeeBumping, LowersNoPaymentToTheWalletItself) {
    mine({pay(100'000), pay(200'000, 1, 1)});
    PaymentRequest request;
    request.recipients = {{script(7), 0, true}};
    request.spends_all_given = true;
    const Payment old = build(request, {wallet->spendable_coins().coins.front()});
    ASSERT_TRUE(wallet->keep_payment(old, 1));
    const Payment payment = replace(old.transaction.txid());
    EXPECT_EQ(payment.coins.size(), 2U) << "another coin pays the fee";
    EXPECT_EQ(payment.paid(), old.paid());
}

TEST_F(FeeBumping, KnowsTheChangeThroughReplacementsAndBlocks) {
    mine({pay(100'000)});
    PaymentRequest request;
    request.recipients = {{wallet->script_at({KeyChain::change, 4}), 30'000}};
    request.change = wallet->change_for({});
    const Payment old = build(request, wallet->spendable_coins().coins);
    ASSERT_TRUE(wallet->keep_payment(old, 1));
    reopen();
    const Payment second = replace(old.transaction.txid());
    ASSERT_TRUE(FeeBumper(*wallet).keep_replacement(second, old.transaction.txid(), 2));
    mine({second.transaction});
    wallet->undo_to(chain.cut(chain.tip().height - 1));
    reopen();
    const Payment third = replace(second.transaction.txid(), 20'000);
    EXPECT_EQ(third.paid(), 30'000);
    EXPECT_EQ(third.transaction.outputs.at(third.change_index.value()).script_pubkey,
              request.change.script_pubkey);
    ASSERT_TRUE(FeeBumper(*wallet).keep_replacement(third, second.transaction.txid(), 3));
    EXPECT_EQ(ask("SELECT count(*) FROM change_output"), 3);
    ASSERT_TRUE(wallet->abandon(third.transaction.txid()));
    EXPECT_EQ(ask("SELECT count(*) FROM change_output"), 2) << "it is forgotten with the payment";
}

TEST_F(FeeBumping, TakesAChangeThatThePaymentDoesNotHaveForDamage) {
    const Payment old = send();
    execute("UPDATE change_output SET vout = 2");
    reopen();
    EXPECT_EQ(
        test::error_of([&] { return FeeBumper(*wallet).replacement_of(old.transaction.txid()); }),
        WalletError::Kind::damaged);
    execute("UPDATE change_output SET vout = 1 - " + std::to_string(old.change_index.value()));
    reopen();
    EXPECT_EQ(
        test::error_of([&] { return FeeBumper(*wallet).replacement_of(old.transaction.txid()); }),
        WalletError::Kind::damaged)
        << "the recipient's output is not the wallet's";
}

/// A payment whose change is not known, as of a PSBT that was broadcast.
class FeeBumpingOfUnknownChange : public FeeBumping {
protected:
    /// Pays 30,000 sat of 100,000 to `recipient` and the rest to `change`.
    chain::Txid broadcast(const chain::Bytes& recipient, const chain::Bytes& change) {
        const auto funding = pay(100'000, 0, ++coins);
        mine({funding});
        const auto payment =
            test::sign(spend({output_of(funding)}, {{30'000, recipient}, {69'000, change}}),
                       std::vector{funding});
        EXPECT_TRUE(wallet->keep_own(payment, 1));
        return payment.txid();
    }
    chain::Bytes change_script(std::uint32_t index) const {
        return script(index, KeyChain::change);
    }
    /// The value of the output that a replacement may lower; 0 for none.
    chain::Satoshis change_of(const chain::Txid& txid) {
        const auto request = FeeBumper(*wallet).replacement_of(txid).value();
        chain::Satoshis paid = 0;
        for (const Recipient& one : request.recipients) paid += one.amount;
        return 99'000 - paid;
    }
    std::uint32_t coins = 100;
};

TEST_F(FeeBumpingOfUnknownChange, LowersTheOnlyOutputToAFreshChangeAddress) {
    EXPECT_EQ(change_of(broadcast(foreign_script(), change_script(0))), 69'000);
    EXPECT_EQ(change_of(broadcast(script(7), change_script(1))), 69'000);
    EXPECT_EQ(change_of(broadcast(foreign_script(), script(8))), 0) << "of a receive address";
    EXPECT_EQ(change_of(broadcast(change_script(2), change_script(3))), 0)
        << "either may be the recipient's";
}

TEST_F(FeeBumpingOfUnknownChange, LowersNoOutputToAnAddressThatAPayerMayKnow) {
    wallet->set_label(change_script(0), "rent");
    const chain::Txid labelled = broadcast(foreign_script(), change_script(0));
    EXPECT_EQ(change_of(labelled), 0);
    wallet->set_label(change_script(0), "");
    EXPECT_EQ(change_of(labelled), 0) << "it had a label, and is used";
    mine({spend({foreign_coin(1)}, {{5'000, change_script(1)}})});
    EXPECT_EQ(change_of(broadcast(foreign_script(), change_script(1))), 0) << "paid by others";
    test::see(*wallet, spend({foreign_coin(2)}, {{5'000, change_script(2)}}), 1);
    EXPECT_EQ(change_of(broadcast(foreign_script(), change_script(2))), 69'000)
        << "any peer can make up an unconfirmed payment";
}

TEST_F(FeeBumpingOfUnknownChange, LowersNoOutputToAKnownRecipient) {
    mine({pay(100'000)});
    PaymentRequest request;
    request.recipients = {{change_script(5), 30'000}};
    request.change = wallet->change_for({});
    const Payment known = build(request, wallet->spendable_coins().coins);
    ASSERT_TRUE(wallet->keep_payment(known, 1));
    EXPECT_EQ(change_of(broadcast(foreign_script(), change_script(5))), 0);
}

TEST_F(FeeBumping, AllowsAConflictedDescendant) {
    const Payment first = send();
    const auto coin = pay(50'000, 1, 1);
    mine({coin});
    PaymentRequest request;
    request.recipients = {{foreign_script(2), 0, true}};
    request.spends_all_given = true;
    const Payment child = build(request, wallet->spendable_coins().coins);
    ASSERT_EQ(child.coins.size(), 2U);
    ASSERT_TRUE(wallet->keep_payment(child, 2));
    EXPECT_EQ(fault_of(first.transaction.txid()).error, BumpError::has_descendant);
    mine({test::sign(spend({output_of(coin)}, {{40'000, foreign_script()}}), std::vector{coin})});
    EXPECT_TRUE(FeeBumper(*wallet).replacement_of(first.transaction.txid()));
}

TEST_F(FeeBumping, RefusesIfADescendantWouldVanish) {
    const Payment first = send();
    PaymentRequest request;
    request.recipients = {{foreign_script(2), 10'000}};
    request.change = wallet->change_for({});
    const Payment second = build(request, wallet->spendable_coins().coins);
    ASSERT_TRUE(wallet->keep_payment(second, 2));
    const BumpFailure fault = fault_of(first.transaction.txid());
    EXPECT_EQ(fault.error, BumpError::has_descendant);
    EXPECT_EQ(fault.other, second.transaction.txid());
    EXPECT_TRUE(FeeBumper(*wallet).replacement_of(second.transaction.txid()));
    EXPECT_EQ(FeeBumper(*wallet).child_of(first.transaction.txid()).error().error,
              BumpError::no_own_output);
}

// A block that is undone may have brought the child without its witness.
TEST_F(FeeBumping, DescendantThatWasShownStaysOneWithoutItsWitness) {
    const Payment first = send();
    PaymentRequest request;
    request.recipients = {{foreign_script(2), 10'000}};
    request.change = wallet->change_for({});
    const Payment second = build(request, wallet->spendable_coins().coins);
    test::see(*wallet, second.transaction, 2);
    auto stripped = second.transaction;
    for (auto& input : stripped.inputs) input.witness.clear();
    const auto fork = chain.tip();
    mine({first.transaction, stripped});
    wallet->undo_to(chain.cut(fork.height));
    EXPECT_EQ(fault_of(first.transaction.txid()).error, BumpError::has_descendant);
    EXPECT_EQ(fault_of(first.transaction.txid()).other, second.transaction.txid());
}

TEST_F(FeeBumping, MakesNoChildOfAnUndoneReceipt) {
    mine();
    const auto fork = chain.tip();
    const auto receipt = pay(40'000);
    mine({receipt});
    wallet->undo_to(chain.cut(fork.height));
    EXPECT_EQ(FeeBumper(*wallet).child_of(receipt.txid()).error().error, BumpError::undone);
    EXPECT_EQ(fault_of(receipt.txid()).error, BumpError::undone);
    test::see(*wallet, receipt, 1);
    EXPECT_TRUE(FeeBumper(*wallet).child_of(receipt.txid()));
}

// Anyone can fabricate a transaction that spends the recipient's output and pays the wallet.
TEST_F(FeeBumping, OnlyAVerifiedSpendOfTheRecipientsIsADescendant) {
    using chain::ScriptType;
    for (const ScriptType type : {ScriptType::p2wpkh, ScriptType::p2tr}) {
        const auto number = type == ScriptType::p2wpkh ? 0U : 1U;
        mine({pay(100'000, number, number)});
        const chain::Bytes key = test::private_key(9);
        PaymentRequest request;
        request.recipients = {{test::script_of(type, key), 30'000}};
        request.change = wallet->change_for({});
        const Payment paid = build(request, wallet->spendable_coins().coins);
        ASSERT_TRUE(wallet->keep_payment(paid, 1));
        const chain::Txid txid = paid.transaction.txid();
        const auto index = static_cast<std::uint32_t>(1 - paid.change_index.value());
        const auto& output = paid.transaction.outputs[index];
        auto child = spend({{txid, index}, foreign_coin(50 + number)}, {{20'000, script(30)}});

        test::see(*wallet, child, 2);
        EXPECT_TRUE(FeeBumper(*wallet).replacement_of(txid)) << "without a signature";
        const std::vector<chain::TxOutput> all{output, {1'000, foreign_script(3)}};
        test::sign_input(child, 0, key, output, all);
        test::see(*wallet, child, 2);
        ASSERT_TRUE(wallet->transaction(child.txid()));
        if (type == ScriptType::p2tr) {
            const Payment replaced = replace(txid);
            EXPECT_TRUE(FeeBumper(*wallet).keep_replacement(replaced, txid, 3))
                << "its signature covers an output that is not known";
            EXPECT_EQ(wallet->transaction(child.txid())->replaced_by, replaced.transaction.txid());
            continue;
        }
        EXPECT_EQ(fault_of(txid).error, BumpError::has_descendant);
        EXPECT_EQ(fault_of(txid).other, child.txid());
        EXPECT_FALSE(FeeBumper(*wallet).keep_replacement(paid, txid, 3));
        reopen();
        EXPECT_EQ(fault_of(txid).error, BumpError::has_descendant);
        mine({paid.transaction});
    }
}

TEST_F(FeeBumping, PaysForAReceiptByAChild) {
    auto receipt = pay(40'000);
    receipt.inputs[0].witness.push_back(chain::Bytes(64));
    test::see(*wallet, receipt, 1);
    auto child = FeeBumper(*wallet).child_of(receipt.txid()).value();
    EXPECT_FALSE(child.parent_fee);
    child.request.fee_rate = FeeRate{10'000};
    const Payment payment = build(child.request, child.coins);
    ASSERT_EQ(payment.coins.size(), 1U);
    EXPECT_EQ(payment.coins.front().outpoint, output_of(receipt));
    EXPECT_EQ(payment.fee,
              10 * static_cast<chain::Satoshis>(payment.virtual_size + receipt.virtual_size()));
    EXPECT_EQ(payment.transaction.outputs.front().script_pubkey,
              wallet->change_for({}).script_pubkey);
    ASSERT_TRUE(FeeBumper(*wallet).keep_child(payment, receipt.txid(), 2));
    // The child pays only the wallet's change, which a replacement reduces.
    const Payment replaced = replace(payment.transaction.txid(), 40'000);
    EXPECT_EQ(replaced.transaction.outputs.size(), 1U);
    EXPECT_EQ(replaced.fee,
              40 * static_cast<chain::Satoshis>(replaced.virtual_size + receipt.virtual_size()))
        << "the replacement pays for the receipt, too";
    ASSERT_TRUE(FeeBumper(*wallet).keep_replacement(replaced, payment.transaction.txid(), 3));
    const Payment again = replace(replaced.transaction.txid(), 60'000);
    EXPECT_EQ(again.transaction.outputs.size(), 1U);
    EXPECT_LT(again.transaction.outputs[0].value, replaced.transaction.outputs[0].value);
}

// The witnesses of foreign inputs are not verified, and not part of the txid.
TEST_F(FeeBumping, PaysForNoWitnessThatAPeerMayHaveAdded) {
    auto receipt = pay(40'000);
    const std::size_t size = receipt.virtual_size();
    receipt.inputs[0].witness.push_back(chain::Bytes(350'000));
    test::see(*wallet, receipt, 1);
    const auto child = FeeBumper(*wallet).child_of(receipt.txid()).value();
    EXPECT_LE(child.request.relatives.at(0).virtual_size, size + 101);
}

TEST_F(FeeBumping, TakesThePaymentOfAFileWithAWrongChangeAddressForDamage) {
    const Payment old = send();
    wallet.reset();
    change_scripts("UPDATE script SET script = x'" + chain::to_hex(foreign_script()) +
                   "' WHERE chain = 1 AND number = 9");
    execute("DELETE FROM change_output");
    wallet.emplace(Wallet::open(file, test::regtest_params(), Access::sync));
    EXPECT_EQ(
        test::error_of([&] { return FeeBumper(*wallet).replacement_of(old.transaction.txid()); }),
        WalletError::Kind::damaged);
}

TEST_F(FeeBumping, CountsTheParentsOfTheReplacedPaymentWithoutIt) {
    const Payment first = send();
    PaymentRequest request;
    request.recipients = {{foreign_script(2), 10'000}};
    request.fee_rate = FeeRate{3'000};
    request.change = wallet->change_for({});
    const auto coins = wallet->spendable_coins();
    request.relatives = coins.relatives;
    const Payment second = build(request, coins.coins);
    ASSERT_TRUE(wallet->keep_payment(second, 2));
    const auto replacing = FeeBumper(*wallet).replacement_of(second.transaction.txid()).value();
    ASSERT_EQ(replacing.relatives.size(), 1U);
    EXPECT_EQ(replacing.relatives[0].txid, first.transaction.txid());
    EXPECT_GT(replacing.replaced->fee_rate(), FeeRate{4'900});
    EXPECT_GE(replacing.replaced->package_rate, FeeRate{3'000}) << "that of both";
    EXPECT_LE(replacing.replaced->package_rate, FeeRate{3'100});
}

TEST_F(FeeBumping, CountsTheFeeOfAnOwnParent) {
    const Payment old = send();
    const auto child = FeeBumper(*wallet).child_of(old.transaction.txid()).value();
    EXPECT_EQ(child.parent_fee, old.fee);
    ASSERT_EQ(child.request.relatives.size(), 1U);
    EXPECT_EQ(child.request.relatives[0].fee, old.fee);
    EXPECT_EQ(child.request.relatives[0].virtual_size, old.transaction.virtual_size());
}

TEST_F(FeeBumping, MakesNoChildOfWhatItCannotSpend) {
    EXPECT_EQ(FeeBumper(*wallet).child_of(chain::Txid{}).error().error, BumpError::unknown);
    const auto funding = pay(100'000);
    mine({funding});
    EXPECT_EQ(FeeBumper(*wallet).child_of(funding.txid()).error().error, BumpError::confirmed);
    const auto receipt = pay(40'000, 1, 1);
    test::see(*wallet, receipt, 1);
    LabelExchange(*wallet).import(
        std::vector<LabelRecord>{{"output", receipt.txid().to_hex() + ":0", {}, {}, false, {}}});
    EXPECT_EQ(FeeBumper(*wallet).child_of(receipt.txid()).error().error, BumpError::no_own_output);
}


}  // namespace
}  // namespace petal::wallet
