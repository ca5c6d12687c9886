// PSBTs between a watch-only wallet and one that signs.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "chain/script/script.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt_wallet.h"

namespace petal::wallet {
namespace {

using test::foreign_script;
using test::output_of;
using test::regtest;

RandomBits psbt_wallet_bits() {
    return [number = std::uint64_t{0}]() mutable { return number += 0x9e37'79b9'7f4a'7c15; };
}

class PsbtBetweenWallets : public test::WalletFixture {
protected:
    explicit PsbtBetweenWallets(ScriptKind type = ScriptKind::wpkh)
        : test::WalletFixture(test::new_wallet(50, 20, {type, 0})) {}

    /// A wallet that watches the descriptors of `wallet`, and was shown the same blocks.
    Wallet watching() {
        const auto texts = wallet->info().descriptors;
        const auto descriptors = parse_new_descriptors(texts, regtest()).value().descriptors;
        auto watch =
            Wallet::watch(folder.path() / "watch-only", regtest(), {descriptors, {}, {20, 50}});
        for (const auto& block : chain.blocks()) {
            static_cast<void>(watch.apply({&block, 1}, state_after(block)));
        }
        return watch;
    }

    static Payment build(const Wallet& from, chain::Satoshis amount) {
        PaymentRequest request;
        request.recipients = {{foreign_script(), amount}};
        request.change_script = from.change_script();
        request.change_kind = from.change_kind();
        return build_payment(request, from.spendable_coins().coins, psbt_wallet_bits()).value();
    }

    auto sign_psbt(const Psbt& psbt) const {
        return PsbtWallet(*wallet).sign(psbt, wallet->seed(""), {}, {});
    }
    PsbtInputFault fault_of(const Psbt& psbt) const {
        return std::get<PsbtInputError>(sign_psbt(psbt).error()).fault;
    }
};

class PsbtBetweenWalletsOfType : public PsbtBetweenWallets,
                                 public testing::WithParamInterface<ScriptKind> {
protected:
    PsbtBetweenWalletsOfType() : PsbtBetweenWallets(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Types, PsbtBetweenWalletsOfType, testing::ValuesIn(kScriptKinds),
                         [](const auto& tested) {
                             std::string name(describe(tested.param));
                             std::erase(name, '-');
                             return name;
                         });

TEST_P(PsbtBetweenWalletsOfType, IsMadeByTheOneAndSignedByTheOther) {
    mine({pay(100'000), pay(50'000, 3)});
    const Wallet watch = watching();
    const Payment payment = build(watch, 120'000);
    ASSERT_EQ(payment.coins.size(), 2U);
    const Psbt created = PsbtWallet(watch).create(payment);
    EXPECT_EQ(created.serialize(), PsbtWallet(*wallet).create(payment).serialize());
    EXPECT_EQ(Psbt::parse(created.serialize())->serialize(), created.serialize());

    auto signed_psbt = sign_psbt(created);
    ASSERT_TRUE(signed_psbt) << describe(signed_psbt.error());
    EXPECT_EQ(signed_psbt->inputs, (std::vector<std::size_t>{0, 1}));
    EXPECT_TRUE(finalize(signed_psbt->psbt).empty());
    const auto transaction = extract(signed_psbt->psbt);
    ASSERT_TRUE(transaction);
    EXPECT_FALSE(wallet->flaw_of(*transaction));
    EXPECT_EQ(wallet->fee_of(*transaction), payment.fee);
    mine({*transaction});
    EXPECT_EQ(wallet->balance().confirmed, 30'000 - payment.fee);
}

TEST_P(PsbtBetweenWalletsOfType, NamesKeysAndProvesAmounts) {
    mine({pay(100'000, 3)});
    const Wallet watch = watching();
    const Payment payment = build(watch, 40'000);
    const Psbt psbt = PsbtWallet(watch).create(payment);
    const PsbtMap& input = psbt.inputs()[0];
    const bool is_taproot = kind == ScriptKind::tr;
    EXPECT_EQ(psbt.has_full_transaction(0), !is_taproot);
    EXPECT_EQ(input.has(psbt_input::kWitnessUtxo), kind != ScriptKind::pkh);
    EXPECT_EQ(input.has(psbt_input::kRedeemScript), kind == ScriptKind::sh_wpkh);
    const auto keys = is_taproot ? taproot_derivations(input, psbt_input::kTaprootDerivation)
                                 : derivations(input, psbt_input::kDerivation);
    ASSERT_EQ(keys.size(), 1U);
    EXPECT_EQ(chain::to_hex(keys[0].origin.fingerprint), "73c5da0a");
    EXPECT_EQ('m' + path_to_string(keys[0].origin.path),
              'm' + path_to_string(account_path({kind, 0}, 1)) + "/0/3");
    const PsbtMap& change = psbt.outputs().at(payment.change_index.value());
    EXPECT_EQ(change.has(psbt_output::kDerivation), !is_taproot);
    EXPECT_EQ(change.has(psbt_output::kTaprootDerivation), is_taproot);
    EXPECT_TRUE(psbt.outputs()[1 - *payment.change_index].records().empty());
}

TEST_P(PsbtBetweenWalletsOfType, IsSignedWithNothingButItsTransaction) {
    mine({pay(100'000)});
    const Payment payment = build(*wallet, 40'000);
    const auto signed_psbt = sign_psbt(Psbt::of_transaction(payment.transaction));
    ASSERT_TRUE(signed_psbt);
    EXPECT_EQ(signed_psbt->inputs.size(), 1U);
}

TEST_F(PsbtBetweenWallets, IsNotSignedWhereItContradictsTheWallet) {
    mine({pay(100'000)});
    const Payment payment = build(*wallet, 40'000);
    Psbt psbt = Psbt::of_transaction(payment.transaction);
    psbt.set_utxo(0, {99'999, payment.coins[0].output.script_pubkey}, true, {});
    EXPECT_EQ(fault_of(psbt), PsbtInputFault::contradicts_wallet);
}

// A coin that the wallet has not seen yet: only its script says that it is the wallet's.
TEST_F(PsbtBetweenWallets, OfAnUnknownCoinIsSignedOnlyWithItsFullTransaction) {
    const chain::Transaction funding = pay(100'000);
    chain::Transaction transaction = test::spend({output_of(funding)}, {{1'000, foreign_script()}});
    Psbt psbt = Psbt::of_transaction(transaction);
    EXPECT_TRUE(sign_psbt(psbt)->inputs.empty()) << "nothing tells that it is the wallet's";
    psbt.set_utxo(0, funding.outputs[0], true, {});
    EXPECT_EQ(fault_of(psbt), PsbtInputFault::no_full_transaction);
    psbt.set_utxo(0, funding.outputs[0], true, funding);
    EXPECT_EQ(sign_psbt(psbt)->inputs.size(), 1U);
}

TEST_F(PsbtBetweenWallets, HasOwnOutputsByTheWalletsScriptsAlone) {
    mine({pay(100'000)});
    const Payment payment = build(*wallet, 40'000);
    PsbtWallet own(*wallet);
    Psbt psbt = own.create(payment);
    const std::size_t change = payment.change_index.value();
    psbt.output(1 - change) = psbt.outputs()[change];  // claims the wallet's key
    ASSERT_TRUE(Psbt::parse(psbt.serialize()));
    EXPECT_TRUE(own.own_output(psbt, change));
    EXPECT_FALSE(own.own_output(psbt, 1 - change));
}

TEST_F(PsbtBetweenWallets, LeavesForeignInputsAlone) {
    mine({pay(100'000)});
    Payment payment = build(*wallet, 40'000);
    payment.transaction.inputs.push_back({test::foreign_coin(1), {}, 0, {}});
    const auto signed_psbt = sign_psbt(Psbt::of_transaction(payment.transaction));
    ASSERT_TRUE(signed_psbt);
    EXPECT_EQ(signed_psbt->inputs, (std::vector<std::size_t>{0}));
    EXPECT_TRUE(signed_psbt->psbt.inputs()[1].records().empty());
}

TEST_F(PsbtBetweenWallets, WhoseTransactionCannotBeValidIsNotSigned) {
    mine({pay(100'000)});
    Payment payment = build(*wallet, 40'000);
    payment.transaction.inputs.push_back(payment.transaction.inputs[0]);
    const auto result = sign_psbt(Psbt::of_transaction(payment.transaction));
    ASSERT_FALSE(result);
    EXPECT_EQ(std::get<chain::TransactionFlaw>(result.error()),
              chain::TransactionFlaw::repeated_input);
}

TEST_F(PsbtBetweenWallets, WatchOnlyWalletOfAnAddressSpendsNothing) {
    const chain::Transaction funding = pay(100'000);
    mine({funding});
    const std::vector<std::string> texts{wallet->address_at({KeyChain::receive, 0})};
    const auto descriptors = parse_new_descriptors(texts, regtest()).value().descriptors;
    const auto watch =
        Wallet::watch(folder.path() / "watch-only", regtest(), {descriptors, {}, {20, 50}});
    // An address tells no kind of key: nothing can be estimated, nor spent.
    EXPECT_TRUE(watch.spendable_coins().coins.empty());
    EXPECT_EQ(test::error_of([&] { return watch.change_script(); }), WalletError::Kind::watch_only);
}

}  // namespace
}  // namespace petal::wallet
