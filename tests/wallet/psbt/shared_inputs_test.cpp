// Wallets sign multisig scripts that only the PSBT describes, and recognise the change.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/cosigners.h"
#include "tests/support/temporary_folder.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/keys/base58.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/named_keys.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt_wallet.h"

namespace petal::wallet {
namespace {

using test::foreign_coin;
using test::foreign_script;
using test::regtest_params;
using test::spend;

constexpr chain::Satoshis kCoin = 100'000;
constexpr chain::Satoshis kAmount = 120'000;

/// Two wallets with words, a third owner, and a wallet that watches the multisig of the three.
class SharedInputsOf : public testing::TestWithParam<const char*> {
protected:
    SharedInputsOf()
        : first(make("first", 1)),
          second(make("second", 2)),
          third(make("third", 3)),
          watch(watching(multisig({&first, &second, &third}))) {
        const chain::Bytes script = watch.script_at({KeyChain::receive, 0});
        const auto& block =
            chain.mine({spend({foreign_coin(1)}, {{kCoin, script}, {kCoin, script}})});
        chain::SyncState state;
        state.synced = block.block;
        static_cast<void>(watch.apply({&block, 1}, state));
    }

    Wallet make(const std::string& name, chain::Byte number) const {
        NewWallet made = test::new_wallet();
        const Mnemonic words = Mnemonic::from_entropy(chain::Bytes(16, number));
        made.mnemonic.assign(words.words().begin(), words.words().end());
        return Wallet::create(folder.path() / name, regtest_params(), made);
    }
    static std::string key_of(const Wallet& wallet) {
        const auto path = parse_master_path("m/48h/1h/0h/2h");
        return wallet.key_expression(*path, wallet.secret("")).value();
    }
    static std::string multisig(const std::vector<const Wallet*>& owners,
                                std::string form = GetParam()) {
        std::string keys;
        for (const Wallet* owner : owners) keys += ',' + key_of(*owner) + "/<0;1>/*";
        return form.replace(form.find(",KEYS"), 5, keys);
    }
    static std::vector<NewDescriptor> parse(const std::string& text) {
        return parse_new_descriptors(std::vector{text}, regtest_params()).value().descriptors;
    }
    Wallet watching(const std::string& text) const {
        return Wallet::watch(folder.path() / "watch", regtest_params(),
                             {parse(text), {}, {20, 50}});
    }

    Psbt create() {
        PaymentRequest request;
        request.recipients = {{foreign_script(), kAmount}};
        request.change = watch.change_for(request.recipients);
        const RandomBits bits = [number = std::uint64_t{0}]() mutable {
            return number += 0x9e37'79b9'7f4a'7c15;
        };
        const Payment payment = build_payment(request, watch.spendable_coins().coins, bits).value();
        EXPECT_EQ(payment.coins.size(), 2U);
        change = payment.change_index.value();
        return PsbtWallet(watch).create(payment);
    }
    static SharedInputs shared(const Wallet& wallet, const Psbt& psbt) {
        return PsbtWallet(wallet).shared_inputs(psbt, wallet.secret(""));
    }
    static Psbt signed_by(const Wallet& wallet, const Psbt& psbt) {
        const auto inputs = shared(wallet, psbt).inputs;
        auto result = PsbtWallet(wallet).sign(psbt, inputs, wallet.secret(""), {}, {});
        EXPECT_TRUE(result) << describe(result.error());
        EXPECT_EQ(result->inputs, inputs);
        return std::move(result->psbt);
    }
    static Psbt with_global(const Psbt& psbt, const std::function<void(PsbtMap&)>& edit) {
        PsbtMap global = psbt.global();
        edit(global);
        return Psbt::assemble(global, psbt.inputs(), psbt.outputs()).value();
    }
    static void drop_extended_keys(PsbtMap& global) {
        global.keep_if(
            [](const PsbtRecord& record) { return record.type() != psbt_global::kXpub; });
    }

    const test::TemporaryFolder folder;
    Wallet first;
    Wallet second;
    Wallet third;
    Wallet watch;
    test::SceneChain chain;
    std::size_t change = 0;
    const std::vector<std::size_t> both{0, 1};
};

INSTANTIATE_TEST_SUITE_P(Forms, SharedInputsOf,
                         testing::Values("multi(2,KEYS)", "sh(multi(2,KEYS))",
                                         "wsh(sortedmulti(2,KEYS))",
                                         "sh(wsh(sortedmulti(2,KEYS)))"),
                         [](const auto& tested) { return test::form_name(tested.param); });

TEST_P(SharedInputsOf, AreSignedByTwoOfThreeWallets) {
    const Psbt created = create();
    for (const Wallet* signer : {&first, &second, &third}) {
        EXPECT_FALSE(PsbtWallet(*signer).own_input(created, 0));
        EXPECT_EQ(PsbtWallet(*signer).claimed_inputs(created), both);
        EXPECT_EQ(shared(*signer, created).inputs, both);
        EXPECT_EQ(shared(*signer, created).change, std::vector{change});
    }
    const std::array parts{signed_by(first, created), signed_by(third, created)};
    Psbt combined = combine(parts).value();
    ASSERT_TRUE(finalize(combined).empty());
    EXPECT_FALSE(watch.flaw_of(extract(combined).value()));
    EXPECT_TRUE(shared(second, combined).inputs.empty()) << "nothing is left to sign";
}

TEST_P(SharedInputsOf, AreNotSignedForAKeyThatTheSecretDoesNotHave) {
    Psbt psbt = create();
    const Wallet stranger = make("stranger", 9);
    EXPECT_TRUE(PsbtWallet(stranger).claimed_inputs(psbt).empty());
    // Whoever writes the PSBT can state any fingerprint.
    const auto named = derivations(psbt.inputs()[0], psbt_input::kDerivation);
    for (const KeyDerivation& key : named) {
        KeyOrigin origin = key.origin;
        const auto fingerprint = chain::from_hex(stranger.info().fingerprint).value();
        std::ranges::copy(fingerprint, origin.fingerprint.begin());
        psbt.input(0).set(psbt_input::kDerivation, key.public_key, written_origin(origin));
    }
    EXPECT_EQ(PsbtWallet(stranger).claimed_inputs(psbt), std::vector<std::size_t>{0});
    EXPECT_TRUE(shared(stranger, psbt).inputs.empty());
    const auto unchanged = PsbtWallet(stranger).sign(psbt, both, stranger.secret(""), {}, {});
    EXPECT_TRUE(unchanged && unchanged->inputs.empty());
    EXPECT_EQ(shared(first, psbt).inputs, std::vector<std::size_t>{1}) << "the other input";
}

TEST_P(SharedInputsOf, RequireTheFullTransactionOrTaproot) {
    Psbt psbt = create();
    const chain::TxOutput spent = psbt.utxo(0).value();
    for (const std::size_t input : both) {
        psbt.input(input).keep_if(
            [](const PsbtRecord& record) { return record.type() != psbt_input::kFullTransaction; });
        psbt.set_utxo(input, spent, true, std::nullopt);
    }
    const Psbt unproven = Psbt::assemble(psbt.global(), psbt.inputs(), psbt.outputs()).value();
    const auto checked = PsbtWallet(first).check(unproven, {}, both);
    ASSERT_FALSE(checked);
    EXPECT_EQ(std::get<PsbtInputError>(checked.error()).fault, PsbtInputFault::no_full_transaction);
    const auto result = PsbtWallet(first).sign(unproven, both, first.secret(""), {}, {});
    EXPECT_FALSE(result);
}

/// The change of `psbt` becomes that of another multisig descriptor, of which the PSBT states all
/// keys; the key of `thief` under the origin of `robbed`.
class ForgedChange : public SharedInputsOf {
protected:
    Psbt forge(const Psbt& psbt, const std::string& descriptor, const Wallet& thief,
               const Wallet& robbed, std::uint32_t index = 0) const {
        const auto parsed = parse(descriptor);
        const Derivation derived =
            ScriptDeriver::create(parsed[1].descriptor)->derive(index).value();
        const DerivedScript& script = derived.scripts.front();
        chain::Transaction transaction = psbt.transaction();
        transaction.outputs[change].script_pubkey = script.script_pubkey;
        Psbt forged = Psbt::of_transaction(transaction);
        PsbtMap& output = forged.output(change);
        if (!script.redeem_script.empty()) {
            output.set(psbt_output::kRedeemScript, script.redeem_script);
        }
        if (!script.witness_script.empty()) {
            output.set(psbt_output::kWitnessScript, script.witness_script);
        }
        for (const DerivedKey& key : derived.keys) {
            KeyOrigin origin = key.origin;
            if (origin.fingerprint == fingerprint_of(thief)) {
                origin.fingerprint = fingerprint_of(robbed);
            }
            output.set(psbt_output::kDerivation, key.key.compressed(), written_origin(origin));
        }
        PsbtMap global = psbt.global();
        global.set(psbt_global::kUnsignedTransaction,
                   *forged.global().find(psbt_global::kUnsignedTransaction));
        return Psbt::assemble(global, psbt.inputs(), forged.outputs()).value();
    }
    static Fingerprint fingerprint_of(const Wallet& wallet) {
        Fingerprint result{};
        std::ranges::copy(chain::from_hex(wallet.info().fingerprint).value(), result.begin());
        return result;
    }
    /// The PSBT with the thief's extended key under the origin of `robbed`, too.
    static Psbt with_key_of(const Wallet& thief, const Wallet& robbed, const Psbt& psbt) {
        return with_global(psbt, [&](PsbtMap& global) {
            const std::string text = key_of(thief);
            const auto bytes = decode_base58check(text.substr(text.find(']') + 1), 78).value();
            const KeyOrigin origin{fingerprint_of(robbed), *parse_master_path("m/48h/1h/0h/2h")};
            global.set(psbt_global::kXpub, bytes, written_origin(origin));
        });
    }
};

INSTANTIATE_TEST_SUITE_P(Forms, ForgedChange,
                         testing::Values("multi(2,KEYS)", "wsh(sortedmulti(2,KEYS))",
                                         "sh(wsh(sortedmulti(2,KEYS)))"),
                         [](const auto& tested) { return test::form_name(tested.param); });

TEST_P(ForgedChange, IsAPayment) {
    const Wallet thief = make("thief", 7);
    const Psbt psbt = create();
    const std::string honest = multisig({&first, &second, &third});
    const std::string stolen = multisig({&first, &second, &thief});
    ASSERT_EQ(shared(first, forge(psbt, honest, thief, third)).change, std::vector{change});

    const Psbt forged = forge(psbt, stolen, thief, third);
    EXPECT_TRUE(shared(first, forged).change.empty());
    EXPECT_TRUE(shared(first, with_key_of(thief, third, forged)).change.empty())
        << "the inputs have no key of it";
    const std::string own = multisig({&first, &thief, &thief});
    EXPECT_TRUE(
        shared(first, with_key_of(thief, third, forge(psbt, own, thief, third))).change.empty());
}

TEST_P(ForgedChange, OfAnotherFormOrFarAwayIsAPayment) {
    const Psbt psbt = create();
    const std::string honest = multisig({&first, &second, &third});
    const auto change_at = [&](std::uint32_t index) {
        return shared(first, forge(psbt, honest, third, third, index)).change;
    };
    EXPECT_EQ(change_at(DescriptorProver::kMaxIndex), std::vector{change});
    EXPECT_TRUE(change_at(DescriptorProver::kMaxIndex + 1).empty());

    std::string one_of_three = honest;
    one_of_three.replace(one_of_three.find("(2,") + 1, 1, "1");
    EXPECT_TRUE(shared(first, forge(psbt, one_of_three, third, third)).change.empty());
    const std::string other_form = std::string(GetParam()).starts_with("wsh")
                                       ? "sh(sortedmulti(2,KEYS))"
                                       : "wsh(sortedmulti(2,KEYS))";
    const std::string moved = multisig({&first, &second, &third}, other_form);
    EXPECT_TRUE(shared(first, forge(psbt, moved, third, third)).change.empty());
    const std::string swapped = multisig({&second, &first, &third});
    const bool is_sorted = std::string(GetParam()).find("sorted") != std::string::npos;
    EXPECT_EQ(shared(first, forge(psbt, swapped, third, third)).change.empty(), !is_sorted)
        << "the wallets of the others would not find it";
}

TEST_P(ForgedChange, WithoutExtendedKeysIsKnownOnlyByAnImportedDescriptor) {
    const Psbt psbt = with_global(create(), drop_extended_keys);
    EXPECT_EQ(shared(first, psbt).inputs, both);
    EXPECT_TRUE(shared(first, psbt).change.empty());
    ASSERT_TRUE(first.import(parse(multisig({&first, &second, &third})),
                             {{}, {}, first.sync_state().synced}));
    EXPECT_EQ(shared(first, psbt).inputs, both);
    EXPECT_EQ(shared(first, psbt).change, std::vector{change});
}

// BIP174's signer: the wallet does not watch the account.
TEST(SharedInputs, SingleKeyOfAnotherAccountIsSignedAndItsChangeKnown) {
    const test::TemporaryFolder folder;
    for (const ScriptKind kind : kScriptKinds) {
        SCOPED_TRACE(describe(kind));
        const std::string name(describe(kind));
        NewWallet made = test::new_wallet(50, 20, {kind, 5});
        Wallet account = Wallet::create(folder.path() / (name + " 5"), regtest_params(), made);
        made.account.number = 0;
        const Wallet first = Wallet::create(folder.path() / name, regtest_params(), made);
        test::SceneChain chain;
        const auto& block = chain.mine(
            {spend({foreign_coin(1)}, {{kCoin, account.script_at({KeyChain::receive, 0})}})});
        chain::SyncState state;
        state.synced = block.block;
        static_cast<void>(account.apply({&block, 1}, state));
        PaymentRequest request;
        request.recipients = {{foreign_script(), 30'000}};
        request.change = account.change_for(request.recipients);
        const Payment payment = build_payment(request, account.spendable_coins().coins, [] {
                                    return std::uint64_t{7};
                                }).value();
        const Psbt psbt = PsbtWallet(account).create(payment);

        const SecretBytes secret = first.secret("");
        const auto shared = PsbtWallet(first).shared_inputs(psbt, secret);
        EXPECT_EQ(shared.inputs, std::vector<std::size_t>{0});
        EXPECT_EQ(shared.change, std::vector{payment.change_index.value()});
        auto result = PsbtWallet(first).sign(psbt, shared.inputs, secret, {}, {});
        ASSERT_TRUE(result) << describe(result.error());
        EXPECT_TRUE(finalize(result->psbt).empty());
        EXPECT_FALSE(account.flaw_of(extract(result->psbt).value()));
    }
}

TEST(KeyExpression, IsThatOfTheWordsAtAnyPath) {
    const test::TemporaryFolder folder;
    const Wallet wallet =
        Wallet::create(folder.path() / "words", regtest_params(), test::new_wallet());
    const auto text = [&](std::string_view path) {
        return wallet.key_expression(*parse_master_path(path), wallet.secret("")).value();
    };
    const std::string descriptor = wallet.info().descriptors[0];
    EXPECT_EQ("wpkh(" + text("m/84h/1h/0h") + "/0/*)", descriptor.substr(0, descriptor.find('#')));
    EXPECT_EQ(text("m/84'/1H/0h"), text("m/84h/1h/0h"));
    EXPECT_TRUE(text("m").starts_with('[' + wallet.info().fingerprint + "]tpub"));
}

TEST(MasterPath, IsReadAsWritten) {
    EXPECT_EQ(parse_master_path("m"), std::vector<std::uint32_t>{});
    EXPECT_EQ(
        parse_master_path("m/48h/1'/0H/2147483647"),
        (std::vector<std::uint32_t>{48 + kHardened, 1 + kHardened, kHardened, kHardened - 1}));
    std::string deepest = "m";
    for (int step = 0; step < 255; ++step) deepest += "/0";
    EXPECT_EQ(parse_master_path(deepest)->size(), 255U);
    for (const char* wrong : {"", "/", "m/", "m//1", "M/1", "48h/1h", "m/x", "m/1hh", "m/-1",
                              "m/2147483648", "m/4294967296", "m/1 ", "m/1/", "m/*"}) {
        EXPECT_FALSE(parse_master_path(wrong)) << wrong;
    }
    EXPECT_FALSE(parse_master_path(deepest + "/0"));
}

}  // namespace
}  // namespace petal::wallet
