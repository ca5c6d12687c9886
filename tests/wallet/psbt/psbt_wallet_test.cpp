// PSBTs between a watch-only wallet and a wallet that signs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <variant>

#include "chain/byte_writer.h"
#include "chain/script/script.h"
#include "tests/support/type_name.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt_wallet.h"

namespace petal::wallet {
namespace {

using test::foreign_script;
using test::output_of;
using test::regtest_params;

RandomBits psbt_wallet_bits() {
    return [number = std::uint64_t{0}]() mutable { return number += 0x9e37'79b9'7f4a'7c15; };
}

class PsbtBetweenWallets : public test::WalletFixture {
protected:
    explicit PsbtBetweenWallets(ScriptKind type = ScriptKind::wpkh)
        : test::WalletFixture(test::new_wallet(50, 20, {type, 0})) {}

    /// A wallet that watches these descriptors and, after them, those of `wallet`. It was shown the
    /// same blocks.
    Wallet watching(std::vector<std::string> texts = {}) {
        std::ranges::copy(wallet->info().descriptors, std::back_inserter(texts));
        const auto descriptors = parse_new_descriptors(texts, regtest_params()).value().descriptors;
        auto watch = Wallet::watch(folder.path() / "watch-only", regtest_params(),
                                   {descriptors, {}, {20, 50}});
        for (const auto& block : chain.blocks()) {
            static_cast<void>(watch.apply({&block, 1}, state_after(block)));
        }
        return watch;
    }

    static Payment build(const Wallet& from, chain::Satoshis amount) {
        PaymentRequest request;
        request.recipients = {{foreign_script(), amount}};
        request.change = from.change_for(request.recipients);
        return build_payment(request, from.spendable_coins().coins, psbt_wallet_bits()).value();
    }

    /// Signs all inputs that belong to the wallet.
    auto sign_psbt(const Psbt& psbt, const PsbtTerms& terms = {}) const {
        std::vector<std::size_t> inputs(psbt.inputs().size());
        std::iota(inputs.begin(), inputs.end(), 0);
        return PsbtWallet(*wallet).sign(psbt, inputs, wallet->secret(""), terms, {});
    }
    PsbtInputFault fault_of(const Psbt& psbt) const {
        return std::get<PsbtInputError>(sign_psbt(psbt).error()).fault;
    }
};

TEST_F(PsbtBetweenWallets, LeaveRoomForTheSignaturesOfOthers) {
    mine({pay(100'000)});
    const auto form_in = [](const Wallet& of) { return of.spendable_coins().coins.front().form; };
    EXPECT_EQ(form_in(*wallet), SpendForm(ScriptKind::wpkh, Signer::wallet));
    const Wallet watch = watching();
    EXPECT_EQ(form_in(watch), SpendForm(ScriptKind::wpkh, Signer::others));
    EXPECT_EQ(watch.change_for({}).form, SpendForm(ScriptKind::wpkh, Signer::others));
}

// A program that can write the file could otherwise have its own address shown as change.
TEST_F(PsbtBetweenWallets, AreRefusedIfTheFileHasAScriptThatTheKeysDoNotHave) {
    mine({pay(100'000)});
    Payment payment = build(*wallet, 10'000);
    const std::size_t change = payment.change_index.value();
    payment.transaction.outputs[change].script_pubkey = foreign_script(2);
    const Psbt psbt = PsbtWallet(*wallet).create(payment);
    EXPECT_FALSE(PsbtWallet(*wallet).own_output(psbt, change));
    wallet.reset();
    change_scripts("UPDATE script SET script = x'" + chain::to_hex(foreign_script(2)) +
                   "' WHERE chain = 1 AND number = 9");
    wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
    EXPECT_EQ(test::error_of([&] { return PsbtWallet(*wallet).own_output(psbt, change); }),
              WalletError::Kind::damaged);
}

/// A PSBT of version 2 with all the modifiable flags that a creator sets.
Psbt version_2_of(const chain::Transaction& transaction) {
    PsbtMap global;
    const auto u32 = [](std::uint32_t value) { return chain::ByteWriter{}.u32(value).take(); };
    const auto count = [](std::size_t value) {
        return chain::ByteWriter{}.compact_size(value).take();
    };
    global.set(psbt_global::kTransactionVersion, u32(2));
    global.set(psbt_global::kInputCount, count(transaction.inputs.size()));
    global.set(psbt_global::kOutputCount, count(transaction.outputs.size()));
    global.set(psbt_global::kModifiable, {3});
    global.set(psbt_global::kVersion, u32(2));
    std::vector<PsbtMap> inputs;
    for (const chain::TxInput& input : transaction.inputs) {
        PsbtMap& map = inputs.emplace_back();
        map.set(psbt_input::kPreviousTxid,
                chain::ByteWriter{}.bytes(input.prevout.txid.view()).take());
        map.set(psbt_input::kOutputIndex, u32(input.prevout.index));
        map.set(psbt_input::kSequence, u32(input.sequence));
    }
    std::vector<PsbtMap> outputs;
    for (const chain::TxOutput& output : transaction.outputs) {
        PsbtMap& map = outputs.emplace_back();
        map.set(psbt_output::kAmount, chain::ByteWriter{}.i64(output.value).take());
        map.set(psbt_output::kScript, output.script_pubkey);
    }
    return Psbt::assemble(std::move(global), std::move(inputs), std::move(outputs)).value();
}

class PsbtBetweenWalletsOfType : public PsbtBetweenWallets,
                                 public testing::WithParamInterface<ScriptKind> {
protected:
    PsbtBetweenWalletsOfType() : PsbtBetweenWallets(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Types, PsbtBetweenWalletsOfType, testing::ValuesIn(kScriptKinds),
                         test::TypeName());

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
    EXPECT_TRUE(psbt.has_full_transaction(0));
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

TEST_F(PsbtBetweenWallets, IsNotSignedIfItContradictsTheWallet) {
    mine({pay(100'000)});
    const Payment payment = build(*wallet, 40'000);
    Psbt psbt = Psbt::of_transaction(payment.transaction);
    psbt.set_utxo(0, {99'999, payment.coins[0].output.script_pubkey}, true, {});
    EXPECT_EQ(fault_of(psbt), PsbtInputFault::contradicts_wallet);
}

// CVE-2020-14199: each round gives the right amount of one of two coins, and hides the other as
// final.
TEST_F(PsbtBetweenWallets, HidesNoAmountInAFinalInput) {
    mine({pay(100'000), pay(90'000, 1)});
    Payment payment = build(*wallet, 120'000);
    const Psbt honest = PsbtWallet(*wallet).create(payment);
    ASSERT_EQ(honest.inputs().size(), 2U);
    for (const std::size_t hidden : {0U, 1U}) {
        Psbt psbt = honest;
        psbt.input(hidden) = {};
        psbt.set_utxo(hidden, {0, payment.coins[hidden].output.script_pubkey}, true, {});
        psbt.input(hidden).set(psbt_input::kFinalScriptSig, {});
        ASSERT_TRUE(Psbt::parse(psbt.serialize()));
        EXPECT_EQ(fault_of(psbt), PsbtInputFault::contradicts_wallet) << hidden;
        const auto checked = PsbtWallet(*wallet).check(psbt, {});
        ASSERT_FALSE(checked);
        EXPECT_EQ(std::get<PsbtInputError>(checked.error()),
                  (PsbtInputError{hidden, PsbtInputFault::contradicts_wallet}));
    }
}

// The same attack with coins that the wallet has not seen yet.
TEST_F(PsbtBetweenWallets, TakesNoAmountOfAnUnknownFinalInputUnproven) {
    const chain::Transaction funding = pay(100'000);
    Psbt psbt =
        Psbt::of_transaction(test::spend({output_of(funding)}, {{1'000, foreign_script()}}));
    psbt.set_utxo(0, {0, funding.outputs[0].script_pubkey}, true, {});
    psbt.input(0).set(psbt_input::kFinalScriptSig, {});
    EXPECT_EQ(fault_of(psbt), PsbtInputFault::no_full_transaction);
}

TEST_F(PsbtBetweenWallets, ListsInputsWhoseAmountOnlyThePsbtStates) {
    mine({pay(100'000)});
    const chain::Transaction proven = test::spend({test::foreign_coin(7)}, {{5, foreign_script()}});
    Payment payment = build(*wallet, 40'000);
    payment.transaction.inputs.push_back({test::foreign_coin(1), {}, 0, {}});
    payment.transaction.inputs.push_back({output_of(proven), {}, 0, {}});
    Psbt psbt = Psbt::of_transaction(payment.transaction);
    psbt.set_utxo(1, {7'000, foreign_script()}, true, {});
    psbt.set_utxo(2, proven.outputs[0], true, proven);
    EXPECT_EQ(PsbtWallet(*wallet).unproven_inputs(psbt), (std::vector<std::size_t>{1}));
}

// An input that seems foreign may be the wallet's, because its script is only claimed by the PSBT.
TEST_P(PsbtBetweenWalletsOfType, IsSignedBesideUnprovenAmountsOnlyIfSignaturesCoverThem) {
    mine({pay(100'000)});
    Payment payment = build(*wallet, 40'000);
    payment.transaction.inputs.push_back({test::foreign_coin(1), {}, 0, {}});
    Psbt psbt = Psbt::of_transaction(payment.transaction);
    psbt.set_utxo(1, {7'000, foreign_script()}, true, {});
    const PsbtFlaw unproven = PsbtInputError{1, PsbtInputFault::unproven_fee};
    for (const std::uint32_t type : {0U, 1U, 3U, 0x81U}) {
        SCOPED_TRACE(type);
        const auto result = sign_psbt(psbt, {type});
        const bool covers = kind == ScriptKind::tr && type != 0x81;
        ASSERT_EQ(result.has_value(), covers);
        if (!covers) {
            EXPECT_EQ(result.error(), unproven);
        }
        EXPECT_TRUE(sign_psbt(psbt, {type, true}));
    }
    psbt.input(0).set(psbt_input::kFinalScriptSig, {});
    EXPECT_TRUE(sign_psbt(psbt)) << "nothing is left to be signed";
}

TEST_F(PsbtBetweenWallets, IsSignedOnlyAtInputsThatTheUserApproved) {
    mine({pay(100'000), pay(50'000, 3)});
    const Psbt psbt = PsbtWallet(*wallet).create(build(*wallet, 120'000));
    const auto signed_psbt = PsbtWallet(*wallet).sign(psbt, {1}, wallet->secret(""), {}, {});
    ASSERT_TRUE(signed_psbt);
    EXPECT_EQ(signed_psbt->inputs, (std::vector<std::size_t>{1}));
    EXPECT_FALSE(is_signed(signed_psbt->psbt.inputs()[0]));
}

// The recipients of the signed PSBT must not learn which outputs are the signer's.
TEST_F(PsbtBetweenWallets, RevealsNoOutputsAndKeysWhenSigned) {
    mine({pay(100'000)});
    const Payment payment = build(*wallet, 40'000);
    auto signed_psbt = sign_psbt(Psbt::of_transaction(payment.transaction));
    ASSERT_TRUE(signed_psbt);
    for (const PsbtMap& output : signed_psbt->psbt.outputs()) EXPECT_TRUE(output.records().empty());
    EXPECT_FALSE(signed_psbt->psbt.inputs()[0].has(psbt_input::kDerivation));
    EXPECT_TRUE(is_complete(signed_psbt->psbt)) << "it has everything that finalising needs";
}

// The watched address may be a stranger's: the wallet does not have its keys.
TEST_F(PsbtBetweenWallets, OwnsNothingThatItOnlyWatches) {
    const auto watched = foreign_script(9);
    const std::vector<std::string> texts{address_of(watched, regtest_params())};
    const auto parsed = parse_new_descriptors(texts, regtest_params()).value().descriptors;
    ASSERT_TRUE(wallet->import(parsed, {{}, {}, wallet->sync_state().synced}));
    const chain::Transaction funding = test::spend({test::foreign_coin(7)}, {{30'000, watched}});
    mine({pay(100'000), funding});
    Payment payment = build(*wallet, 40'000);
    payment.transaction.outputs[1 - *payment.change_index].script_pubkey = watched;
    payment.transaction.inputs.push_back({output_of(funding), {}, 0, {}});
    const Psbt psbt = Psbt::of_transaction(payment.transaction);
    const PsbtWallet own(*wallet);
    EXPECT_TRUE(own.own_output(psbt, *payment.change_index));
    EXPECT_FALSE(own.own_output(psbt, 1 - *payment.change_index));
    EXPECT_TRUE(own.watches(watched));
    EXPECT_TRUE(own.own_input(psbt, 0));
    EXPECT_FALSE(own.own_input(psbt, 1));
    EXPECT_TRUE(own.known_utxo(psbt, 1)) << "although its amount is known";
    EXPECT_TRUE(own.unproven_inputs(psbt).empty());
    EXPECT_EQ(sign_psbt(psbt)->inputs, (std::vector<std::size_t>{0}));
}

TEST_F(PsbtBetweenWallets, OfVersion2IsNoLongerModifiableOnceSigned) {
    mine({pay(100'000)});
    const Payment payment = build(*wallet, 40'000);
    struct Row {
        std::optional<std::uint32_t> type;
        chain::Byte flags;
    };
    const std::vector<Row> rows{{{}, 0}, {2U, 2}, {3U, 4}, {0x81U, 1}, {0x82U, 3}, {0x83U, 5}};
    for (const Row& row : rows) {
        const Psbt psbt = version_2_of(payment.transaction);
        const auto result = PsbtWallet(*wallet).sign(psbt, {0}, wallet->secret(""), {row.type}, {});
        ASSERT_TRUE(result) << describe(result.error());
        EXPECT_EQ(*result->psbt.global().find(psbt_global::kModifiable), chain::Bytes{row.flags})
            << row.type.value_or(0);
    }
}

// The wallet has not seen the coin yet. Only its script shows that it is the wallet's.
TEST_F(PsbtBetweenWallets, OfAnUnknownCoinIsSignedOnlyWithItsFullTransaction) {
    const chain::Transaction funding = pay(100'000);
    chain::Transaction transaction = test::spend({output_of(funding)}, {{1'000, foreign_script()}});
    Psbt psbt = Psbt::of_transaction(transaction);
    EXPECT_TRUE(sign_psbt(psbt)->inputs.empty()) << "nothing shows that the coin is the wallet's";
    psbt.set_utxo(0, funding.outputs[0], true, {});
    EXPECT_EQ(fault_of(psbt), PsbtInputFault::no_full_transaction);
    psbt.set_utxo(0, funding.outputs[0], true, funding);
    EXPECT_EQ(sign_psbt(psbt)->inputs.size(), 1U);
}

// A taproot signature covers the amounts of all inputs, so it is invalid if one of them is wrong.
class PsbtBetweenTaprootWallets : public PsbtBetweenWallets {
protected:
    PsbtBetweenTaprootWallets() : PsbtBetweenWallets(ScriptKind::tr) {}
};

TEST_F(PsbtBetweenTaprootWallets, OfAnUnknownCoinIsSignedWithoutItsFullTransaction) {
    const chain::Transaction funding = pay(100'000);
    Psbt psbt =
        Psbt::of_transaction(test::spend({output_of(funding)}, {{1'000, foreign_script()}}));
    psbt.set_utxo(0, funding.outputs[0], true, {});
    EXPECT_EQ(sign_psbt(psbt)->inputs.size(), 1U);
}

TEST_F(PsbtBetweenWallets, IsUpdatedExceptForFinalInputs) {
    mine({pay(100'000)});
    PsbtWallet own(*wallet);
    Psbt psbt = sign_psbt(own.create(build(*wallet, 40'000)))->psbt;
    EXPECT_TRUE(finalize(psbt).empty());
    EXPECT_TRUE(own.update(psbt).inputs()[0].all(psbt_input::kDerivation).empty());
}

TEST_F(PsbtBetweenWallets, HasOwnOutputsByTheWalletsScriptsAlone) {
    mine({pay(100'000)});
    const Payment payment = build(*wallet, 40'000);
    PsbtWallet own(*wallet);
    Psbt psbt = own.create(payment);
    const std::size_t change = payment.change_index.value();
    psbt.output(1 - change) = psbt.outputs()[change];  // it claims the wallet's key
    ASSERT_TRUE(Psbt::parse(psbt.serialize()));
    EXPECT_TRUE(own.own_output(psbt, change));
    EXPECT_FALSE(own.own_output(psbt, 1 - change));
}

TEST_F(PsbtBetweenWallets, LeavesForeignInputsAlone) {
    mine({pay(100'000)});
    Payment payment = build(*wallet, 40'000);
    payment.transaction.inputs.push_back({test::foreign_coin(1), {}, 0, {}});
    const auto signed_psbt = sign_psbt(Psbt::of_transaction(payment.transaction), {{}, true});
    ASSERT_TRUE(signed_psbt);
    EXPECT_EQ(signed_psbt->inputs, (std::vector<std::size_t>{0}));
    EXPECT_TRUE(signed_psbt->psbt.inputs()[1].records().empty());
}

TEST_F(PsbtBetweenWallets, WithAnInvalidTransactionIsNotSigned) {
    mine({pay(100'000)});
    Payment payment = build(*wallet, 40'000);
    payment.transaction.inputs.push_back(payment.transaction.inputs[0]);
    const auto result = sign_psbt(Psbt::of_transaction(payment.transaction));
    ASSERT_FALSE(result);
    EXPECT_EQ(std::get<chain::TransactionFlaw>(result.error()),
              chain::TransactionFlaw::repeated_input);
}

TEST(PsbtOfVersion2, IsNeitherJoinedNorCombinedToAnotherLockTime) {
    const Psbt psbt = version_2_of(
        test::spend({test::foreign_coin(1), test::foreign_coin(2)}, {{1'000, foreign_script()}}));
    EXPECT_EQ(join(std::vector{psbt}, psbt_wallet_bits()).error(),
              (CombineError{0, CombineFault::wrong_version}));
    // If both inputs allow a height, the lock time is the height (BIP370).
    const auto with_height_of = [&](std::size_t input) {
        const auto u32 = [](std::uint32_t value) { return chain::ByteWriter{}.u32(value).take(); };
        std::vector<PsbtMap> inputs = psbt.inputs();
        for (PsbtMap& each : inputs) each.set(psbt_input::kTimeLock, u32(1'600'000'000));
        inputs[input].set(psbt_input::kHeightLock, u32(100));
        return Psbt::assemble(psbt.global(), inputs, psbt.outputs()).value();
    };
    EXPECT_EQ(combine(std::vector{with_height_of(0), with_height_of(1)}).error(),
              (CombineError{1, CombineFault::other_transaction}));
}

TEST_F(PsbtBetweenWallets, SpendWhatIsWatchedAloneBeforeItsAccount) {
    mine({pay(100'000)});
    const auto key = account.derive(0)->derive(0)->key().compressed();
    for (const std::string& first :
         {wallet->address_at({KeyChain::receive, 0}), "wpkh(" + chain::to_hex(key) + ")"}) {
        auto watch = watching({first});
        const Psbt psbt = PsbtWallet(watch).create(build(watch, 30'000));
        const auto keys = derivations(psbt.inputs()[0], psbt_input::kDerivation);
        ASSERT_EQ(keys.size(), 1U) << first;
        EXPECT_EQ(keys[0].origin.path.size(), 5U) << "the path starts at the master key";
        const auto coin = psbt.transaction().inputs[0].prevout;
        EXPECT_EQ(watch.spendable_coins(coin).coins.size(), 1U)
            << "the coin may be selected by name";
        EXPECT_TRUE(sign_psbt(psbt));
        std::filesystem::remove(folder.path() / "watch-only");
    }
}

TEST_F(PsbtBetweenWallets, WatchOnlyWalletOfAnAddressSpendsNothing) {
    const chain::Transaction funding = pay(100'000);
    mine({funding});
    const std::vector<std::string> texts{wallet->address_at({KeyChain::receive, 0})};
    const auto descriptors = parse_new_descriptors(texts, regtest_params()).value().descriptors;
    const auto watch =
        Wallet::watch(folder.path() / "watch-only", regtest_params(), {descriptors, {}, {20, 50}});
    // The type of key behind an address is unknown, so the size of a spend cannot be estimated and
    // the coin is not offered.
    EXPECT_TRUE(watch.spendable_coins().coins.empty());
    EXPECT_EQ(test::error_of([&] { return watch.change_for({}).script_pubkey; }),
              WalletError::Kind::unknown_key);
}

}  // namespace
}  // namespace petal::wallet
