// How a wallet handles unconfirmed transactions that peers show.
#include <gtest/gtest.h>

#include <functional>

#include "chain/script/script.h"
#include "chain/transaction_rules.h"
#include "tests/support/signing.h"
#include "tests/wallet/ledger/unconfirmed_scene.h"
#include "wallet/transaction_intake.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::Transaction;
using chain::Txid;
using test::foreign_coin;
using test::foreign_script;
using test::kSeenTime;
using test::output_of;
using test::spend;

using UnconfirmedTest = test::UnconfirmedScene;

Transaction with_witness(Transaction transaction, const chain::Witness& witness) {
    for (auto& input : transaction.inputs) input.witness = witness;
    return transaction;
}

struct ForgeryCase {
    std::string name;
    std::function<Transaction(const Transaction& spend, const Transaction& coin)> forge;
};

void PrintTo(const ForgeryCase& c, std::ostream* out) {
    *out << c.name;
}

class ForgedSpend : public UnconfirmedTest, public testing::WithParamInterface<ForgeryCase> {};

TEST_P(ForgedSpend, ChangesNothing) {
    const auto before = test::all_of(*wallet);
    const auto stored = ask("SELECT count(*) FROM tx");
    std::vector<Transaction> forged;
    for (std::size_t i = 0; i < 2; ++i) forged.push_back(GetParam().forge(sweep(i), coins[i]));
    for (const Transaction& transaction : forged) EXPECT_FALSE(see(transaction));

    test::expect_equal(test::all_of(*wallet), before);
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 0, 0}));
    EXPECT_EQ(ask("SELECT count(*) FROM tx"), stored);
    EXPECT_FALSE(wallet->keep_own(forged[0], kSeenTime)) << "even if the user submits it";
    ASSERT_TRUE(wallet->flaw_of(forged[0]));
    EXPECT_EQ(wallet->flaw_of(forged[0])->input_index, 0U);
    EXPECT_FALSE(wallet->flaw_of(forged[0])->reason.empty());
    test::expect_equal(test::all_of(*wallet), before);

    // The honest peer's version of the same transaction.
    see(sign(forged[0]));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0, 700}));
    reopen();
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Witnesses, ForgedSpend, testing::ValuesIn(std::vector<ForgeryCase>{
    {"None",        [](const auto& spend, const auto&) { return spend; }},
    {"Garbage",     [](const auto& spend, const auto&) { return with_witness(spend, {Bytes(72, 1), Bytes(33, 2)}); }},
    {"OtherKey",    [](auto spend, const auto& coin) {
        test::sign_input(spend, 0, test::private_key(7), coin.outputs[0]);
        return spend; }},
    {"OtherOutput", [](const auto& spend, const auto& coin) {
        Transaction to_sign = spend;
        to_sign.outputs[0].value -= 1;
        return with_witness(spend, test::sign(to_sign, std::vector{coin}).inputs[0].witness); }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST_F(UnconfirmedTest, SpendOfAnUnconfirmedOutputIsVerifiedToo) {
    const auto payment = pay(50, 5, 9);
    see(payment);
    const auto onward = spend({output_of(payment)}, {{40, foreign_script()}});
    see(onward);
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 50, 0}));
    see(test::sign(onward, std::vector{payment}));
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 0, 0}));
}

TEST_F(UnconfirmedTest, OneInvalidOwnInputIsEnoughToRefuse) {
    const auto both =
        spend({foreign_coin(9), output_of(coins[0]), output_of(coins[1])}, {{5, script(3)}});
    auto half = sign(both);
    half.inputs[2].witness.clear();
    see(half);
    EXPECT_FALSE(knows(both));
    EXPECT_EQ(wallet->flaw_of(half)->input_index, 2U);
    see(sign(both));
    EXPECT_TRUE(knows(both)) << "the foreign input cannot be verified";
}

// The spend comes before its funding, and is stored because it also pays the wallet.
TEST_F(UnconfirmedTest, EarlySpendIsVerifiedOnceItsFundingIsFound) {
    for (const bool is_signed : {false, true}) {
        const std::uint32_t coin = is_signed ? 21 : 20;
        const auto funding = pay(300, 4, coin);
        auto early = spend({output_of(funding)}, {{100, foreign_script()}, {1, script(6)}});
        if (is_signed) early = test::sign(early, std::vector{funding});
        const auto child = spend({output_of(early, 1), foreign_coin(coin + 10)}, {{2, script(7)}});
        see(early);
        see(test::sign(child, std::vector{early}));
        EXPECT_TRUE(knows(early));
        EXPECT_TRUE(knows(child));
        mine({funding});
        EXPECT_EQ(knows(early), is_signed);
        EXPECT_EQ(knows(child), is_signed);
        EXPECT_EQ(wallet->balance(),
                  (is_signed ? Balance{1'700, 2, 0, 300} : Balance{1'700, 0, 0}));
        reopen();
    }
}

TEST_F(UnconfirmedTest, ForgedSpendThatComesBeforeItsFundingIsNotAdopted) {
    const auto funding = pay(300, 4, 20);
    const auto early = spend({output_of(funding)}, {{100, foreign_script()}});
    see(early);
    see(funding);
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 300, 0}));
    EXPECT_FALSE(knows(early));
}

TEST_F(UnconfirmedTest, SpendThatAPeerShowedStaysWhenItsBlockIsUndone) {
    see(sign(sweep(0)));
    mine({sweep(0)});  // filtered blocks come without witnesses
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
    wallet->undo_to(chain.cut(2));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0, 700}));
    reopen();
    mine();
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0, 700}));
    mine({sweep(0)});
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
}

// The transaction padded to the largest weight that nodes relay.
Transaction padded(Transaction transaction, std::size_t weight = chain::kMaxRelayedWeight) {
    Bytes script(1, 0x6a);
    transaction.outputs.push_back({0, script});
    // The length of the script takes 4 more bytes.
    script.resize(1 + (weight - transaction.weight()) / 4 - 4);
    transaction.outputs.back().script_pubkey = script;
    return transaction;
}

TEST_F(UnconfirmedTest, ConflictsWithOldConfirmationsAreNotStored) {
    mine({sweep(0)});
    for (std::uint32_t i = 0; i < chain::kReorganisationReach + 10; ++i) mine();
    const auto before = test::all_of(*wallet);
    const auto size = file_size();
    for (chain::Satoshis value = 1; value <= 200; ++value) {
        see(sign(padded(spend({output_of(coins[0])}, {{value, script(9)}}),
                        chain::kMaxRelayedWeight - 200)));
        see(padded(spend({foreign_coin(1)}, {{value, script(9)}})));
    }
    test::expect_equal(test::all_of(*wallet), before);
    EXPECT_EQ(file_size(), size);
    const auto flaw = wallet->flaw_of(sign(sweep(0, 5)));
    ASSERT_TRUE(flaw);
    EXPECT_EQ(flaw->spent_by, sweep(0).txid());
}

TEST_F(UnconfirmedTest, HeavierThanNodesRelayIsRefused) {
    const auto fits = padded(pay(1, 3, 30));
    EXPECT_EQ(fits.weight(), chain::kMaxRelayedWeight);
    const auto too_heavy = padded(pay(1, 3, 31), chain::kMaxRelayedWeight + 4);
    see(too_heavy);
    see(fits);
    EXPECT_FALSE(knows(too_heavy));
    EXPECT_TRUE(knows(fits));
}

TEST_F(UnconfirmedTest, StoredNumberIsBounded) {
    std::vector<chain::UnconfirmedTransaction> payments;
    for (std::uint32_t i = 0; i <= kMaxUnconfirmed; ++i) {
        const auto payment = pay(1, 3, 100 + i);
        payments.push_back({payment.txid(), payment, kSeenTime});
    }
    wallet->apply_unconfirmed(payments, wallet->sync_state());
    EXPECT_EQ(wallet->history(0).size(), coins.size() + kMaxUnconfirmed);
    EXPECT_TRUE(knows(payments.front().transaction)) << "no transaction is evicted";
    EXPECT_FALSE(knows(payments.back().transaction));
    reopen();
    see(payments.back().transaction);
    EXPECT_FALSE(knows(payments.back().transaction));

    EXPECT_TRUE(wallet->keep_own(sign(sweep(0)), kSeenTime))
        << "the user's own transactions are not bounded";
    EXPECT_EQ(wallet->balance().unconfirmed_spent, 700);
    mine({payments.front().transaction});
    see(payments.back().transaction);
    EXPECT_TRUE(knows(payments.back().transaction)) << "the block has made room for one more";
    reopen();
}

TEST_F(UnconfirmedTest, StoredBytesAreBounded) {
    constexpr std::size_t kWeight = chain::kMaxRelayedWeight - 1'000;
    constexpr std::size_t kFitting = kMaxUnconfirmedBytes / (kWeight / 4);
    for (std::uint32_t i = 0; i <= kFitting; ++i) see(padded(pay(1, 3, 100 + i), kWeight));
    EXPECT_EQ(wallet->history(0).size(), coins.size() + kFitting);
    see(pay(5, 3, 99));
    EXPECT_TRUE(knows(pay(5, 3, 99))) << "there is room for a small one";
}

/// A payment of the wallet to a key of another, and a payment by that key to the wallet.
struct PaidOnward {
    Transaction parent;
    Transaction child;
};

class PaidOnwardTest : public UnconfirmedTest {
protected:
    /// The recipient's output is signed unless it is a fabrication.
    PaidOnward onward(bool is_signed, std::uint32_t number = 3) const {
        const Bytes key = test::private_key(5);
        PaidOnward paid;
        paid.parent = sign(spend({output_of(coins[0])}, {{600, test::p2wpkh_script_of(key)}}));
        paid.child = spend({output_of(paid.parent), foreign_coin(7)}, {{50, script(number)}});
        if (is_signed) test::sign_input(paid.child, 0, key, paid.parent.outputs[0]);
        return paid;
    }
};

TEST_F(PaidOnwardTest, SpendOfAnOthersOutputIsVerifiedIfTheWalletHasItsTransaction) {
    for (const bool is_signed : {false, true}) {
        const auto [parent, child] = onward(is_signed);
        see(parent);
        see(child);
        EXPECT_EQ(knows(child), is_signed);
        EXPECT_EQ(wallet->balance().pending, is_signed ? 50 : 0);
        EXPECT_EQ(wallet->flaw_of(child).has_value(), !is_signed);
        reopen();
    }
}

TEST_F(PaidOnwardTest, TransactionOfABlockKnowsItsOutputsToo) {
    mine({onward(true).parent});
    see(onward(false).child);
    EXPECT_FALSE(knows(onward(false).child));
    see(onward(true).child);
    EXPECT_TRUE(knows(onward(true).child));
}

TEST_F(PaidOnwardTest, SpendThatComesBeforeItsParentIsVerifiedWhenThatComes) {
    for (const bool is_signed : {false, true}) {
        for (const bool is_mined : {false, true}) {
            static_cast<void>(wallet->abandon(onward(true).parent.txid()));
            const auto [parent, child] = onward(is_signed);
            see(child);
            EXPECT_TRUE(knows(child)) << "it may be any payment";
            if (is_mined) {
                mine({parent});
            } else {
                see(parent);
            }
            EXPECT_EQ(knows(child), is_signed);
            reopen();
            if (is_mined) wallet->undo_to(chain.cut(chain.tip().height - 1));
        }
    }
}

TEST_F(PaidOnwardTest, SpendOfAnOutputThatDoesNotExistIsRefused) {
    const auto [parent, child] = onward(true);
    see(parent);
    const auto beyond = spend({output_of(parent, 1)}, {{50, script(3)}});
    see(beyond);
    EXPECT_FALSE(knows(beyond));
}

// A merkle proof does not cover witnesses, so the peer that serves a block could send any.
TEST_F(UnconfirmedTest, WitnessesOfConfirmedOnesAreNotStored) {
    const auto size = file_size();
    for (std::uint32_t i = 0; i < 10; ++i) {
        const auto payment = pay(1, 3, 100 + i);
        mine({with_witness(payment, {Bytes(3'900'000, 7)})});
    }
    EXPECT_EQ(wallet->balance(), (Balance{1'410, 0, 0}));
    EXPECT_LT(file_size(), size + 20'000);

    const auto seen = with_witness(pay(2, 3, 200), {Bytes(90'000, 7)});
    see(seen);
    EXPECT_GT(ask("SELECT max(length(raw)) FROM tx"), 90'000);
    mine({seen});
    EXPECT_LT(ask("SELECT max(length(raw)) FROM tx"), 500);
    reopen();
}

TEST_F(UnconfirmedTest, AnnouncedOneKeepsItsWitnessThroughAReorganisation) {
    const auto sent = sign(sweep(0));
    wallet->keep_own(sent, kSeenTime);
    mine({sent});
    EXPECT_EQ(ask("SELECT count(*) FROM tx WHERE length(raw) > 130"), 0);
    wallet->undo_to(chain.cut(2));
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_EQ(wallet->own_unconfirmed()[0].transaction, sent);
}

std::string blob(const Bytes& bytes) {
    return "x'" + chain::to_hex(bytes) + "'";
}

std::string blob(const Txid& txid) {
    return blob(Bytes(txid.bytes.begin(), txid.bytes.end()));
}

// Earlier versions stored witnesses as peers sent them, and spends without verifying them.
TEST_F(UnconfirmedTest, FileOfTheSecondVersionIsCleaned) {
    const auto payment = pay(5, 3, 30);
    see(payment);
    wallet->keep_own(sign(sweep(1)), kSeenTime);
    wallet.reset();
    execute(test::kToSecondVersion);
    const auto forged = spend({output_of(coins[0]), output_of(payment)}, {{1, script(4)}});
    const auto garbage = with_witness(coins[1], {Bytes(3'000'000, 7)});
    execute("UPDATE tx SET raw = " + blob(garbage.serialize()) +
            " WHERE txid = " + blob(garbage.txid()));
    execute("INSERT INTO tx (txid, seen_order, seen_time, raw) VALUES (" + blob(forged.txid()) +
            ", 1000, 1, " + blob(forged.serialize()) + ")");
    ASSERT_EQ(Wallet::open(file, test::regtest_params(), Access::read).balance().confirmed, 0);

    wallet.emplace(Wallet::open(file, test::regtest_params(), Access::sync));
    EXPECT_EQ(wallet->balance(), (Balance{700, 5, 0, 700}));
    EXPECT_FALSE(knows(forged));
    EXPECT_TRUE(knows(payment)) << "nothing that the wallet knows contradicts it";
    EXPECT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_LT(ask("SELECT max(length(raw)) FROM tx"), 500);
    EXPECT_EQ(wallet->receive_address(false).path.index, 5U)
        << "the forged transaction paid the address of index 4";
    reopen();
}

TEST_F(UnconfirmedTest, FileOfTheSecondVersionShowsNoAddressThatWasPaid) {
    const wallet::KeyPath shown = wallet->current_address(true).path;
    wallet.reset();
    execute(test::kToSecondVersion);
    const auto forged = spend({output_of(coins[0])}, {{1, script(shown.index)}});
    execute("INSERT INTO tx (txid, seen_order, seen_time, raw) VALUES (" + blob(forged.txid()) +
            ", 1000, 1, " + blob(forged.serialize()) + ")");

    wallet.emplace(Wallet::open(file, test::regtest_params(), Access::sync));
    ASSERT_FALSE(knows(forged));
    EXPECT_GT(wallet->current_address(true).path.index, shown.index);
}

class Abandoning : public UnconfirmedTest {};

TEST_F(Abandoning, GivesTheCoinsBackAtOnce) {
    const auto sent =
        sign(spend({output_of(coins[0])}, {{600, foreign_script()}, {90, script(5)}}));
    const auto child =
        test::sign(spend({output_of(sent, 1)}, {{80, script(6)}}), std::vector{sent});
    wallet->keep_own(sent, kSeenTime);
    see(child);
    wallet->keep_own(sign(sweep(1)), kSeenTime);
    EXPECT_EQ(wallet->balance(), (Balance{0, 80, 0, 1'400}));

    const auto abandoned = wallet->abandon(sent.txid());
    ASSERT_TRUE(abandoned);
    EXPECT_EQ(*abandoned, (std::vector{sent.txid(), child.txid()}));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0, 700}));
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U) << "it is not rebroadcast";
    EXPECT_EQ(wallet->own_unconfirmed()[0].transaction.txid(), sweep(1).txid());
    EXPECT_EQ(wallet->receive_address(false).path.index, 7U);
    reopen();
    EXPECT_EQ(wallet->receive_address(false).path.index, 7U);
    EXPECT_EQ(ask("SELECT count(*) FROM announced"), 1);

    mine({sent, child});
    EXPECT_EQ(wallet->balance(), (Balance{80, 0, 0, 700})) << "a block decides";
}

TEST_F(Abandoning, RefusesWhatIsNotUnconfirmed) {
    EXPECT_EQ(wallet->abandon(coins[0].txid()).error(), AbandonError::confirmed);
    EXPECT_EQ(wallet->abandon(Txid{}).error(), AbandonError::unknown);
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 0, 0}));
}

TEST_F(Abandoning, ThatFailsChangesNothing) {
    wallet->keep_own(sign(sweep(0)), kSeenTime);
    const auto before = test::all_of(*wallet);
    execute(
        "CREATE TRIGGER refuse BEFORE DELETE ON announced"
        " BEGIN SELECT RAISE(ABORT, 'refused'); END");
    EXPECT_TRUE(test::error_of([&] { return wallet->abandon(sweep(0).txid()).has_value(); }));
    test::expect_equal(test::all_of(*wallet), before);
    EXPECT_EQ(wallet->own_unconfirmed().size(), 1U);
}

}  // namespace
}  // namespace petal::wallet
