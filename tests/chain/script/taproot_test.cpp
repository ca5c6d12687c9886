// Key path spends of taproot outputs: their hashes (BIP341) and their signatures (BIP340).
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"
#include "tests/support/hex.h"
#include "tests/support/signing.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

// BIP341's wallet test vectors, keyPathSpending. Of its nine inputs, the third is P2PKH and the
// sixth P2WPKH.
const Bytes kSignedTransaction =
    "020000000001097de20cbff686da83a54981d2b9bab3586f4ca7e48f57f5b55963115f3b334e9c0100000000000"
    "00000d7b7cab57b1393ace2d064f4d4a2cb8af6def61273e127517d44759b6dafdd990000000000fffffffff8e1"
    "f583384333689228c5d28eac13366be082dc57441760d957275419a41842000000006b4830450221008f3b8f8f0"
    "537c420654d2283673a761b7ee2ea3c130753103e08ce79201cf32a022079e7ab904a1980ef1c5890b648c8783f"
    "4d10103dd62f740d13daa79e298d50c201210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f28"
    "15b16f81798fffffffff0689180aa63b30cb162a73c6d2a38b7eeda2a83ece74310fda0843ad604853b01000000"
    "00feffffffaa5202bdf6d8ccd2ee0f0202afbbb7461d9264a25e5bfd3c5a52ee1239e0ba6c0000000000fefffff"
    "f956149bdc66faa968eb2be2d2faa29718acbfe3941215893a2a3446d32acd050000000000000000000e664b977"
    "3b88c09c32cb70a2a3e4da0ced63b7ba3b22f848531bbb1d5d5f4c94010000000000000000e9aa6b8e6c9de6761"
    "9e6a3924ae25696bb7b694bb677a632a74ef7eadfd4eabf0000000000ffffffffa778eb6a263dc090464cd125c4"
    "66b5a99667720b1c110468831d058aa1b82af10100000000ffffffff0200ca9a3b000000001976a91406afd46bc"
    "dfd22ef94ac122aa11f241244a37ecc88ac807840cb0000000020ac9a87f5594be208f8532db38cff670c450ed2"
    "fea8fcdefcc9a663f78bab962b0141ed7c1647cb97379e76892be0cacff57ec4a7102aa24296ca39af7541246d8"
    "ff14d38958d4cc1e2e478e4d4a764bbfd835b16d4e314b72937b29833060b87276c030141052aedffc554b41f52"
    "b521071793a6b88d6dbca9dba94cf34c83696de0c1ec35ca9c5ed4ab28059bd606a4f3a657eec0bb96661d42921"
    "b5f50a95ad33675b54f83000141ff45f742a876139946a149ab4d9185574b98dc919d2eb6754f8abaa59d18b025"
    "637a3aa043b91817739554f4ed2026cf8022dbd83e351ce1fabc272841d2510a010140b4010dd48a617db09926f"
    "729e79c33ae0b4e94b79f04a1ae93ede6315eb3669de185a17d2b0ac9ee09fd4c64b678a0b61a0a86fa888a273c"
    "8511be83bfd6810f0247304402202b795e4de72646d76eab3f0ab27dfa30b810e856ff3a46c9a702df53bb0d8cc"
    "302203ccc4d822edab5f35caddb10af1be93583526ccfbade4b4ead350781e2f8adcd012102f9308a019258c310"
    "49344f85f89d5229b531c845836f99b08601f113bce036f90141a3785919a2ce3c4ce26f298c3d51619bc474ae2"
    "4014bcdd31328cd8cfbab2eff3395fa0a16fe5f486d12f22a9cedded5ae74feb4bbe5351346508c5405bcfee002"
    "0141ea0c6ba90763c2d3a296ad82ba45881abb4f426b3f87af162dd24d5109edc1cdd11915095ba47c3a9963dc1"
    "e6c432939872bc49212fe34c632cd3ab9fed429c4820141bbc9584a11074e83bc8c6759ec55401f0ae7b03ef290"
    "c3139814f545b58a9f8127258000874f44bc46db7646322107d4d86aec8e73b8719a61fff761d75b5dd9810065c"
    "d1d"_hex;

std::vector<TxOutput> outputs_of_the_vectors() {
    return {
        {420'000'000, "512053a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343"_hex},
        {462'000'000, "5120147c9c57132f6e7ecddba9800bb0c4449251c92a1e60371ee77557b6620f3ea3"_hex},
        {294'000'000, "76a914751e76e8199196d454941c45d1b3a323f1433bd688ac"_hex},
        {504'000'000, "5120e4d810fd50586274face62b8a807eb9719cef49c04177cc6b76a9a4251d5450e"_hex},
        {630'000'000, "512091b64d5324723a985170e4dc5a0f84c041804f2cd12660fa5dec09fc21783605"_hex},
        {378'000'000, "00147dd65592d0ab2fe0d0257d571abf032cd9db93dc"_hex},
        {672'000'000, "512075169f4001aa68f15bbed28b218df1d0a62cbbcf1188c6665110c293c907b831"_hex},
        {546'000'000, "5120712447206d7a5238acc7ff53fbe94a3b64539ad291c7cdbc490b7577e4b17df5"_hex},
        {588'000'000, "512077e30a5522dd9f894c3f8b8bd4c4b2cf82ca7da8a3ea6a239655c39c050ab220"_hex},
    };
}

struct HashOfTheVectors {
    std::size_t input_index;
    std::uint32_t hash_type;
    std::string hash;
};

const std::initializer_list<HashOfTheVectors> kHashes = {
    {0, 0x03, "2514a6272f85cfa0f45eb907fcb0d121b808ed37c6ea160a5a9046ed5526d555"},
    {1, 0x83, "325a644af47e8a5a2591cda0ab0723978537318f10e6a63d4eed783b96a71a4d"},
    {3, 0x01, "bf013ea93474aa67815b1b6cc441d23b64fa310911d991e713cd34c7f5d46669"},
    {4, 0x00, "4f900a0bae3f1446fd48490c2958b5a023228f01661cda3496a11da502a7f7ef"},
    {6, 0x02, "15f25c298eb5cdc7eb1d638dd2d45c97c4c59dcaec6679cfc16ad84f30876b85"},
    {7, 0x82, "cd292de50313804dabe4685e83f923d2969577191a3e1d2882220dca88cbeb10"},
    {8, 0x81, "cccb739eca6c13a8a89e6e5cd317ffe55669bbda23f2fd37b0f18755e008edd2"},
};

TEST(TaprootHash, IsThatOfTheWalletVectors) {
    const auto transaction = decode_transaction(kSignedTransaction).value();
    const std::vector<TxOutput> spent = outputs_of_the_vectors();
    const SighashCache cache{transaction, spent};
    for (const auto& [index, type, hash] : kHashes) {
        EXPECT_EQ(to_hex(cache.taproot_hash(index, spent[index], type).value()), hash) << index;
    }
}

std::optional<ScriptError> verdict_of(const Transaction& transaction, std::size_t input_index,
                                      std::span<const TxOutput> spent, bool all_known = true) {
    const SighashCache cache{transaction, all_known ? spent : std::span<const TxOutput>{}};
    const auto result = verify_input(cache, input_index, spent[input_index]);
    if (result) return std::nullopt;
    return result.error();
}

TEST(VerifyTaproot, AcceptsTheWalletVectors) {
    const auto transaction = decode_transaction(kSignedTransaction).value();
    const std::vector<TxOutput> spent = outputs_of_the_vectors();
    ASSERT_EQ(transaction.inputs.size(), spent.size());
    for (std::size_t i = 0; i < spent.size(); ++i) {
        EXPECT_EQ(verdict_of(transaction, i, spent), std::nullopt) << i;
    }
}

// A signature with SIGHASH_ANYONECANPAY covers only the output that its own input spends.
TEST(VerifyTaproot, NeedsAllSpentOutputsIfTheSignatureCoversThem) {
    const auto transaction = decode_transaction(kSignedTransaction).value();
    const std::vector<TxOutput> spent = outputs_of_the_vectors();
    for (const auto& [index, type, hash] : kHashes) {
        const auto expected = (type & kSighashAnyoneCanPay) != 0
                                  ? std::nullopt
                                  : std::optional(ScriptError::unknown_outputs);
        EXPECT_EQ(verdict_of(transaction, index, spent, false), expected) << index;
    }
}

// BIP341: such a hash type is invalid whatever the other inputs spend.
TEST(VerifyTaproot, NeedsNoOtherOutputToRefuseAHashTypeThatIsNotDefined) {
    auto transaction = decode_transaction(kSignedTransaction).value();
    const std::vector<TxOutput> spent = outputs_of_the_vectors();
    const auto with_type = [&](std::size_t index, std::uint8_t type) {
        Bytes signature(64, 1);
        signature.push_back(type);
        transaction.inputs[index].witness = {signature};
        return verdict_of(transaction, index, spent, false);
    };
    EXPECT_EQ(with_type(0, 0x01), ScriptError::unknown_outputs);
    EXPECT_EQ(with_type(0, 0x04), ScriptError::schnorr_hash_type);
    EXPECT_EQ(with_type(0, 0x03), ScriptError::unknown_outputs);
    EXPECT_EQ(with_type(8, 0x03), ScriptError::schnorr_hash_type)
        << "there is no output with the index of the input";
}

// A transaction with three inputs and two outputs. Its second input spends a taproot output.
struct KeyPathSpend {
    Transaction transaction;
    std::vector<TxOutput> spent;

    TxInput& input() { return transaction.inputs[1]; }
    Bytes signature() {
        const ByteView view = input().witness[0];
        return {view.begin(), view.end()};
    }
    void sign(std::uint32_t hash_type, bool is_shown = true) {
        const SighashCache cache{transaction, spent};
        Bytes signature = test::sign_taproot_hash(
            cache.taproot_hash(1, spent[1], hash_type).value(), test::private_key());
        if (is_shown) signature.push_back(static_cast<Byte>(hash_type));
        input().witness = {signature};
    }
    std::optional<ScriptError> verdict() const { return verdict_of(transaction, 1, spent); }
};

KeyPathSpend taproot_spend() {
    KeyPathSpend spend;
    spend.spent = {{70'000, p2wpkh_script({3})},
                   {100'000, test::script_of(ScriptType::p2tr, test::private_key())},
                   {80'000, p2pkh_script({4})}};
    for (std::uint8_t i = 0; i < 3; ++i) {
        spend.transaction.inputs.push_back({{Txid{{std::uint8_t(i + 1)}}, i}, {}, 0xfffffffd, {}});
    }
    spend.transaction.inputs[0].witness = {"51"_hex};
    spend.transaction.outputs = {{40'000, p2wpkh_script({1})}, {50'000, p2wpkh_script({2})}};
    spend.sign(0, /*is_shown=*/false);
    return spend;
}

// Each broken spend differs from the valid one in one point.
struct BrokenTaprootSpend {
    std::string name;
    ScriptError error;
    std::function<void(KeyPathSpend&)> change;
};

void PrintTo(const BrokenTaprootSpend& row, std::ostream* out) {
    *out << row.name;
}

class BrokenTaprootSpends : public testing::TestWithParam<BrokenTaprootSpend> {};

TEST_P(BrokenTaprootSpends, AreRefusedWithTheReason) {
    KeyPathSpend spend = taproot_spend();
    ASSERT_EQ(spend.verdict(), std::nullopt);
    GetParam().change(spend);
    EXPECT_EQ(spend.verdict(), GetParam().error);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Input, BrokenTaprootSpends, testing::ValuesIn(std::initializer_list<BrokenTaprootSpend>{
    {"KeyOfAnother", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { spend.spent[1].script_pubkey = test::script_of(ScriptType::p2tr, test::private_key(2)); }},
    {"FlippedBit", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { Bytes signature = spend.signature(); signature[63] ^= 1; spend.input().witness = {signature}; }},
    {"WrongAmount", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { ++spend.spent[1].value; }},
    {"WrongAmountOfAnotherInput", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { ++spend.spent[0].value; }},
    {"WrongScriptOfAnotherInput", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { spend.spent[2].script_pubkey[5] ^= 1; }},
    {"DefaultTypeShownAsAll", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { Bytes signature = spend.signature(); signature.push_back(1); spend.input().witness = {signature}; }},
    {"DefaultTypeWithAByte", ScriptError::schnorr_hash_type, [](KeyPathSpend& spend) { spend.sign(0); }},
    {"SingleWithoutAnOutputBeside", ScriptError::schnorr_hash_type, [](KeyPathSpend& spend) { spend.sign(kSighashSingle); spend.transaction.outputs.pop_back(); }},
    {"SignatureOf63Bytes", ScriptError::schnorr_size, [](KeyPathSpend& spend) { spend.input().witness = {Bytes(63)}; }},
    {"SignatureOf66Bytes", ScriptError::schnorr_size, [](KeyPathSpend& spend) { spend.input().witness = {Bytes(66)}; }},
    {"EmptySignature", ScriptError::schnorr_size, [](KeyPathSpend& spend) { spend.input().witness = {Bytes{}}; }},
    {"AnnexThatIsNotSigned", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { spend.input().witness.push_back("50"_hex); }},
    {"ScriptPathOfAnother", ScriptError::witness_mismatch, [](KeyPathSpend& spend) { spend.input().witness = {"51"_hex, Bytes(33, 0xc0)}; }},
    {"EmptyItemBehind", ScriptError::control_size, [](KeyPathSpend& spend) { spend.input().witness.push_back({}); }},
    {"OnlyItsWitnessMissing", ScriptError::witness_empty, [](KeyPathSpend& spend) { spend.input().witness.clear(); }},
    {"EveryWitnessMissing", ScriptError::missing_witness, [](KeyPathSpend& spend) { for (auto& input : spend.transaction.inputs) input.witness.clear(); }},
    {"ScriptSig", ScriptError::witness_malleated, [](KeyPathSpend& spend) { spend.input().script_sig = {0x51}; }},
    {"KeyOffTheCurve", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { Bytes key(32); key[31] = 5; spend.spent[1].script_pubkey = witness_program_script(1, key); }},
    {"UndefinedTypeBesideAKeyOffTheCurve", ScriptError::schnorr_hash_type, [](KeyPathSpend& spend) { Bytes key(32); key[31] = 5; spend.spent[1].script_pubkey = witness_program_script(1, key); spend.input().witness = {Bytes(65, 4)}; }},
    {"OtherVersion", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { spend.transaction.version = 1; }},
    {"OtherLockTime", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { spend.transaction.lock_time = 1; }},
    {"OtherPrevout", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { ++spend.input().prevout.index; }},
    {"OtherInputsPrevout", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { ++spend.transaction.inputs[0].prevout.index; }},
    {"OtherInputsSequence", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { ++spend.transaction.inputs[2].sequence; }},
    {"OtherRecipient", ScriptError::schnorr_signature, [](KeyPathSpend& spend) { spend.transaction.outputs[1].script_pubkey.back() ^= 1; }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(VerifyTaproot, WantsAHashTypeThatIsDefined) {
    for (std::uint32_t type = 0; type < 0x100; ++type) {
        KeyPathSpend spend = taproot_spend();
        if (is_defined_hash_type(type)) {
            spend.sign(type);
            EXPECT_EQ(spend.verdict(), std::nullopt) << type;
            continue;
        }
        Bytes signature = spend.signature();
        signature.push_back(static_cast<Byte>(type));
        spend.input().witness = {signature};
        EXPECT_EQ(spend.verdict(), ScriptError::schnorr_hash_type) << type;
    }
}

// Spends by the key 0x1234567890abcdef…, which Bitcoin Core's generateblock accepted. With one more
// byte in the annex, it refused them ("Invalid Schnorr signature").
struct AnnexVector {
    Bytes transaction;
    std::string hash;
    std::uint32_t hash_type = 0;
};

TEST(VerifyTaproot, LetsASignatureCoverTheAnnexInBlocks) {
    const TxOutput spent{
        5'000'000'000, "5120bb50e2d89a4ed70663d080659fe0ad4b9bc3e06c17a227433966cb59ceee020d"_hex};
    const AnnexVector vectors[] = {
        {"02000000000101a5325d82e45c23139c11815c9cb041dd98aa45ac44d60e2b562a202e25eb970d0000000000f"
         "f"
         "ffffff01f0ca052a01000000160014000102030405060708090a0b0c0d0e0f101112130240c432398774ea347"
         "3"
         "14158a2d3d20d64ffb1a7418b583f164d2f7474f21735a27bad35e41c48e1cc17836dfacb4f3ab07962c2cb15"
         "8"
         "20c7ef9e2016e8df327020015000000000"_hex,
         "6084dea978c6023817202db6d6e6b6b06c99afd028ff01a09c6b885a2125d515", 0},
        {"02000000000101d531ccbc2b2c9d5678d2400cd27c7b723d9f2f9c5a2b7ec7e353fff7d6290c340000000000f"
         "f"
         "ffffff01f0ca052a01000000160014000102030405060708090a0b0c0d0e0f101112130241fec9b3ccd79c8bd"
         "e"
         "4bf6d4551191eb4c1e68ade21b959652f7c9507f06c44665383ffb2bc499fcbf44841fe03d638bd9cfac08e1e"
         "7"
         "9abf5e769dd4b9bcac002f830650010203040500000000"_hex,
         "2cac2b4f4c2d5776f23dd02a41ed1f833bb64312b659a70c89a64c91de10a1a0",
         kSighashSingle | kSighashAnyoneCanPay},
    };
    for (const auto& [bytes, hash, hash_type] : vectors) {
        Transaction transaction = decode_transaction(bytes).value();
        const std::vector<TxOutput> outputs{spent};
        const auto verdict = [&](ScriptFlags rules) -> std::optional<ScriptError> {
            const auto result = verify_input(SighashCache{transaction, outputs}, 0, spent, rules);
            return result ? std::nullopt : std::optional(result.error());
        };
        Witness& witness = transaction.inputs[0].witness;
        EXPECT_EQ(
            to_hex(SighashCache(transaction, outputs)
                       .taproot_hash(0, spent, hash_type, {hash_annex(witness[1]), {}, 0xffffffff})
                       .value()),
            hash);
        EXPECT_EQ(verdict(kConsensusFlags), std::nullopt);
        EXPECT_EQ(verdict(kStandardFlags), std::nullopt) << "only IsWitnessStandard forbids it";
        const Bytes signature(witness[0].begin(), witness[0].end());
        Bytes annex(witness[1].begin(), witness[1].end());
        witness = {signature};
        EXPECT_EQ(verdict(kConsensusFlags), ScriptError::schnorr_signature);
        annex.push_back(7);
        witness = {signature, annex};
        EXPECT_EQ(verdict(kConsensusFlags), ScriptError::schnorr_signature);
        witness = {signature, "51"_hex, annex};
        EXPECT_EQ(verdict(kConsensusFlags), ScriptError::control_size) << "a script path spend";
    }
}

// The parts that each hash type does not cover (BIP341); it covers all other parts.
TEST(VerifyTaproot, LetsEachHashTypeCoverItsPart) {
    struct Change {
        std::string name;
        std::function<void(KeyPathSpend&)> make;
        std::set<std::uint32_t> open_to;
    };
    const std::initializer_list<Change> changes = {
        {"its output", [](auto& of) { ++of.transaction.outputs[1].value; }, {0x02, 0x82}},
        {"another output",
         [](auto& of) { ++of.transaction.outputs[0].value; },
         {0x02, 0x82, 0x03, 0x83}},
        {"a new input",
         [](auto& of) {
             of.transaction.inputs.emplace_back();
             of.spent.emplace_back();
         },
         {0x81, 0x82, 0x83}},
        {"another's amount", [](auto& of) { ++of.spent[0].value; }, {0x81, 0x82, 0x83}},
        {"another's sequence",
         [](auto& of) { of.transaction.inputs[0].sequence = 0; },
         {0x81, 0x82, 0x83}},
        {"its own sequence", [](auto& of) { of.transaction.inputs[1].sequence = 0; }, {}},
        {"its own amount", [](auto& of) { ++of.spent[1].value; }, {}},
    };
    for (const std::uint32_t type : {0x01U, 0x02U, 0x03U, 0x81U, 0x82U, 0x83U}) {
        for (const Change& change : changes) {
            KeyPathSpend spend = taproot_spend();
            spend.sign(type);
            change.make(spend);
            const auto expected = change.open_to.contains(type)
                                      ? std::nullopt
                                      : std::optional(ScriptError::schnorr_signature);
            EXPECT_EQ(spend.verdict(), expected) << change.name << " under " << type;
        }
    }
}

}  // namespace
}  // namespace petal::chain
