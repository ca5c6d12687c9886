// Signing, combining, joining, finalising, extracting and analysing PSBTs of every script type.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "tests/wallet/psbt/script_rows.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/psbt_signer.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {
namespace {

using chain::Bytes;

using test::kFee;
using test::kFunds;
using test::paying;
using test::psbt_key;
using test::psbt_of;
using test::public_key;
using test::row_named;
using test::script_rows;
using test::ScriptRow;
using test::sign_by;
using test::two_of_three;
using test::Utxo;

/// The only fault, of the first input.
PsbtInputFault fault_of_finalizing(Psbt& psbt) {
    const auto errors = finalize(psbt);
    EXPECT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors.at(0).input, 0U);
    return errors.at(0).fault;
}

class PsbtRoles : public testing::TestWithParam<ScriptRow> {};

INSTANTIATE_TEST_SUITE_P(Scripts, PsbtRoles, testing::ValuesIn(script_rows()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(PsbtRoles, LeadFromSignaturesToAValidTransaction) {
    const ScriptRow& row = GetParam();
    Psbt psbt = psbt_of(row);
    EXPECT_EQ(sign_by(psbt, 9).value(), false);
    EXPECT_EQ(analyze(psbt).next, PsbtRole::signer);
    EXPECT_EQ(analyze(psbt).inputs[0].signatures_needed, row.signatures);
    EXPECT_EQ(analyze(psbt).inputs[0].missing_signatures.size(), row.signatures == 1 ? 1U : 3U);
    EXPECT_EQ(analyze(psbt).fee, kFee);
    const auto estimated = analyze(psbt).virtual_size;
    ASSERT_TRUE(estimated);
    std::vector<Psbt> parts;
    for (chain::Byte number = 1; number <= row.signatures; ++number) {
        parts.push_back(psbt);
        EXPECT_EQ(sign_by(parts.back(), number).value(), true);
    }
    auto combined = combine(parts).value();
    EXPECT_EQ(analyze(combined).next, PsbtRole::finalizer);
    EXPECT_EQ(std::get<PsbtInputError>(extract(combined).error()),
              (PsbtInputError{0, PsbtInputFault::incomplete}));
    EXPECT_TRUE(finalize(combined).empty());
    EXPECT_EQ(analyze(combined).next, PsbtRole::extractor);
    const auto transaction = extract(Psbt::parse(combined.serialize()).value());
    ASSERT_TRUE(transaction);
    EXPECT_EQ(transaction->txid().to_hex().size(), 64U);
    EXPECT_LE(transaction->virtual_size(), *estimated);
    EXPECT_GE(transaction->virtual_size() + 3, *estimated);
}

TEST_P(PsbtRoles, FinalizeNothingWithoutAllSignatures) {
    Psbt psbt = psbt_of(GetParam());
    for (chain::Byte number = 1; number < GetParam().signatures; ++number) {
        EXPECT_TRUE(sign_by(psbt, number).value());
    }
    const Bytes before = psbt.serialize();
    EXPECT_EQ(finalize(psbt), (std::vector{PsbtInputError{0, PsbtInputFault::incomplete}}));
    EXPECT_EQ(psbt.serialize(), before);
}

TEST_P(PsbtRoles, FinalizeNoSignatureOfAnotherTransaction) {
    Psbt other = psbt_of(GetParam());
    chain::Transaction transaction = other.transaction();
    ++transaction.outputs[0].value;
    Psbt psbt = Psbt::of_transaction(transaction);
    for (chain::Byte number = 1; number <= GetParam().signatures; ++number) {
        EXPECT_TRUE(sign_by(other, number).value());
    }
    psbt.input(0).merge(other.inputs()[0]);
    psbt = Psbt::parse(psbt.serialize()).value();
    EXPECT_EQ(fault_of_finalizing(psbt), PsbtInputFault::wrong_signature);
}

TEST_P(PsbtRoles, SignNoUnprovenAmount) {
    Psbt psbt = psbt_of(GetParam(), Utxo::witness);
    const auto added = sign_by(psbt, 1);
    if (!GetParam().needs_proof) {
        EXPECT_TRUE(added.value());
        return;
    }
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error(), PsbtInputFault::no_full_transaction);
    EXPECT_FALSE(is_signed(psbt.inputs()[0]));
    EXPECT_TRUE(sign_by(psbt, 1, {}, *psbt.utxo(0)).value()) << "the wallet knows the amount";
}

TEST_P(PsbtRoles, SignNothingThatContradictsTheWallet) {
    Psbt psbt = psbt_of(GetParam(), Utxo::witness);
    chain::TxOutput known = *psbt.utxo(0);
    --known.value;
    EXPECT_EQ(sign_by(psbt, 1, {}, known).error(), PsbtInputFault::contradicts_wallet);
    EXPECT_FALSE(is_signed(psbt.inputs()[0]));
}

TEST_P(PsbtRoles, SignOtherHashTypesOnlyIfAsked) {
    for (const std::uint32_t type : {2U, 3U, 0x81U, 0x83U}) {
        Psbt psbt = psbt_of(GetParam());
        psbt.input(0).set(psbt_input::kHashType, chain::ByteWriter{}.u32(type).take());
        EXPECT_EQ(sign_by(psbt, 1).error(), PsbtInputFault::hash_type_not_asked) << type;
        EXPECT_EQ(sign_by(psbt, 1, 1).error(), PsbtInputFault::hash_type_not_asked) << type;
        EXPECT_FALSE(is_signed(psbt.inputs()[0]));
        for (chain::Byte number = 1; number <= GetParam().signatures; ++number) {
            EXPECT_TRUE(sign_by(psbt, number, type).value()) << type;
        }
        EXPECT_TRUE(finalize(psbt).empty()) << type;
        EXPECT_TRUE(extract(psbt)) << type;
    }
}

TEST_P(PsbtRoles, FinalizeNoSignatureOfAnotherTypeThanDemanded) {
    Psbt psbt = psbt_of(GetParam());
    for (chain::Byte number = 1; number <= GetParam().signatures; ++number) {
        EXPECT_TRUE(sign_by(psbt, number, 2).value());
    }
    psbt.input(0).set(psbt_input::kHashType, chain::ByteWriter{}.u32(1).take());
    EXPECT_EQ(fault_of_finalizing(psbt), PsbtInputFault::wrong_hash_type);
}

TEST(PsbtSigning, RefusesSighashSingleWithoutAMatchingOutput) {
    const auto row = row_named("P2pkh");
    chain::Transaction transaction;
    for (std::uint32_t i = 0; i < 2; ++i) {
        transaction.inputs.push_back({{paying(row.script_pubkey, i).txid(), 0}, {}, 0, {}});
    }
    transaction.outputs.push_back({1'000, Bytes(22, 0x51)});
    Psbt psbt = Psbt::of_transaction(transaction);
    for (std::uint32_t i = 0; i < 2; ++i) {
        const auto full = paying(row.script_pubkey, i);
        psbt.set_utxo(i, full.outputs[0], false, full);
    }
    PsbtSigner signer(psbt, 3, {});
    EXPECT_TRUE(signer.sign(0, psbt_key(1), {}).value());
    EXPECT_EQ(signer.sign(1, psbt_key(1), {}).error(), PsbtInputFault::no_matching_output);
}

TEST(PsbtSigning, RefusesScriptsThatTheOutputDoesNotCommitTo) {
    for (const char* const name : {"P2shP2wpkh", "P2shMultisig"}) {
        Psbt psbt = psbt_of(row_named(name));
        psbt.input(0).set(psbt_input::kRedeemScript, two_of_three());
        if (std::string(name) == "P2shMultisig") {
            psbt.input(0).set(psbt_input::kRedeemScript, Bytes{0x51});
        }
        EXPECT_EQ(sign_by(psbt, 1).error(), PsbtInputFault::wrong_redeem_script);
    }
    Psbt psbt = psbt_of(row_named("P2wshMultisig"));
    psbt.input(0).set(psbt_input::kWitnessScript, Bytes{0x51});
    EXPECT_EQ(sign_by(psbt, 1).error(), PsbtInputFault::wrong_witness_script);
    psbt.input(0).keep_if(
        [](const PsbtRecord& record) { return record.type() != psbt_input::kWitnessScript; });
    EXPECT_EQ(sign_by(psbt, 1).error(), PsbtInputFault::no_witness_script);
    EXPECT_EQ(analyze(psbt).next, PsbtRole::updater);
}

TEST(PsbtSigning, OfTaprootNeedsToKnowWhatAllInputsSpend) {
    const auto row = row_named("P2tr");
    chain::Transaction transaction;
    for (std::uint32_t i = 0; i < 2; ++i) {
        transaction.inputs.push_back({{paying(row.script_pubkey, i).txid(), 0}, {}, 0, {}});
    }
    transaction.outputs.push_back({1'000, Bytes(22, 0x51)});
    Psbt psbt = Psbt::of_transaction(transaction);
    psbt.set_utxo(0, {kFunds, row.script_pubkey}, true, {});
    EXPECT_EQ(sign_by(psbt, 1).error(), PsbtInputFault::unknown_outputs);
    EXPECT_TRUE(sign_by(psbt, 1, 0x81).value()) << "the signature covers only its own input";
    psbt.set_utxo(1, {kFunds, row.script_pubkey}, true, {});
    psbt.input(0).keep_if(
        [](const PsbtRecord& record) { return record.type() == psbt_input::kWitnessUtxo; });
    EXPECT_TRUE(sign_by(psbt, 1).value());
    EXPECT_EQ(psbt.inputs()[0].find(psbt_input::kTaprootKeySignature)->size(), 64U);
}

TEST(PsbtCombining, RefusesOtherTransactionsAndContradictions) {
    const auto row = row_named("P2wpkh");
    const Psbt psbt = psbt_of(row, Utxo::witness);
    const Psbt other = psbt_of(row, Utxo::witness, 1);
    EXPECT_EQ(combine(std::vector{psbt, psbt, other}).error(),
              (CombineError{2, CombineFault::other_transaction}));
    Psbt contradicting = psbt;
    contradicting.set_utxo(0, {kFunds + 1, row.script_pubkey}, true, {});
    EXPECT_EQ(combine(std::vector{psbt, contradicting}).error(),
              (CombineError{1, CombineFault::contradicting_utxo}));
    const auto same = combine(std::vector{psbt, psbt});
    ASSERT_TRUE(same);
    EXPECT_EQ(same->serialize(), psbt.serialize());
}

TEST(PsbtCombining, RefusesAResultThatIsTooLargeToRead) {
    Psbt psbt = psbt_of(row_named("P2wpkh"), Utxo::witness);
    std::vector<Psbt> parts(2, psbt);
    for (chain::Byte i = 0; i < 2; ++i) {
        parts[i].input(0).set(psbt_input::kProprietary, Bytes{1, 'x', 0, i},
                              Bytes(kMaxPsbtBytes / 2 + 1, 0));
        ASSERT_TRUE(Psbt::parse(parts[i].serialize()));
    }
    EXPECT_EQ(combine(parts).error(), (CombineError{1, CombineFault::too_large}));
}

TEST(PsbtFinalizing, UsesNoMoreSignaturesThanTheScriptNeeds) {
    Psbt psbt = psbt_of(row_named("P2wshMultisig"));
    for (chain::Byte number = 1; number <= 3; ++number) EXPECT_TRUE(sign_by(psbt, number).value());
    EXPECT_TRUE(finalize(psbt).empty());
    EXPECT_TRUE(extract(psbt));
}

TEST(PsbtFinalizing, StopsAtTheFirstWrongSignature) {
    const auto row = row_named("P2wpkh");
    chain::Transaction transaction;
    for (std::uint32_t i = 0; i < 2; ++i) transaction.inputs.push_back({{{}, i}, {}, 0, {}});
    transaction.outputs.push_back({1'000, Bytes(22, 0x51)});
    Psbt psbt = Psbt::of_transaction(transaction);
    Psbt other = psbt_of(row);
    EXPECT_TRUE(sign_by(other, 1).value());
    for (std::size_t i = 0; i < 2; ++i) {
        psbt.set_utxo(i, {kFunds, row.script_pubkey}, true, {});
        const PsbtRecord* signature = other.inputs()[0].all(psbt_input::kPartialSignature).at(0);
        psbt.input(i).set(psbt_input::kPartialSignature, signature->key_data(), signature->value);
    }
    EXPECT_FALSE(is_complete(psbt));
    EXPECT_EQ(fault_of_finalizing(psbt), PsbtInputFault::wrong_signature);
}

// Another signer may have added signatures like these.
TEST(PsbtSigning, ReplacesInvalidSignaturesOfItsKeyAndOtherTypes) {
    const auto row = row_named("P2wpkh");
    const Bytes key = public_key(1);
    const auto signature_of = [&](const Psbt& psbt) {
        return *psbt.inputs()[0].find(psbt_input::kPartialSignature, key);
    };
    Psbt of_other = psbt_of(row, Utxo::full, 1);
    EXPECT_TRUE(sign_by(of_other, 1).value());
    Psbt open = psbt_of(row);
    EXPECT_TRUE(sign_by(open, 1, chain::kSighashNone).value());
    for (const Bytes& there : {signature_of(of_other), signature_of(open)}) {
        Psbt psbt = psbt_of(row);
        psbt.input(0).set(psbt_input::kPartialSignature, key, there);
        EXPECT_TRUE(sign_by(psbt, 1).value());
        EXPECT_EQ(signature_of(psbt).back(), chain::kSighashAll);
        EXPECT_TRUE(is_complete(psbt));
    }
}

TEST(PsbtSigning, LeavesFinalInputsAlone) {
    for (const char* const name : {"P2wpkh", "P2tr"}) {
        Psbt psbt = psbt_of(row_named(name));
        EXPECT_TRUE(sign_by(psbt, 1).value());
        EXPECT_TRUE(finalize(psbt).empty());
        const Bytes before = psbt.serialize();
        EXPECT_FALSE(sign_by(psbt, 1).value());
        EXPECT_EQ(psbt.serialize(), before);
    }
}

TEST_P(PsbtRoles, NameTheHashTypeUnlessItIsTheDefault) {
    for (const std::uint32_t type : {2U, 0x81U}) {
        Psbt psbt = psbt_of(GetParam());
        EXPECT_TRUE(sign_by(psbt, 1, type).value());
        EXPECT_EQ(hash_type_of(psbt.inputs()[0]), type);
    }
    Psbt psbt = psbt_of(GetParam());
    EXPECT_TRUE(sign_by(psbt, 1).value());
    EXPECT_FALSE(hash_type_of(psbt.inputs()[0]));
}

TEST(PsbtSigning, OfTaprootAcceptsSighashAllByDefault) {
    Psbt psbt = psbt_of(row_named("P2tr"));
    psbt.input(0).set(psbt_input::kHashType, chain::ByteWriter{}.u32(chain::kSighashAll).take());
    EXPECT_TRUE(sign_by(psbt, 1).value());
    EXPECT_EQ(psbt.inputs()[0].find(psbt_input::kTaprootKeySignature)->back(), chain::kSighashAll);
    EXPECT_TRUE(is_complete(psbt));
}

TEST(PsbtSigning, OfATaprootKeyIgnoresAFalseMerkleRoot) {
    Psbt psbt = psbt_of(row_named("P2tr"));
    psbt.input(0).set(psbt_input::kTaprootMerkleRoot, Bytes(32, 7));
    EXPECT_TRUE(sign_by(psbt, 1).value());
    EXPECT_TRUE(is_complete(psbt));
}

TEST(PsbtCombining, KeepsNoSigningDataOfFinalInputs) {
    Psbt psbt = psbt_of(row_named("P2wpkh"));
    EXPECT_TRUE(sign_by(psbt, 1).value());
    Psbt finished = psbt;
    EXPECT_TRUE(finalize(finished).empty());
    const auto combined = combine(std::vector{psbt, finished});
    ASSERT_TRUE(combined);
    EXPECT_EQ(combined->serialize(), finished.serialize());
}

RandomBits fixed_psbt_bits() {
    return [number = std::uint64_t{0}]() mutable { return number += 0x9e37'79b9'7f4a'7c15; };
}

TEST(PsbtJoining, HasAllInputsAndOutputsWithTheirRecords) {
    const Psbt a = psbt_of(row_named("P2wpkh"));
    const Psbt b = psbt_of(row_named("P2shMultisig"));
    const auto joined = join(std::vector{a, b}, fixed_psbt_bits());
    ASSERT_TRUE(joined);
    ASSERT_EQ(joined->inputs().size(), 2U);
    EXPECT_EQ(joined->outputs().size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& prevout = joined->transaction().inputs[i].prevout;
        const Psbt& source = prevout == a.transaction().inputs[0].prevout ? a : b;
        EXPECT_EQ(joined->inputs()[i].records(), source.inputs()[0].records());
    }
    EXPECT_EQ(fee_of(*joined), 2 * kFee);
}

TEST(PsbtJoining, RefusesCommonInputsAndSignedOnes) {
    const Psbt psbt = psbt_of(row_named("P2wpkh"));
    EXPECT_EQ(join(std::vector{psbt, psbt}, fixed_psbt_bits()).error(),
              (CombineError{1, CombineFault::repeated_input}));
    Psbt other = psbt_of(row_named("P2wpkh"), Utxo::full, 1);
    EXPECT_TRUE(join(std::vector{psbt, other}, fixed_psbt_bits()));
    EXPECT_TRUE(sign_by(other, 1).value());
    EXPECT_EQ(join(std::vector{psbt, other}, fixed_psbt_bits()).error(),
              (CombineError{1, CombineFault::signed_already}));
}

}  // namespace
}  // namespace petal::wallet
