// Which input of a transaction is reported if several are invalid.
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "tests/support/hex.h"
#include "tests/support/signing.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

// Three inputs with valid signatures: P2WPKH, P2PKH and P2TR.
struct ThreeSpends {
    Transaction transaction;
    std::vector<std::optional<TxOutput>> spent;

    ThreeSpends() {
        const Bytes key = test::private_key();
        std::vector<TxOutput> outputs;
        for (const ScriptType type : {ScriptType::p2wpkh, ScriptType::p2pkh, ScriptType::p2tr}) {
            const auto i = static_cast<std::uint8_t>(outputs.size());
            outputs.push_back({100'000, test::script_of(type, key)});
            transaction.inputs.push_back({{Txid{{std::uint8_t(i + 1)}}, i}, {}, 0xfffffffd, {}});
        }
        transaction.outputs = {{40'000, p2wpkh_script({1})}};
        spent.assign(outputs.begin(), outputs.end());
        test::sign_input(transaction, 0, key, outputs[0]);
        test::sign_input(transaction, 1, key, outputs[1]);
        const SighashCache cache{transaction, outputs};
        transaction.inputs[2].witness = {
            test::sign_taproot_hash(cache.taproot_hash(2, outputs[2], 0).value(), key)};
    }

    void break_signature(std::size_t input) { ++spent[input]->value; }
    void spend_reserved_version(std::size_t input) {
        spent[input]->script_pubkey = witness_program_script(2, Bytes(32, 1));
        transaction.inputs[input].script_sig.clear();
    }
    void add_scriptsig(std::size_t input) { transaction.inputs[input].script_sig.push_back(0x51); }
    void add_operation(std::size_t input) {
        transaction.inputs[input].script_sig.push_back(0x61);  // OP_NOP
    }
    void remove_witnesses() {
        for (TxInput& input : transaction.inputs) input.witness.clear();
    }
};

struct InvalidSpends {
    std::string name;
    std::function<void(ThreeSpends&)> change;
    std::optional<std::size_t> index;
    ScriptError error = ScriptError::null_fail;
};
void PrintTo(const InvalidSpends& row, std::ostream* out) {
    *out << row.name;
}

class FindInvalidInput : public testing::TestWithParam<InvalidSpends> {};

TEST_P(FindInvalidInput, PrefersWhatIsCertain) {
    ThreeSpends spends;
    GetParam().change(spends);
    const auto invalid = find_invalid_input(spends.transaction, spends.spent);
    ASSERT_EQ(invalid.has_value(), GetParam().index.has_value());
    if (!invalid) return;
    EXPECT_EQ(invalid->index, *GetParam().index);
    EXPECT_EQ(invalid->error, GetParam().error);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Spends, FindInvalidInput, testing::ValuesIn(std::initializer_list<InvalidSpends>{
    {"AllValid", [](ThreeSpends&) {}, std::nullopt},
    {"OneUnknown", [](ThreeSpends& of) { of.spent[2].reset(); }, std::nullopt},
    {"WrongSignature", [](ThreeSpends& of) { of.spent[2].reset(); of.break_signature(0); }, 0},
    {"WrongSignatureBehindAReservedVersion", [](ThreeSpends& of) { of.spend_reserved_version(0); of.break_signature(2); }, 2, ScriptError::schnorr_signature},
    {"WrongSignatureBehindAnOperation", [](ThreeSpends& of) { of.add_operation(1); of.break_signature(2); }, 2, ScriptError::schnorr_signature},
    {"WrongSignatureBeforeUnknownOutputs", [](ThreeSpends& of) { of.spent[1].reset(); of.break_signature(0); }, 0},
    {"BadFormBehindAWrongSignature", [](ThreeSpends& of) { of.break_signature(0); of.add_scriptsig(2); }, 2, ScriptError::witness_malleated},
    {"BadFormBehindAReservedVersion", [](ThreeSpends& of) { of.spend_reserved_version(0); of.add_scriptsig(2); }, 2, ScriptError::witness_malleated},
    {"MissingWitnessBehindAReservedVersion", [](ThreeSpends& of) { of.remove_witnesses(); of.spend_reserved_version(0); }, 2, ScriptError::missing_witness},
    {"TheFirstOfTwoReservedVersions", [](ThreeSpends& of) { of.spend_reserved_version(0); of.spend_reserved_version(1); of.spent[2].reset(); }, 0, ScriptError::discourage_witness_program},
    {"UnknownOutputsAlone", [](ThreeSpends& of) { of.spent[1].reset(); }, 2, ScriptError::unknown_outputs},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(FindingInvalidInputs, VerifiesNoSignatureBesideAnInconclusiveInputUnlessNeeded) {
    ThreeSpends spends;
    spends.spend_reserved_version(0);
    spends.break_signature(2);
    const auto error_with = [&](IfInconclusive rest) {
        return find_invalid_input(spends.transaction, spends.spent, rest)->error;
    };
    EXPECT_EQ(error_with(IfInconclusive::verify_signatures), ScriptError::schnorr_signature);
    EXPECT_EQ(error_with(IfInconclusive::return_at_once), ScriptError::discourage_witness_program);
    spends.add_scriptsig(2);
    EXPECT_EQ(error_with(IfInconclusive::return_at_once), ScriptError::witness_malleated);
}

// Each input has 96 valid signatures: `<key> (OP_2DUP OP_CHECKSIGVERIFY) * 95 OP_CHECKSIG`.
TEST(FindingInvalidInputs, VerifiesALimitedNumberOfSignatures) {
    const Bytes key = test::private_key();
    Bytes script = push_data(test::public_key_of(key));
    for (int i = 0; i < 95; ++i) script.insert(script.end(), {0x6e, 0xad});
    script.push_back(0xac);
    const TxOutput spent{1'000, test::output_script_of(test::ScriptPlace::p2wsh, script)};
    Transaction transaction;
    transaction.inputs.resize(50);
    transaction.outputs = {{1'000, p2wpkh_script({1})}};
    const std::vector<std::optional<TxOutput>> all(transaction.inputs.size(), spent);
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        transaction.inputs[i].prevout.index = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        const Bytes signature =
            test::sign_script(transaction, i, test::ScriptPlace::p2wsh, script, spent.value, key);
        transaction.inputs[i].witness = {signature, script};
    }
    const auto invalid = find_invalid_input(transaction, all);
    ASSERT_TRUE(invalid);
    EXPECT_EQ(invalid->error, ScriptError::too_many_signatures);
    EXPECT_EQ(invalid->index, 42U) << "after 42 * 96 signatures";
    EXPECT_TRUE(is_inconclusive(invalid->error));
    transaction.inputs[0].witness = transaction.inputs[1].witness;  // of another input
    EXPECT_EQ(find_invalid_input(transaction, all)->index, 0U) << "those before count";
}

}  // namespace
}  // namespace petal::chain
