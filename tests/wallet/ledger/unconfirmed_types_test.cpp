// Unconfirmed spends of wallets of each type, and of everything that a watch-only wallet may watch.
// None of them counts without a valid signature.
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <string>

#include "chain/script/script.h"
#include "tests/support/signing.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/new_descriptors.h"

namespace petal::wallet {
namespace {

using chain::Transaction;
using test::foreign_coin;
using test::foreign_script;
using test::output_of;
using test::spend;

constexpr std::int64_t kSeen = 1'600'010'000;

/// A wallet with two confirmed coins of 700 satoshis.
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

/// Spends one of the wallet's coins together with a coin that the wallet does not know.
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

// The signature covers the output that the other input spends, which the wallet does not know.
TEST_F(JointTaprootSpend, IsNotBelievedBeforeABlockHasIt) {
    const auto joint = signed_together();
    test::see(*wallet, joint, kSeen);
    EXPECT_FALSE(knows(joint));
    EXPECT_FALSE(wallet->flaw_of(joint)) << "it may be valid";
    EXPECT_FALSE(wallet->keep_own(joint, kSeen));
    EXPECT_EQ(wallet->balance(), (Balance{1'400, 0, 0}));
    mine({joint});
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
}

TEST_F(JointTaprootSpend, CountsIfTheSignatureCoversOnlyTheOwnOutput) {
    const auto joint = test::sign(joint_spend(), coins);
    test::see(*wallet, joint, kSeen);
    EXPECT_TRUE(knows(joint));
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0, 700}));
}

// The wallet knows the transaction because it pays the wallet. Then an input turns out to be the
// wallet's.
TEST_F(JointTaprootSpend, IsForgottenIfItsCoinIsFoundLater) {
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

TEST_F(JointTaprootSpend, IsForgottenOnceTheAddressOfItsCoinIsDerived) {
    const auto payment = spend({foreign_coin(30)}, {{1, script(2)}, {500, script(60)}});
    mine({payment});
    const std::vector spent{payment.outputs[1], chain::TxOutput{300, foreign_script(4)}};
    const auto joint = test::sign_together(
        spend({output_of(payment, 1), foreign_coin(9)}, {{600, script(5)}}), spent);
    test::see(*wallet, joint, kSeen);
    EXPECT_TRUE(knows(joint)) << "as long as the output that it spends is another's";
    mine({pay(1, 40, 31)});  // the list grows
    EXPECT_FALSE(knows(joint));
    EXPECT_EQ(wallet->balance(), (Balance{1'902, 0, 0}));
    reopen();
}

/// A script that a watch-only wallet watches, and how it is spent.
struct WatchedForm {
    std::string name;
    std::string descriptor;
    test::ScriptPlace place;
    chain::Bytes script;
    std::vector<std::uint32_t> signers;
    std::vector<chain::Bytes> before = {};  ///< before the signatures
    std::vector<chain::Bytes> behind = {};
};
void PrintTo(const WatchedForm& form, std::ostream* out) {
    *out << form.name;
}

std::vector<WatchedForm> watched_forms() {
    std::vector<chain::Bytes> keys;
    std::string key_texts;
    chain::Bytes multisig{0x52};
    for (std::uint32_t number = 1; number <= 3; ++number) {
        keys.push_back(test::public_key_of(test::private_key(number)));
        key_texts += ',' + chain::to_hex(keys.back());
        const chain::Bytes push = chain::push_data(keys.back());
        multisig.insert(multisig.end(), push.begin(), push.end());
    }
    multisig.insert(multisig.end(), {0x53, 0xae});
    const std::string key = chain::to_hex(keys[0]);

    constexpr std::array<std::array<const char*, 3>, 4> kAround{
        {{"", "", ""}, {"Sh", "sh(", ")"}, {"Wsh", "wsh(", ")"}, {"ShWsh", "sh(wsh(", "))"}}};
    std::vector<WatchedForm> forms;
    for (std::size_t i = 0; i < kAround.size(); ++i) {
        const auto& around = kAround[i];
        const std::string name = around[0];
        const auto place = test::kScriptPlaces[i];
        const auto text = [&](const std::string& inside) { return around[1] + inside + around[2]; };
        forms.push_back(
            {name + "Pk", text("pk(" + key + ")"), place, chain::p2pk_script(keys[0]), {1}});
        forms.push_back({name + "Pkh",
                         text("pkh(" + key + ")"),
                         place,
                         chain::p2pkh_script(chain::hash160(keys[0])),
                         {1},
                         {},
                         {keys[0]}});
        forms.push_back({name + "Multi",
                         text("multi(2" + key_texts + ")"),
                         place,
                         multisig,
                         {1, 3},
                         {chain::Bytes{}},
                         {}});
    }
    return forms;
}

class UnconfirmedOfForm : public test::WalletFixture,
                          public testing::WithParamInterface<WatchedForm> {
protected:
    UnconfirmedOfForm() {
        const auto parsed =
            parse_new_descriptors(std::vector{GetParam().descriptor}, test::regtest_params());
        wallet.reset();
        file = folder.path() / "watch-only";
        wallet.emplace(Wallet::watch(file, test::regtest_params(),
                                     {parsed.value().descriptors, {}, {20, 50}}));
        coin = spend({foreign_coin(1)},
                     {{700, test::output_script_of(GetParam().place, GetParam().script)}});
        mine({coin});
    }

    Transaction signed_by(const std::vector<std::uint32_t>& signers, Transaction sweep) const {
        const WatchedForm& form = GetParam();
        std::vector<chain::Bytes> items = form.before;
        for (const std::uint32_t signer : signers) {
            items.push_back(test::sign_script(sweep, 0, form.place, form.script, 700,
                                              test::private_key(signer)));
        }
        items.insert(items.end(), form.behind.begin(), form.behind.end());
        test::put_script_items(sweep.inputs[0], form.place, form.script, items);
        return sweep;
    }

    Transaction coin;
};

INSTANTIATE_TEST_SUITE_P(Forms, UnconfirmedOfForm, testing::ValuesIn(watched_forms()),
                         [](const auto& row) { return row.param.name; });

TEST_P(UnconfirmedOfForm, SpendsCountOnlyWithValidSignatures) {
    EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
    const auto unsigned_sweep = spend({output_of(coin)}, {{600, foreign_script()}});
    std::vector<std::uint32_t> strangers = GetParam().signers;
    strangers.back() = 4;
    const auto sweep = signed_by(GetParam().signers, unsigned_sweep);
    auto forged = sweep;
    forged.lock_time = 7;
    for (const Transaction& lie : {unsigned_sweep, signed_by(strangers, unsigned_sweep), forged}) {
        test::see(*wallet, lie, kSeen);
        EXPECT_FALSE(wallet->transaction(lie.txid()).has_value());
        EXPECT_TRUE(wallet->flaw_of(lie));
        EXPECT_EQ(wallet->balance(), (Balance{700, 0, 0}));
    }
    test::see(*wallet, sweep, kSeen);
    EXPECT_FALSE(wallet->flaw_of(sweep));
    EXPECT_EQ(wallet->balance(), (Balance{0, 0, 0, 700}));
    reopen();
    mine({sweep});
    EXPECT_EQ(wallet->balance(), (Balance{0, 0, 0}));
}

}  // namespace
}  // namespace petal::wallet
