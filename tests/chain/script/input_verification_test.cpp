#include "chain/script/input_verification.h"

#include <gtest/gtest.h>
#include <secp256k1.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/script/script.h"
#include "tests/support/hex.h"
#include "tests/support/signing.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

std::optional<ScriptError> verdict(const Transaction& transaction, std::size_t input_index,
                                   const TxOutput& spent) {
    const auto result = verify_input(SighashCache{transaction}, input_index, spent);
    if (result) return std::nullopt;
    return result.error();
}

// BIP143's examples, signed.
const Bytes kSignedNative =
    "01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000049483045"
    "0221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99"
    "f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b30"
    "9fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a"
    "783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac00024730"
    "4402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c451833156140"
    "6f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad2"
    "53f62fc70f07aeee635711000000"_hex;
const Bytes kSignedNested =
    "01000000000101db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a54770100000017160014"
    "79091972186c449eb1ded22b78e40d009bdf0089feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a"
    "45bbc043f35b59d0d96388ac0008af2f000000001976a914fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac02"
    "473044022047ac8e878352d3ebbde1c94ce3a10d057c24175747116f8288e5d794d12d482f0220217f36a485cae903"
    "c713331d877c1f64677e3622ad4010726870540656fe9dcb012103ad1d8e89212f0b92c74d23bb710c00662ad14701"
    "98ac48c43f7d6f93a2a2687392040000"_hex;
TEST(VerifyInput, AcceptsTheExamplesOfBip143) {
    const auto native = decode_transaction(kSignedNative).value();
    EXPECT_EQ(verdict(native, 1, {600'000'000, "00141d0f172a0ecb48aee1be1f2687d2963ae33f71a1"_hex}),
              std::nullopt);
    const auto nested = decode_transaction(kSignedNested).value();
    EXPECT_EQ(
        verdict(nested, 0, {1'000'000'000, "a9144733f37cf4db86fbc2efed2500b4f4e49f31202387"_hex}),
        std::nullopt);
}

// A transaction with three inputs and two outputs. Its second input spends `spent`.
struct Spend {
    Transaction transaction;
    TxOutput spent;

    TxInput& input() { return transaction.inputs[1]; }
    /// The signature with its hash type.
    Bytes signature() { return item(0); }
    Bytes key() { return item(1); }
    void show_signature(const Bytes& signature) { input().witness = {signature, key()}; }
    void show_key(const Bytes& key) { input().witness = {signature(), key}; }

private:
    Bytes item(std::size_t index) {
        const ByteView view = input().witness[index];
        return {view.begin(), view.end()};
    }
};

Spend unsigned_spend(const Bytes& script_pubkey) {
    Spend spend;
    spend.spent = {100'000, script_pubkey};
    for (std::uint8_t i = 0; i < 3; ++i) {
        spend.transaction.inputs.push_back({{Txid{{std::uint8_t(i + 1)}}, i}, {}, 0xfffffffd, {}});
    }
    spend.transaction.inputs[0].witness = {"51"_hex};
    spend.transaction.outputs = {{40'000, p2wpkh_script({1})}, {50'000, p2wpkh_script({2})}};
    return spend;
}

Bytes with_hash_type(Bytes signature, std::uint32_t hash_type) {
    signature.push_back(static_cast<Byte>(hash_type));
    return signature;
}

// Signs with a witness of `private_key`, with any hash type and either form of the public key.
void sign_witness(Spend& spend, const Bytes& private_key, std::uint32_t hash_type = kSighashAll,
                  bool compressed = true) {
    const Bytes key = test::public_key_of(private_key, compressed);
    const Hash256 hash = SighashCache{spend.transaction}.segwit_hash(1, p2pkh_script(hash160(key)),
                                                                     spend.spent.value, hash_type);
    spend.input().witness = {with_hash_type(test::sign_hash(hash, private_key), hash_type), key};
}

Spend p2wpkh_spend(std::uint32_t hash_type = kSighashAll) {
    const Bytes key = test::private_key();
    Spend spend = unsigned_spend(test::p2wpkh_script_of(key));
    sign_witness(spend, key, hash_type);
    return spend;
}

// A spend of the public key `bytes`, which may be invalid, with a signature of private_key().
Spend spend_of_key(const Bytes& bytes) {
    Spend spend = unsigned_spend(p2wpkh_script(hash160(bytes)));
    const Hash256 hash = SighashCache{spend.transaction}.segwit_hash(
        1, p2pkh_script(hash160(bytes)), spend.spent.value, kSighashAll);
    spend.input().witness = {with_hash_type(test::sign_hash(hash, test::private_key()), 1), bytes};
    return spend;
}

// Each broken spend differs from the valid one in one point.
struct BrokenSpend {
    std::string name;
    ScriptError error;
    std::function<void(Spend&)> change;
};

void PrintTo(const BrokenSpend& row, std::ostream* out) {
    *out << row.name;
}

class BrokenP2wpkhSpends : public testing::TestWithParam<BrokenSpend> {};

TEST_P(BrokenP2wpkhSpends, AreRefusedWithTheReason) {
    Spend spend = p2wpkh_spend();
    ASSERT_EQ(verdict(spend.transaction, 1, spend.spent), std::nullopt);
    GetParam().change(spend);
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), GetParam().error);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Input, BrokenP2wpkhSpends, testing::ValuesIn(std::initializer_list<BrokenSpend>{
    {"HighS", ScriptError::high_s, [](Spend& spend) { spend.show_signature(test::with_high_s(spend.signature())); }},
    {"KeyOfAnother", ScriptError::equal_verify, [](Spend& spend) { sign_witness(spend, test::private_key(2)); }},
    {"SignatureOfAnother", ScriptError::null_fail, [](Spend& spend) { spend.show_signature(with_hash_type(test::sign_hash({}, test::private_key(2)), 1)); }},
    {"WrongAmount", ScriptError::null_fail, [](Spend& spend) { ++spend.spent.value; }},
    {"WrongHashType", ScriptError::null_fail, [](Spend& spend) { Bytes signature = spend.signature(); signature.back() = kSighashNone; spend.show_signature(signature); }},
    {"ExtraItemBefore", ScriptError::witness_mismatch, [](Spend& spend) { spend.input().witness = {Bytes{}, spend.signature(), spend.key()}; }},
    {"ExtraItemBehind", ScriptError::witness_mismatch, [](Spend& spend) { spend.input().witness.push_back({}); }},
    {"KeyMissing", ScriptError::witness_mismatch, [](Spend& spend) { spend.input().witness = {spend.signature()}; }},
    {"OnlyItsWitnessMissing", ScriptError::witness_mismatch, [](Spend& spend) { spend.input().witness.clear(); }},
    {"EveryWitnessMissing", ScriptError::missing_witness, [](Spend& spend) { for (auto& input : spend.transaction.inputs) input.witness.clear(); }},
    {"ScriptSig", ScriptError::witness_malleated, [](Spend& spend) { spend.input().script_sig = {0x51}; }},
    {"ScriptSigAndEveryWitnessMissing", ScriptError::witness_malleated, [](Spend& spend) { for (auto& input : spend.transaction.inputs) input = {input.prevout, {0x51}, input.sequence, {}}; }},
    {"EmptySignature", ScriptError::eval_false, [](Spend& spend) { spend.show_signature({}); }},
    {"SignatureOfAHashTypeOnly", ScriptError::signature_der, [](Spend& spend) { spend.show_signature({1}); }},
    {"SignatureWithoutHashType", ScriptError::signature_der, [](Spend& spend) { Bytes signature = spend.signature(); signature.pop_back(); spend.show_signature(signature); }},
    {"SignatureOf64Bytes", ScriptError::signature_der, [](Spend& spend) { spend.show_signature(Bytes(64, 1)); }},
    {"EmptyKey", ScriptError::equal_verify, [](Spend& spend) { spend.show_key({}); }},
    {"UncompressedFormOfTheKey", ScriptError::equal_verify, [](Spend& spend) { spend.show_key(test::public_key_of(test::private_key(), false)); }},
    {"UncompressedKey", ScriptError::witness_key_type, [](Spend& spend) { spend = spend_of_key(test::public_key_of(test::private_key(), false)); }},
    {"HybridKey", ScriptError::key_type, [](Spend& spend) { Bytes key = test::public_key_of(test::private_key(), false); key[0] = static_cast<Byte>(6 + (key.back() & 1)); spend = spend_of_key(key); }},
    {"KeyOffTheCurve", ScriptError::null_fail, [](Spend& spend) { Bytes key(33); key[0] = 2; key[32] = 7; spend = spend_of_key(key); }},
    {"KeyOf33BytesWithPrefix5", ScriptError::key_type, [](Spend& spend) { Bytes key = spend.key(); key[0] = 5; spend = spend_of_key(key); }},
    {"KeyThatIsEmpty", ScriptError::key_type, [](Spend& spend) { spend = spend_of_key({}); }},
    {"OtherVersion", ScriptError::null_fail, [](Spend& spend) { spend.transaction.version = 1; }},
    {"OtherLockTime", ScriptError::null_fail, [](Spend& spend) { spend.transaction.lock_time = 1; }},
    {"OtherPrevout", ScriptError::null_fail, [](Spend& spend) { ++spend.input().prevout.index; }},
    {"OtherSequence", ScriptError::null_fail, [](Spend& spend) { ++spend.input().sequence; }},
    {"OtherInputsPrevout", ScriptError::null_fail, [](Spend& spend) { ++spend.transaction.inputs[0].prevout.index; }},
    {"OtherInputsSequence", ScriptError::null_fail, [](Spend& spend) { ++spend.transaction.inputs[2].sequence; }},
    {"OtherValue", ScriptError::null_fail, [](Spend& spend) { --spend.transaction.outputs[0].value; }},
    {"OtherRecipient", ScriptError::null_fail, [](Spend& spend) { spend.transaction.outputs[1].script_pubkey.back() ^= 1; }},
    {"OneOutputLess", ScriptError::null_fail, [](Spend& spend) { spend.transaction.outputs.pop_back(); }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(VerifyInput, IgnoresUnsignedParts) {
    Spend spend = p2wpkh_spend();
    spend.transaction.inputs[0].witness = {Bytes(1'000)};
    spend.transaction.inputs[2].script_sig = "51"_hex;
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), std::nullopt);
}

TEST(VerifyInput, WantsAHashTypeThatIsDefined) {
    for (std::uint32_t type = 0; type < 0x100; ++type) {
        const Spend spend = p2wpkh_spend(type);  // signed with this hash type
        const auto expected = is_defined_hash_type(type)
                                  ? std::nullopt
                                  : std::optional(ScriptError::signature_hash_type);
        EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), expected) << type;
    }
}

std::optional<ScriptError> verdict_in_block(const Spend& spend) {
    const SighashCache cache{spend.transaction};
    const auto result = verify_input(cache, 1, spend.spent, kConsensusFlags);
    return result ? std::nullopt : std::optional(result.error());
}

// Bitcoin Core: SCRIPT_VERIFY_STRICTENC and SCRIPT_VERIFY_WITNESS_PUBKEYTYPE are policy.
TEST(VerifyInput, LetsBlocksHaveAnyHashTypeAndFormOfKeys) {
    const Bytes uncompressed = test::public_key_of(test::private_key(), /*compressed=*/false);
    Bytes hybrid = uncompressed;
    hybrid[0] = static_cast<Byte>(6 + (hybrid.back() & 1));
    const std::pair<Spend, ScriptError> rows[] = {
        {p2wpkh_spend(0x04), ScriptError::signature_hash_type},
        {spend_of_key(uncompressed), ScriptError::witness_key_type},
        {spend_of_key(hybrid), ScriptError::key_type},
    };
    for (auto [spend, error] : rows) {
        EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), error);
        EXPECT_EQ(verdict_in_block(spend), std::nullopt) << describe(error);
        ++spend.spent.value;
        EXPECT_EQ(verdict_in_block(spend), ScriptError::eval_false);
    }
    hybrid[0] ^= 1;  // the other parity
    EXPECT_EQ(verdict_in_block(spend_of_key(hybrid)), ScriptError::eval_false);
}

// The parts that each hash type does not cover (BIP143); it covers all other parts.
TEST(VerifyInput, LetsEachHashTypeCoverItsPart) {
    struct Change {
        std::string name;
        std::function<void(Transaction&)> make;
        std::set<std::uint32_t> open_to;
    };
    const std::initializer_list<Change> changes = {
        {"its output", [](auto& to) { ++to.outputs[1].value; }, {0x02, 0x82}},
        {"another output", [](auto& to) { ++to.outputs[0].value; }, {0x02, 0x82, 0x03, 0x83}},
        {"a new output", [](auto& to) { to.outputs.push_back({}); }, {0x02, 0x82, 0x03, 0x83}},
        {"a new input", [](auto& to) { to.inputs.emplace_back(); }, {0x81, 0x82, 0x83}},
        {"another's sequence",
         [](auto& to) { to.inputs[0].sequence = 0; },
         {0x02, 0x03, 0x81, 0x82, 0x83}},
        {"its own sequence", [](auto& to) { to.inputs[1].sequence = 0; }, {}},
    };
    for (const std::uint32_t type : {0x01U, 0x02U, 0x03U, 0x81U, 0x82U, 0x83U}) {
        for (const Change& change : changes) {
            Spend spend = p2wpkh_spend(type);
            change.make(spend.transaction);
            const auto expected = change.open_to.contains(type)
                                      ? std::nullopt
                                      : std::optional(ScriptError::null_fail);
            EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), expected)
                << change.name << " under " << type;
        }
    }
}

struct SignatureForm {
    std::string name;
    std::string der;
    ScriptError error;
};

void PrintTo(const SignatureForm& row, std::ostream* out) {
    *out << row.name;
}

class SignatureForms : public testing::TestWithParam<SignatureForm> {};

TEST_P(SignatureForms, AreToldApart) {
    Spend spend = p2wpkh_spend();
    spend.show_signature(with_hash_type(test::bytes_from_hex(GetParam().der), kSighashAll));
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), GetParam().error);
}

// Two numbers of one byte each are well-formed, so only the signature is wrong. Each malformed
// signature breaks one rule of BIP66.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Input, SignatureForms, testing::ValuesIn(std::initializer_list<SignatureForm>{
    {"Shortest", "3006020101020101", ScriptError::null_fail},
    {"ZeroBeforeAHighBit", "3008020200ff020200ff", ScriptError::null_fail},
    {"RAndSOfZero", "3006020100020100", ScriptError::null_fail},
    {"Longest", "3046022100" + test::repeat("ff", 32) + "022100" + test::repeat("ff", 32), ScriptError::null_fail},
    {"ROf34Bytes", "3047022200" + test::repeat("ff", 33) + "022100" + test::repeat("ff", 32), ScriptError::signature_der},
    {"NoSequence", "3106020101020101", ScriptError::signature_der},
    {"LengthTooShort", "3005020101020101", ScriptError::signature_der},
    {"LengthTooLong", "3007020101020101", ScriptError::signature_der},
    {"LengthInLongForm", "308106020101020101", ScriptError::signature_der},
    {"RIsNoInteger", "3006030101020101", ScriptError::signature_der},
    {"SIsNoInteger", "3006020101030101", ScriptError::signature_der},
    {"ROfNoBytes", "3006020002020101", ScriptError::signature_der},
    {"SOfNoBytes", "3006020201010200", ScriptError::signature_der},
    {"RRunsPastTheEnd", "3006020601020101", ScriptError::signature_der},
    {"SRunsPastTheEnd", "3006020101020201", ScriptError::signature_der},
    {"SEndsTooEarly", "300702010102010101", ScriptError::signature_der},
    {"NegativeR", "3006020181020101", ScriptError::signature_der},
    {"NegativeS", "3006020101020181", ScriptError::signature_der},
    {"PaddedR", "300702020001020101", ScriptError::signature_der},
    {"PaddedS", "300702010102020001", ScriptError::signature_der},
}), [](const auto& row) { return row.param.name; });
// clang-format on

Bytes script_sig_of(const Bytes& signature, const Bytes& key) {
    Bytes script = push_data(signature);
    const Bytes push = push_data(key);
    script.insert(script.end(), push.begin(), push.end());
    return script;
}

// A signed P2PKH spend and its signature.
Spend p2pkh_spend(const Bytes& key, Bytes& signature) {
    Spend spend = unsigned_spend(p2pkh_script(hash160(key)));
    const Hash256 hash =
        SighashCache{spend.transaction}.legacy_hash(1, spend.spent.script_pubkey, kSighashAll);
    signature = with_hash_type(test::sign_hash(hash, test::private_key()), kSighashAll);
    spend.input().script_sig = script_sig_of(signature, key);
    return spend;
}

TEST(VerifyInput, JudgesP2pkh) {
    const Bytes key = test::public_key_of(test::private_key());
    Bytes signature;
    const Spend good = p2pkh_spend(key, signature);
    const auto verdict_with = [&](const Bytes& script_sig) {
        Spend spend = good;
        spend.input().script_sig = script_sig;
        return verdict(spend.transaction, 1, spend.spent);
    };
    EXPECT_EQ(verdict_with(good.transaction.inputs[1].script_sig), std::nullopt);
    EXPECT_EQ(verdict_with(script_sig_of(test::with_high_s(signature), key)), ScriptError::high_s);
    EXPECT_EQ(verdict_with(script_sig_of({}, key)), ScriptError::eval_false);
    EXPECT_EQ(verdict_with(script_sig_of(signature, test::public_key_of(test::private_key(2)))),
              ScriptError::equal_verify);

    EXPECT_EQ(verdict_with({}), ScriptError::invalid_stack_operation);
    EXPECT_EQ(verdict_with(push_data(key)), ScriptError::invalid_stack_operation);
    EXPECT_EQ(verdict_with(push_data(signature)), ScriptError::equal_verify);
    const Bytes pushes = script_sig_of(signature, key);
    Bytes number_behind = pushes;
    number_behind.push_back(0x51);
    EXPECT_EQ(verdict_with(number_behind), ScriptError::equal_verify);
    EXPECT_EQ(verdict_with(script_sig_of(key, key)), ScriptError::signature_der);
    Bytes number_before = pushes;
    number_before.insert(number_before.begin(), 0x51);
    EXPECT_EQ(verdict_with(number_before), ScriptError::clean_stack);
    Bytes longer_push = pushes;
    longer_push.insert(longer_push.begin(), 0x4c);  // OP_PUSHDATA1 before the length
    EXPECT_EQ(verdict_with(longer_push), ScriptError::minimal_data);
    Bytes longer_number = pushes;
    longer_number.insert(longer_number.begin(), {0x01, 0x05});  // OP_5 is shorter
    EXPECT_EQ(verdict_with(longer_number), ScriptError::minimal_data);
    Bytes too_large = push_data(Bytes(521));
    too_large.insert(too_large.end(), pushes.begin(), pushes.end());
    EXPECT_EQ(verdict_with(too_large), ScriptError::push_size);
    Bytes cut = script_sig_of(signature, key);
    cut.pop_back();
    EXPECT_EQ(verdict_with(cut), ScriptError::bad_opcode);
    Bytes many(996);  // OP_0; the script has the key twice at most, and its hash
    many.insert(many.end(), pushes.begin(), pushes.end());
    EXPECT_EQ(verdict_with(many), ScriptError::clean_stack);
    many.insert(many.begin(), 0);
    EXPECT_EQ(verdict_with(many), ScriptError::stack_size);

    // Operations are valid if they leave the two pushes. Bitcoin Core relays such a spend with
    // -acceptnonstdtxn.
    const auto verdict_behind = [&](Byte operation) {
        Bytes operated = script_sig_of(signature, key);
        operated.push_back(operation);
        return verdict_with(operated);
    };
    EXPECT_EQ(verdict_behind(kOpNop), std::nullopt);
    EXPECT_EQ(verdict_behind(kOpDup), ScriptError::signature_der) << "the key as a signature";
    EXPECT_EQ(verdict_behind(0xff), ScriptError::bad_opcode);
    Bytes reserved = script_sig_of(signature, key);
    reserved.push_back(0x50);  // OP_RESERVED counts as a push, but it fails
    EXPECT_EQ(verdict_with(reserved), ScriptError::bad_opcode);

    Spend spend = good;
    spend.input().witness = {Bytes{}};
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), ScriptError::witness_unexpected);
    spend = good;
    spend.transaction.outputs[0].value = 1;
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), ScriptError::null_fail);
    spend = good;
    ++spend.spent.value;  // only segwit signatures cover the amount
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), std::nullopt);
}

TEST(VerifyInput, LetsP2pkhHaveAnUncompressedKeyButNoHybrid) {
    Bytes key = test::public_key_of(test::private_key(), /*compressed=*/false);
    Bytes signature;
    Spend spend = p2pkh_spend(key, signature);
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), std::nullopt);
    key[0] = static_cast<Byte>(6 + (key.back() & 1));
    spend = p2pkh_spend(key, signature);
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), ScriptError::key_type);
}

TEST(VerifyInput, JudgesP2wpkhWithinP2sh) {
    const Bytes redeem_script = test::p2wpkh_script_of(test::private_key());
    Spend good = unsigned_spend(p2sh_script(hash160(redeem_script)));
    sign_witness(good, test::private_key());
    const auto verdict_with = [&](const Bytes& script_sig) {
        Spend spend = good;
        spend.input().script_sig = script_sig;
        return verdict(spend.transaction, 1, spend.spent);
    };
    EXPECT_EQ(verdict_with(push_data(redeem_script)), std::nullopt);
    EXPECT_EQ(verdict_with({}), ScriptError::invalid_stack_operation);
    EXPECT_EQ(verdict_with(push_data(test::p2wpkh_script_of(test::private_key(2)))),
              ScriptError::eval_false);
    Bytes script_sig = push_data(redeem_script);
    script_sig.insert(script_sig.begin(), 0x51);
    EXPECT_EQ(verdict_with(script_sig), ScriptError::witness_malleated_p2sh);
    script_sig[0] = 0x4c;
    EXPECT_EQ(verdict_with(script_sig), ScriptError::minimal_data);
    script_sig[0] = 0x61;
    EXPECT_EQ(verdict_with(script_sig), ScriptError::push_only);
    script_sig = push_data(redeem_script);
    script_sig.pop_back();
    EXPECT_EQ(verdict_with(script_sig), ScriptError::bad_opcode);
    script_sig = push_data(redeem_script);
    script_sig.insert(script_sig.begin(), 998, 0);
    EXPECT_EQ(verdict_with(script_sig), ScriptError::witness_malleated_p2sh);
    script_sig.insert(script_sig.begin(), 0);
    EXPECT_EQ(verdict_with(script_sig), ScriptError::stack_size)
        << "counting the hash in the script";

    Spend spend = good;
    spend.input().script_sig = push_data(redeem_script);
    ++spend.spent.value;
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), ScriptError::null_fail);
    for (auto& input : spend.transaction.inputs) input.witness.clear();
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), ScriptError::missing_witness);
}

TEST(VerifyInput, RunsAnyScript) {
    const std::pair<Bytes, std::optional<ScriptError>> rows[] = {
        {{}, ScriptError::eval_false},
        {"51"_hex, std::nullopt},
        {"6a"_hex, ScriptError::op_return},
        {witness_program_script(2, Bytes(32, 1)), ScriptError::discourage_witness_program},
        {witness_program_script(1, Bytes(33, 1)), ScriptError::discourage_witness_program},
    };
    for (const auto& [script, expected] : rows) {
        const Spend spend = unsigned_spend(script);
        EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), expected) << to_hex(script);
    }
    Spend large = unsigned_spend("51"_hex);
    large.input().script_sig = push_data(Bytes(521));
    EXPECT_EQ(verdict(large.transaction, 1, large.spent), ScriptError::push_size);
    // BIP341 leaves taproot unencumbered in P2SH.
    for (const Bytes& redeem_script : {"51"_hex, witness_program_script(1, Bytes(32, 1))}) {
        Spend spend = unsigned_spend(p2sh_script(hash160(redeem_script)));
        spend.input().script_sig = ByteWriter{}.var_bytes(redeem_script).take();
        spend.input().witness = {Bytes(64)};
        EXPECT_EQ(verdict(spend.transaction, 1, spend.spent),
                  redeem_script.size() == 1 ? ScriptError::witness_unexpected
                                            : ScriptError::discourage_witness_program);
    }
}

// BIP433; Bitcoin Core: VerifyWitnessProgram, IsWitnessStandard.
TEST(VerifyInput, LetsAnyoneSpendAnAnchor) {
    Spend spend = unsigned_spend("51024e73"_hex);
    EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), std::nullopt);
    Spend malleated = spend;
    malleated.input().script_sig = "51"_hex;
    EXPECT_EQ(verdict(malleated.transaction, 1, malleated.spent), ScriptError::witness_malleated);
    spend.input().witness = {"51"_hex};
    EXPECT_EQ(verdict_in_block(spend), std::nullopt);
    const Bytes redeem_script = "51024e73"_hex;
    Spend nested = unsigned_spend(p2sh_script(hash160(redeem_script)));
    nested.input().script_sig = push_data(redeem_script);
    EXPECT_EQ(verdict(nested.transaction, 1, nested.spent),
              ScriptError::discourage_witness_program);
}

TEST(VerifyInput, CallsMissingDataAndReservedOperationsInconclusive) {
    std::set<std::string_view> texts;
    std::size_t inconclusive = 0;
    constexpr int kErrors = static_cast<int>(ScriptError::find_and_delete) + 1;
    for (int i = 0; i < kErrors; ++i) {
        const auto error = static_cast<ScriptError>(i);
        texts.insert(describe(error));
        if (is_inconclusive(error)) ++inconclusive;
    }
    EXPECT_EQ(texts.size(), std::size_t{kErrors});
    EXPECT_EQ(inconclusive, 8U);
    for (const auto error :
         {ScriptError::missing_witness, ScriptError::unknown_outputs, ScriptError::discourage_nops,
          ScriptError::discourage_witness_program, ScriptError::discourage_taproot_version,
          ScriptError::discourage_op_success, ScriptError::discourage_key_type}) {
        EXPECT_TRUE(is_inconclusive(error)) << describe(error);
    }
}

// The signatures that other tests make.
TEST(VerifyInput, AcceptsSignaturesOfTheTestHelpers) {
    const Bytes key = test::private_key(7);
    for (const ScriptType type : {ScriptType::p2pkh, ScriptType::p2sh, ScriptType::p2wpkh,
                                  ScriptType::p2tr, ScriptType::p2wsh}) {
        Spend spend = unsigned_spend(test::script_of(type, key));
        test::sign_input(spend.transaction, 1, key, spend.spent);
        EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), std::nullopt) << describe(type);
        spend.transaction.outputs[0].value = 1;
        EXPECT_EQ(verdict(spend.transaction, 1, spend.spent), type == ScriptType::p2tr
                                                                  ? ScriptError::schnorr_signature
                                                                  : ScriptError::null_fail);
    }
}

}  // namespace
}  // namespace petal::chain
