// Wrong signatures in a PSBT: what analyzing, combining, finalizing and extracting make of them.
#include "wallet/psbt/psbt_verifier.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "chain/transaction.h"
#include "tests/wallet/psbt/script_rows.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using test::psbt_of;
using test::public_key;
using test::row_named;
using test::ScriptRow;
using test::sign_by;
using test::Utxo;

/// The PSBT with the signature of this key, which is of another transaction.
void sign_wrongly(Psbt& psbt, chain::Byte number, const ScriptRow& row) {
    Psbt other = psbt_of(row, Utxo::full, /*salt=*/1);
    ASSERT_TRUE(sign_by(other, number).value());
    for (const PsbtRecord& record : other.inputs()[0].records()) {
        const bool is_signature = record.type() == psbt_input::kPartialSignature ||
                                  record.type() == psbt_input::kTaprootKeySignature;
        if (is_signature) psbt.input(0).set(record.type(), record.key_data(), record.value);
    }
}

/// The final scripts of a PSBT, with one bit of their last signature changed.
void spoil_final_scripts(Psbt& psbt) {
    constexpr std::size_t kInSignature = 20;
    for (const chain::Byte type : {psbt_input::kFinalWitness, psbt_input::kFinalScriptSig}) {
        Bytes value = value_of(psbt.inputs()[0], type);
        if (value.empty()) continue;
        value.at(kInSignature) ^= 1;
        psbt.input(0).set(type, value);
        return;
    }
}

/// The name by which a wrong signature of key 1 is reported.
Bytes name_of_key(const ScriptRow& row) {
    if (row.needs_proof) return public_key(1);
    return {row.script_pubkey.begin() + 2, row.script_pubkey.end()};
}

class WrongSignatures : public testing::TestWithParam<ScriptRow> {};

INSTANTIATE_TEST_SUITE_P(Scripts, WrongSignatures, testing::ValuesIn(test::script_rows()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(WrongSignatures, AreNamedAndKeepTheInputWithItsSigners) {
    const ScriptRow& row = GetParam();
    Psbt psbt = psbt_of(row);
    sign_wrongly(psbt, 1, row);
    for (chain::Byte number = 2; number <= row.signatures; ++number) {
        EXPECT_TRUE(sign_by(psbt, number).value());
    }
    const PsbtInputError wrong{0, PsbtInputFault::wrong_signature, {name_of_key(row)}};
    EXPECT_EQ(find_wrong_signatures(psbt), std::vector{wrong});
    const PsbtAnalysis analysis = analyze(psbt);
    EXPECT_EQ(analysis.next, PsbtRole::signer);
    EXPECT_EQ(analysis.inputs[0].fault, PsbtInputFault::wrong_signature);
    EXPECT_EQ(analysis.inputs[0].wrong_signatures, wrong.keys);
    EXPECT_EQ(analysis.inputs[0].signatures_needed, 1U);
    EXPECT_FALSE(is_complete(psbt));
    const Bytes before = psbt.serialize();
    EXPECT_EQ(finalize(psbt), std::vector{wrong});
    EXPECT_EQ(psbt.serialize(), before);
    EXPECT_EQ(describe(wrong),
              "input 0: a signature is wrong (key " + chain::to_hex(name_of_key(row)) + ")");
    // Its signer replaces it.
    EXPECT_TRUE(sign_by(psbt, 1).value());
    EXPECT_EQ(analyze(psbt).next, PsbtRole::finalizer);
    EXPECT_TRUE(is_complete(psbt));
}

TEST_P(WrongSignatures, InFinalScriptsAreNotForTheExtractor) {
    Psbt psbt = psbt_of(GetParam());
    for (chain::Byte number = 1; number <= GetParam().signatures; ++number) {
        EXPECT_TRUE(sign_by(psbt, number).value());
    }
    ASSERT_TRUE(finalize(psbt).empty());
    EXPECT_TRUE(analyze(psbt).inputs[0].is_final);
    EXPECT_EQ(analyze(psbt).next, PsbtRole::extractor);
    Psbt without_utxo = psbt;
    without_utxo.input(0).keep_if([](const PsbtRecord& record) {
        return record.type() != psbt_input::kFullTransaction &&
               record.type() != psbt_input::kWitnessUtxo;
    });
    spoil_final_scripts(psbt);
    const PsbtAnalysis analysis = analyze(psbt);
    EXPECT_EQ(analysis.next, PsbtRole::updater);
    EXPECT_FALSE(analysis.inputs[0].is_final);
    EXPECT_EQ(analysis.inputs[0].fault, PsbtInputFault::wrong_final_scripts);
    EXPECT_FALSE(extract(psbt));
    // What it spends is not known, so nothing can be verified.
    const PsbtAnalysis unknown = analyze(Psbt::parse(without_utxo.serialize()).value());
    EXPECT_EQ(unknown.next, PsbtRole::updater);
    EXPECT_FALSE(unknown.inputs[0].is_final);
    EXPECT_EQ(unknown.inputs[0].fault, PsbtInputFault::no_utxo);
}

// Of two PSBTs with different signatures of one key, whichever comes first.
TEST_P(WrongSignatures, GiveWayToValidOnesWhenCombined) {
    const ScriptRow& row = GetParam();
    Psbt wrong = psbt_of(row);
    sign_wrongly(wrong, 1, row);
    Psbt valid = psbt_of(row);
    for (chain::Byte number = 1; number <= row.signatures; ++number) {
        EXPECT_TRUE(sign_by(valid, number).value());
    }
    Psbt final_one = valid;
    ASSERT_TRUE(finalize(final_one).empty());
    Psbt spoilt = final_one;
    spoil_final_scripts(spoilt);
    for (const auto& [a, b] :
         {std::pair{wrong, valid}, {spoilt, valid}, {spoilt, final_one}, {wrong, final_one}}) {
        EXPECT_TRUE(is_complete(combine(std::vector{a, b}).value()));
        EXPECT_TRUE(is_complete(combine(std::vector{b, a}).value()));
    }
    EXPECT_FALSE(is_complete(combine(std::vector{wrong, wrong}).value()));
    EXPECT_FALSE(is_complete(combine(std::vector{spoilt, spoilt}).value()));
}

class WrongMultisig : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Scripts, WrongMultisig,
                         testing::Values("BareMultisig", "P2shMultisig", "P2wshMultisig",
                                         "P2shP2wshMultisig"));

// Whichever of the three is wrong.
TEST_P(WrongMultisig, IsFinalWithTheTwoValidOfThreeSignatures) {
    const ScriptRow row = row_named(GetParam());
    for (chain::Byte bad = 1; bad <= 3; ++bad) {
        Psbt psbt = psbt_of(row);
        for (chain::Byte number = 1; number <= 3; ++number) {
            if (number == bad) {
                sign_wrongly(psbt, number, row);
            } else {
                EXPECT_TRUE(sign_by(psbt, number).value());
            }
        }
        const PsbtAnalysis analysis = analyze(psbt);
        EXPECT_EQ(analysis.next, PsbtRole::finalizer);
        EXPECT_EQ(analysis.inputs[0].wrong_signatures, std::vector<Bytes>{public_key(bad)});
        EXPECT_TRUE(finalize(psbt).empty()) << int{bad};
        EXPECT_TRUE(extract(psbt)) << int{bad};
    }
}

TEST_P(WrongMultisig, NamesEveryWrongKeyIfTheOthersDoNotSuffice) {
    const ScriptRow row = row_named(GetParam());
    Psbt psbt = psbt_of(row);
    sign_wrongly(psbt, 1, row);
    EXPECT_TRUE(sign_by(psbt, 2).value());
    sign_wrongly(psbt, 3, row);
    const auto errors = finalize(psbt);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].fault, PsbtInputFault::wrong_signature);
    EXPECT_EQ(errors[0].keys.size(), 2U);
    EXPECT_EQ(analyze(psbt).inputs[0].missing_signatures.size(), 2U);
    EXPECT_EQ(analyze(psbt).inputs[0].signatures_needed, 1U);
}

// The interpreter reads the uncompressed key, which segwit forbids, before it tries the first one.
TEST(PsbtVerifier, NoticesAScriptThatRefusesValidSignatures) {
    ScriptRow row = row_named("P2wshMultisig");
    const UncompressedKey other = test::psbt_key(2).public_key().uncompressed();
    Bytes script{0x52};
    for (const Bytes& key : {public_key(1), Bytes(other.begin(), other.end()), public_key(3)}) {
        const Bytes push = chain::push_data(key);
        script.insert(script.end(), push.begin(), push.end());
    }
    script.insert(script.end(), {0x53, 0xae});
    row.witness_script = script;
    row.script_pubkey = test::in_p2wsh(script);
    Psbt psbt = psbt_of(row);
    EXPECT_TRUE(sign_by(psbt, 1).value());
    EXPECT_TRUE(sign_by(psbt, 3).value());
    EXPECT_EQ(analyze(psbt).inputs[0].fault, PsbtInputFault::wrong_final_scripts);
    EXPECT_EQ(finalize(psbt).at(0).fault, PsbtInputFault::wrong_final_scripts);
    EXPECT_FALSE(is_complete(psbt));
}

TEST(PsbtVerifier, IgnoresSignaturesOfKeysThatTheScriptDoesNotHave) {
    const ScriptRow row = row_named("P2wpkh");
    Psbt psbt = psbt_of(row);
    EXPECT_TRUE(sign_by(psbt, 1).value());
    const Bytes value = *psbt.inputs()[0].find(psbt_input::kPartialSignature, public_key(1));
    psbt.input(0).set(psbt_input::kPartialSignature, public_key(2), value);
    EXPECT_TRUE(find_wrong_signatures(psbt).empty());
    EXPECT_EQ(analyze(psbt).next, PsbtRole::finalizer);
    EXPECT_TRUE(is_complete(psbt));
}

// No other input has a witness: it is not one that a peer left out.
TEST(PsbtVerifier, KnowsThatAFinalInputLacksItsWitness) {
    Psbt psbt = psbt_of(row_named("P2wpkh"));
    psbt.input(0).set(psbt_input::kFinalScriptSig, Bytes{});
    EXPECT_EQ(analyze(psbt).inputs[0].fault, PsbtInputFault::wrong_final_scripts);
    EXPECT_FALSE(extract(psbt));
}

TEST(PsbtVerifier, DoesNotVerifyATransactionThatIsTooLarge) {
    const ScriptRow row = row_named("P2wpkh");
    chain::Transaction transaction = psbt_of(row).transaction();
    constexpr std::size_t kInputs = 6'900;
    transaction.inputs.resize(kInputs, transaction.inputs[0]);
    Psbt large = Psbt::of_transaction(transaction);
    EXPECT_FALSE(is_too_large(large));
    EXPECT_EQ(analyze(large).inputs[0].fault, PsbtInputFault::no_utxo);
    transaction.inputs.resize(kInputs + 100, transaction.inputs[0]);
    large = Psbt::of_transaction(transaction);
    EXPECT_TRUE(is_too_large(large));
    EXPECT_EQ(analyze(large).inputs[0].fault, PsbtInputFault::too_large);
    EXPECT_TRUE(find_wrong_signatures(large).empty());
}

}  // namespace
}  // namespace petal::wallet
