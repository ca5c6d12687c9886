// Unconfirmed spends of wallets of each type: none counts without a valid signature.
#include <gtest/gtest.h>

#include "tests/wallet/wallet_fixture.h"

namespace petal::wallet {
namespace {

using chain::Transaction;
using test::foreign_coin;
using test::foreign_script;
using test::output_of;
using test::spend;

constexpr std::int64_t kSeen = 1'600'010'000;

/// Owns two coins of 700 satoshi in blocks.
class TwoCoins : public test::WalletFixture {
protected:
    explicit TwoCoins(ScriptKind type)
        : WalletFixture(test::new_wallet(50, 20, {type})), coins{pay(700, 0, 1), pay(700, 1, 2)} {
        mine(coins);
    }

    bool knows(const Transaction& transaction) const {
        return wallet->transaction(transaction.txid()).has_value();
    }

    std::vector<Transaction> coins;
};

class UnconfirmedOfType : public TwoCoins, public testing::WithParamInterface<ScriptKind> {
protected:
    UnconfirmedOfType() : TwoCoins(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Types, UnconfirmedOfType, testing::ValuesIn(kScriptKinds),
                         [](const auto& row) {
                             return std::string(chain::describe(script_type(row.param)));
                         });

TEST_P(UnconfirmedOfType, SpendsCountOnlyWithAValidSignature) {
    const auto unsigned_sweep = spend({output_of(coins[0])}, {{600, foreign_script()}});
    const auto sweep = test::sign(unsigned_sweep, coins);
    auto forged = unsigned_sweep;
    forged.lock_time = 7;
    forged.inputs[0] = sweep.inputs[0];
    for (const Transaction& lie : {unsigned_sweep, forged}) {
        test::see(*wallet, lie, kSeen);
        EXPECT_FALSE(knows(lie));
        EXPECT_TRUE(wallet->flaw_of(lie));
        EXPECT_FALSE(wallet->keep_own(lie, kSeen));
        EXPECT_EQ(wallet->balance(), (Balance{1'400, 0, 0}));
    }
    test::see(*wallet, sweep, kSeen);
    EXPECT_TRUE(knows(sweep));
    EXPECT_FALSE(wallet->flaw_of(sweep));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0, 700}));
    EXPECT_TRUE(wallet->keep_own(sweep, kSeen));
    reopen();
    mine({sweep});
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
}

TEST_P(UnconfirmedOfType, SpendsOfSeveralCoinsCount) {
    const std::vector spent{coins[0].outputs[0], coins[1].outputs[0]};
    const auto both = test::sign_together(
        spend({output_of(coins[0]), output_of(coins[1])}, {{1'300, foreign_script()}}), spent);
    test::see(*wallet, both, kSeen);
    EXPECT_TRUE(knows(both));
    EXPECT_EQ(wallet->balance(), (Balance{0, 0, 0, 1'400}));
}

/// Spends one of the wallet's coins together with one of which the wallet knows nothing.
class JointTaprootSpend : public TwoCoins {
protected:
    JointTaprootSpend() : TwoCoins(ScriptKind::tr) {}

    Transaction joint_spend() const {
        return spend({output_of(coins[0]), foreign_coin(9)}, {{900, foreign_script()}});
    }
    Transaction signed_together() const {
        const std::vector spent{coins[0].outputs[0], chain::TxOutput{300, foreign_script(4)}};
        return test::sign_together(joint_spend(), spent);
    }
};

// The signature covers what the other input spends, which the wallet does not know.
TEST_F(JointTaprootSpend, IsNotBelievedBeforeABlockHasIt) {
    const auto joint = signed_together();
    test::see(*wallet, joint, kSeen);
    EXPECT_FALSE(knows(joint));
    EXPECT_FALSE(wallet->flaw_of(joint)) << "it may well be valid";
    EXPECT_FALSE(wallet->keep_own(joint, kSeen));
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 0, 0}));
    mine({joint});
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
}

TEST_F(JointTaprootSpend, CountsWhereTheSignatureCoversTheOwnOutputAlone) {
    const auto joint = test::sign(joint_spend(), coins);
    test::see(*wallet, joint, kSeen);
    EXPECT_TRUE(knows(joint));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0, 700}));
}

// It is known for what it pays the wallet, until an input turns out to be the wallet's.
TEST_F(JointTaprootSpend, IsForgottenWhereItsCoinIsFoundLater) {
    const auto funding = pay(500, 3, 20);
    const std::vector spent{funding.outputs[0], chain::TxOutput{300, foreign_script(4)}};
    const auto joint = test::sign_together(
        spend({output_of(funding), foreign_coin(9)}, {{600, script(5)}}), spent);
    test::see(*wallet, joint, kSeen);
    EXPECT_TRUE(knows(joint));
    mine({funding});
    EXPECT_FALSE(knows(joint));
    EXPECT_EQ(wallet->balance(), (Balance{1'900, 0, 0}));
    reopen();
}

}  // namespace
}  // namespace petal::wallet
