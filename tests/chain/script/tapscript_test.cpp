// The rules of taproot's script path (BIP341, BIP342), which Bitcoin Core's JSON vectors hardly
// cover.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/script/opcode.h"
#include "chain/script/script.h"
#include "chain/script/script_verification.h"
#include "chain/script/taproot.h"
#include "tests/chain/script/script_text.h"
#include "tests/support/hex.h"
#include "tests/support/script_path.h"
#include "tests/support/signing.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

using namespace test::literals;

// The key for which sign_taproot_hash() signs.
Bytes signing_key() {
    const Bytes script = test::script_of(ScriptType::p2tr, test::private_key());
    const ByteView key = watch_element(script);
    return {key.begin(), key.end()};
}

// A spend of a script path. A test changes the parts before the verdict.
struct TapscriptSpend {
    explicit TapscriptSpend(const Bytes& leaf, std::uint8_t leaf_version = kTapscriptVersion)
        : script(leaf), path(leaf, leaf_version) {
        spent = {100'000, path.script_pubkey};
        transaction.inputs = {{{Txid{{1}}, 0}, {}, 0xfffffffd, {}}};
        transaction.outputs = {{90'000, test::p2wpkh_script_of(test::private_key())}};
    }

    Bytes sign(std::uint32_t code_separator = 0xffffffff, std::uint32_t hash_type = 0) const {
        TaprootSpend signed_path;
        signed_path.leaf_hash = tapleaf_hash(kTapscriptVersion, script);
        signed_path.code_separator = code_separator;
        if (annex) signed_path.annex_hash = hash_annex(*annex);
        const SighashCache cache{transaction, {&spent, 1}};
        const auto hash = cache.taproot_hash(0, spent, hash_type, signed_path);
        Bytes signature = test::sign_taproot_hash(*hash, test::private_key());
        if (hash_type != 0) signature.push_back(static_cast<Byte>(hash_type));
        return signature;
    }

    std::string_view result(ScriptFlags flags) {
        Witness witness;
        for (const Bytes& item : items) witness.push_back(item);
        witness.push_back(script);
        witness.push_back(path.control_block);
        if (annex) witness.push_back(*annex);
        transaction.inputs[0].witness = witness;
        const SighashCache cache{transaction, {&spent, 1}};
        const SignatureChecker checker{cache, 0, spent, SignatureMode::verified};
        return test::name_of(verify_script(checker, flags));
    }

    Bytes script;
    test::ScriptPath path;
    Transaction transaction;
    TxOutput spent;
    std::vector<Bytes> items;
    std::optional<Bytes> annex;
};

Bytes join(const std::vector<Bytes>& parts) {
    Bytes result;
    for (const Bytes& part : parts) result.insert(result.end(), part.begin(), part.end());
    return result;
}

Bytes repeated(const Bytes& part, std::size_t count) {
    return join(std::vector<Bytes>(count, part));
}

Bytes checksig() {
    return join({push_data(signing_key()), {kOpCheckSig}});
}

struct TapscriptCase {
    const char* name;
    std::string_view consensus;
    std::string_view standard;
    Bytes script;
    std::function<void(TapscriptSpend&)> change = [](TapscriptSpend&) {};
};
void PrintTo(const TapscriptCase& row, std::ostream* out) {
    *out << row.name;
}

class Tapscript : public testing::TestWithParam<TapscriptCase> {};

TEST_P(Tapscript, HasTheResult) {
    const auto& row = GetParam();
    TapscriptSpend spend{row.script};
    row.change(spend);
    EXPECT_EQ(spend.result(kConsensusFlags), row.consensus);
    EXPECT_EQ(spend.result(kStandardFlags), row.standard);
    EXPECT_EQ(spend.result(kConsensusFlags.without({ScriptFlag::taproot})), "OK");
}

constexpr std::string_view kOk = "OK";
constexpr std::string_view kSuccess = "DISCOURAGE_OP_SUCCESS";
constexpr std::string_view kKeyType = "DISCOURAGE_UPGRADABLE_PUBKEYTYPE";

// Each signature check of this script takes 50 from the budget and adds 4 bytes to the witness. The
// key is of an undefined type.
Bytes signature_checks(std::size_t count) {
    return join({repeated({kOpDup, 1, 0x20, kOpCheckSigVerify}, count), {kOpDrop, kOp1}});
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, Tapscript, testing::ValuesIn(std::initializer_list<TapscriptCase>{
    {"True", kOk, kOk, {kOp1}},
    {"False", "EVAL_FALSE", "EVAL_FALSE", {kOp0}},
    {"NothingLeft", "CLEANSTACK", "CLEANSTACK", {kOpNop}},
    {"TwoLeft", "CLEANSTACK", "CLEANSTACK", {kOp1, kOp1}},
    {"ManyOperations", kOk, kOk, join({repeated({kOpNop}, 400), {kOp1}})},
    {"LargeScript", kOk, kOk, join({repeated({kOpNop}, 10'001), {kOp1}})},
    {"ThousandItems", kOk, kOk, join({repeated({kOp2Drop}, 499), {kOpDrop}}), [](auto& spend) { spend.items.assign(1'000, {1}); }},
    {"ThousandAndOneItems", "STACK_SIZE", "STACK_SIZE", repeated({kOp2Drop}, 500), [](auto& spend) { spend.items.assign(1'001, {1}); }},
    {"ItemOf520Bytes", kOk, kOk, {kOpDrop, kOp1}, [](auto& spend) { spend.items = {Bytes(520)}; }},
    {"ItemOf521Bytes", "PUSH_SIZE", "PUSH_SIZE", {kOpDrop, kOp1}, [](auto& spend) { spend.items = {Bytes(521)}; }},
    {"PushOf521Bytes", "PUSH_SIZE", "PUSH_SIZE", join({push_data(Bytes(521)), {kOpDrop, kOp1}})},
    {"PushBeyondTheEnd", "BAD_OPCODE", "BAD_OPCODE", {kOp1, 2, 1}},
    {"OpSuccess", kOk, kSuccess, {kOpReserved}},
    {"LastOpSuccess", kOk, kSuccess, {0xfe}},
    {"NoOpSuccess", "BAD_OPCODE", "BAD_OPCODE", {0xff}},
    {"OpSuccessOfDisabledOpcode", kOk, kSuccess, {kOpCat}},
    {"OpSuccessInPush", kOk, kOk, {1, kOpReserved}},
    {"OpSuccessInSkippedBranch", kOk, kSuccess, {kOp0, kOpIf, kOpReserved, kOpEndIf}},
    {"OpSuccessBeforeABadPush", kOk, kSuccess, {kOpReserved, kOpPushData1}},
    {"OpSuccessBehindABadPush", "BAD_OPCODE", "BAD_OPCODE", {5, kOpReserved}},
    {"OpSuccessWithManyItems", kOk, kSuccess, {kOpReserved}, [](auto& spend) { spend.items.assign(2'000, {1}); }},
    {"OpSuccessWithALargeItem", kOk, kSuccess, {kOpReserved}, [](auto& spend) { spend.items = {Bytes(521)}; }},
    {"IfOfTwo", "TAPSCRIPT_MINIMALIF", "TAPSCRIPT_MINIMALIF", {kOp1 + 1, kOpIf, kOpEndIf, kOp1}},
    {"IfOfOne", kOk, kOk, {kOp1, kOpIf, kOpEndIf, kOp1}},
    {"Multisig", "TAPSCRIPT_CHECKMULTISIG", "TAPSCRIPT_CHECKMULTISIG", {kOp0, kOp0, kOp0, kOpCheckMultisig}},
    {"Signature", kOk, kOk, checksig(), [](auto& spend) { spend.items = {spend.sign()}; }},
    {"SignatureOfSingle", kOk, kOk, checksig(), [](auto& spend) { spend.items = {spend.sign(0xffffffff, 0x83)}; }},
    {"SignatureOfAnotherAmount", "SCHNORR_SIG", "SCHNORR_SIG", checksig(), [](auto& spend) { spend.items = {spend.sign()}; ++spend.spent.value; }},
    {"SignatureOfTheKeyPath", "SCHNORR_SIG", "SCHNORR_SIG", checksig(), [](auto& spend) { spend.items = {test::sign_taproot_hash(*SighashCache(spend.transaction, {&spend.spent, 1}).taproot_hash(0, spend.spent, 0), test::private_key())}; }},
    {"EmptySignature", "EVAL_FALSE", "EVAL_FALSE", checksig(), [](auto& spend) { spend.items = {Bytes{}}; }},
    {"EmptySignatureIsFalse", kOk, kOk, join({checksig(), {kOpNot}}), [](auto& spend) { spend.items = {Bytes{}}; }},
    {"WrongSignatureIsNoFalse", "SCHNORR_SIG", "SCHNORR_SIG", join({checksig(), {kOpNot}}), [](auto& spend) { spend.items = {Bytes(64, 1)}; }},
    {"SignatureOf63Bytes", "SCHNORR_SIG_SIZE", "SCHNORR_SIG_SIZE", checksig(), [](auto& spend) { spend.items = {Bytes(63)}; }},
    {"SignatureWithTypeZero", "SCHNORR_SIG_HASHTYPE", "SCHNORR_SIG_HASHTYPE", checksig(), [](auto& spend) { spend.items = {join({spend.sign(), {0}})}; }},
    {"EmptyKey", "TAPSCRIPT_EMPTY_PUBKEY", "TAPSCRIPT_EMPTY_PUBKEY", {kOp0, kOpCheckSig}, [](auto& spend) { spend.items = {Bytes{1}}; }},
    {"EmptyKeyOfAnEmptySignature", "TAPSCRIPT_EMPTY_PUBKEY", "TAPSCRIPT_EMPTY_PUBKEY", {kOp0, kOpCheckSig, kOpNot}, [](auto& spend) { spend.items = {Bytes{}}; }},
    {"UndefinedKey", kOk, kKeyType, join({push_data(Bytes(33, 2)), {kOpCheckSig}}), [](auto& spend) { spend.items = {Bytes{1}}; }},
    {"UndefinedKeyOfAnEmptySignature", "EVAL_FALSE", kKeyType, join({push_data(Bytes(33, 2)), {kOpCheckSig}}), [](auto& spend) { spend.items = {Bytes{}}; }},
    {"VerifiedEmptySignature", "CHECKSIGVERIFY", "CHECKSIGVERIFY", join({push_data(signing_key()), {kOpCheckSigVerify, kOp1}}), [](auto& spend) { spend.items = {Bytes{}}; }},
    {"AddedSignature", kOk, kOk, join({{kOp1 + 1}, push_data(signing_key()), {kOpCheckSigAdd, kOp1 + 2, kOpEqual}}), [](auto& spend) { spend.items = {spend.sign()}; }},
    {"AddedEmptySignature", kOk, kOk, join({{kOp1 + 1}, push_data(signing_key()), {kOpCheckSigAdd, kOp1 + 1, kOpEqual}}), [](auto& spend) { spend.items = {Bytes{}}; }},
    {"AddToNoNumber", "SCRIPTNUM", "SCRIPTNUM", join({push_data(Bytes(5, 1)), push_data(signing_key()), {kOpCheckSigAdd}}), [](auto& spend) { spend.items = {spend.sign()}; }},
    {"AddWithoutSignature", "INVALID_STACK_OPERATION", "INVALID_STACK_OPERATION", join({{kOp1}, push_data(signing_key()), {kOpCheckSigAdd}})},
    {"CodeSeparator", kOk, kOk, join({{kOpCodeSeparator}, checksig()}), [](auto& spend) { spend.items = {spend.sign(0)}; }},
    {"SecondCodeSeparator", kOk, kOk, join({{kOpCodeSeparator, kOpNop, kOpCodeSeparator}, checksig()}), [](auto& spend) { spend.items = {spend.sign(2)}; }},
    {"SkippedCodeSeparator", kOk, kOk, join({{kOp0, kOpIf, kOpCodeSeparator, kOpEndIf}, checksig()}), [](auto& spend) { spend.items = {spend.sign()}; }},
    {"CodeSeparatorIsSigned", "SCHNORR_SIG", "SCHNORR_SIG", join({{kOpCodeSeparator}, checksig()}), [](auto& spend) { spend.items = {spend.sign()}; }},
    {"Annex", kOk, kOk, checksig(), [](auto& spend) { spend.annex = Bytes{0x50, 1}; spend.items = {spend.sign()}; }},
    {"AnotherAnnex", "SCHNORR_SIG", "SCHNORR_SIG", checksig(), [](auto& spend) { spend.annex = Bytes{0x50, 1}; spend.items = {spend.sign()}; spend.annex = Bytes{0x50}; }},
    {"OtherParity", "WITNESS_PROGRAM_MISMATCH", "WITNESS_PROGRAM_MISMATCH", {kOp1}, [](auto& spend) { spend.path.control_block[0] ^= 1; }},
    {"OtherVersion", "WITNESS_PROGRAM_MISMATCH", "WITNESS_PROGRAM_MISMATCH", {kOp1}, [](auto& spend) { spend.path.control_block[0] ^= 2; }},
    {"OtherInternalKey", "WITNESS_PROGRAM_MISMATCH", "WITNESS_PROGRAM_MISMATCH", {kOp1}, [](auto& spend) { spend.path.control_block[32] ^= 1; }},
    {"OtherScript", "WITNESS_PROGRAM_MISMATCH", "WITNESS_PROGRAM_MISMATCH", {kOp1}, [](auto& spend) { spend.script = {kOp1 + 1}; }},
    {"OtherPath", "WITNESS_PROGRAM_MISMATCH", "WITNESS_PROGRAM_MISMATCH", {kOp1}, [](auto& spend) { spend.path.control_block.resize(65); }},
    {"PathOf128Hashes", "WITNESS_PROGRAM_MISMATCH", "WITNESS_PROGRAM_MISMATCH", {kOp1}, [](auto& spend) { spend.path.control_block.resize(33 + 128 * 32); }},
    {"PathOf129Hashes", "TAPROOT_WRONG_CONTROL_SIZE", "TAPROOT_WRONG_CONTROL_SIZE", {kOp1}, [](auto& spend) { spend.path.control_block.resize(33 + 129 * 32); }},
    {"ControlBlockOf32Bytes", "TAPROOT_WRONG_CONTROL_SIZE", "TAPROOT_WRONG_CONTROL_SIZE", {kOp1}, [](auto& spend) { spend.path.control_block.resize(32); }},
    {"ControlBlockOf34Bytes", "TAPROOT_WRONG_CONTROL_SIZE", "TAPROOT_WRONG_CONTROL_SIZE", {kOp1}, [](auto& spend) { spend.path.control_block.resize(34); }},
    {"EmptyControlBlock", "TAPROOT_WRONG_CONTROL_SIZE", "TAPROOT_WRONG_CONTROL_SIZE", {kOp1}, [](auto& spend) { spend.path.control_block.clear(); }},
    // The witness has 51 bytes and the item, and the budget 50 more. Three checks need 150.
    {"WeightForThreeChecks", kOk, kKeyType, signature_checks(3), [](auto& spend) { spend.items = {Bytes(49, 1)}; }},
    {"WeightShortByOne", "TAPSCRIPT_VALIDATION_WEIGHT", kKeyType, signature_checks(3), [](auto& spend) { spend.items = {Bytes(48, 1)}; }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(TaprootLeaf, OfAnUndefinedVersionIsValidButNotStandard) {
    TapscriptSpend spend{{kOp0}, 0xc2};
    EXPECT_EQ(spend.result(kConsensusFlags), "OK");
    EXPECT_EQ(spend.result(kStandardFlags), "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION");
}

// In P2SH, the program is of an undefined version.
TEST(TaprootProgram, InP2shIsValidButNotStandard) {
    const Bytes program = test::script_of(ScriptType::p2tr, test::private_key());
    const TxOutput spent{100'000, p2sh_script(hash160(program))};
    Transaction transaction;
    transaction.inputs = {{{Txid{{1}}, 0}, push_data(program), 0xfffffffd, {}}};
    transaction.outputs = {{90'000, {kOp1}}};
    const SighashCache cache{transaction, {&spent, 1}};
    const SignatureChecker checker{cache, 0, spent, SignatureMode::verified};
    EXPECT_EQ(test::name_of(verify_script(checker, kConsensusFlags)), "OK");
    EXPECT_EQ(test::name_of(verify_script(checker, kStandardFlags)),
              "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM");
}

// The leaves of a tree in BIP341's vectors, in the order of the control blocks.
void collect_leaves(const nlohmann::json& tree, std::vector<nlohmann::json>& leaves) {
    if (tree.is_array()) {
        for (const auto& branch : tree) collect_leaves(branch, leaves);
    } else if (!tree.is_null()) {
        leaves.push_back(tree);
    }
}

TEST(TaprootVectors, CommitToTheirLeaves) {
    const auto vectors = test::read_test_json("vectors/bip341_wallet_vectors.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    std::size_t checked = 0;
    for (const auto& row : vectors->at("scriptPubKey")) {
        std::vector<nlohmann::json> leaves;
        collect_leaves(row.at("given").at("scriptTree"), leaves);
        const auto script =
            test::bytes_from_hex(row.at("expected").at("scriptPubKey").get<std::string>());
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const auto hash =
                tapleaf_hash(leaves[i].at("leafVersion").get<std::uint8_t>(),
                             test::bytes_from_hex(leaves[i].at("script").get<std::string>()));
            EXPECT_EQ(to_hex(hash), row.at("intermediary").at("leafHashes").at(i));
            Bytes control_block = test::bytes_from_hex(
                row.at("expected").at("scriptPathControlBlocks").at(i).get<std::string>());
            ASSERT_TRUE(has_control_block_size(control_block));
            EXPECT_EQ(leaf_version(control_block), leaves[i].at("leafVersion"));
            EXPECT_TRUE(commits_to_leaf(watch_element(script), control_block, hash));
            control_block[0] ^= 1;
            EXPECT_FALSE(commits_to_leaf(watch_element(script), control_block, hash));
            ++checked;
        }
    }
    EXPECT_EQ(checked, 12U);
}

}  // namespace
}  // namespace petal::chain
