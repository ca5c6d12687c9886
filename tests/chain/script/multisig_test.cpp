// Spends of multisig outputs, bare and in P2WSH.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "tests/support/signing.h"

namespace petal::chain {
namespace {

constexpr Satoshis kAmount = 100'000;

// A 2-of-3 script with the keys of private_key(1) to private_key(3).
Bytes two_of_three(bool compressed = true) {
    ByteWriter script;
    script.bytes(push_number(2));
    for (std::uint32_t i = 1; i <= 3; ++i) {
        script.bytes(push_data(test::public_key_of(test::private_key(i), compressed)));
    }
    return script.bytes(push_number(3)).u8(0xae).take();
}

// The items that spend a multisig output: an empty one, and signatures.
struct MultisigSpend {
    Bytes script;
    bool in_p2wsh = false;
    std::vector<Bytes> items;
    Transaction transaction;

    TxOutput spent() const {
        return {kAmount, in_p2wsh ? witness_program_script(0, sha256(script)) : script};
    }
    Bytes signature_of(std::uint32_t key) const {
        const SighashCache cache{transaction};
        const Hash256 hash = in_p2wsh ? cache.segwit_hash(0, script, kAmount, kSighashAll)
                                      : cache.legacy_hash(0, script, kSighashAll);
        Bytes signature = test::sign_hash(hash, test::private_key(key));
        signature.push_back(kSighashAll);
        return signature;
    }
    std::optional<InputError> verdict(ScriptRules rules = ScriptRules::standard) {
        TxInput& input = transaction.inputs[0];
        input.script_sig.clear();
        input.witness.clear();
        for (const Bytes& item : items) {
            if (in_p2wsh) {
                input.witness.push_back(item);
            } else {
                const Bytes push = push_data(item);
                input.script_sig.insert(input.script_sig.end(), push.begin(), push.end());
            }
        }
        if (in_p2wsh) input.witness.push_back(script);
        const auto result = verify_input(SighashCache{transaction}, 0, spent(), rules);
        if (result) return std::nullopt;
        return result.error();
    }
};

MultisigSpend signed_spend(bool in_p2wsh, bool compressed = true) {
    MultisigSpend spend;
    spend.script = two_of_three(compressed);
    spend.in_p2wsh = in_p2wsh;
    spend.transaction.inputs = {{{Txid{{1}}, 0}, {}, 0xfffffffd, {}}};
    spend.transaction.outputs = {{90'000, p2wpkh_script({1})}};
    spend.items = {{}, spend.signature_of(1), spend.signature_of(3)};
    return spend;
}

struct MultisigRow {
    const char* name;
    std::optional<InputError> expected;
    std::function<void(MultisigSpend&)> change;
};
void PrintTo(const MultisigRow& row, std::ostream* out) {
    *out << row.name;
}

class Multisig : public testing::TestWithParam<std::tuple<bool, MultisigRow>> {};

TEST_P(Multisig, IsJudgedAsBitcoinCoreDoes) {
    const auto& [in_p2wsh, row] = GetParam();
    MultisigSpend spend = signed_spend(in_p2wsh);
    row.change(spend);
    EXPECT_EQ(spend.verdict(), row.expected);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, Multisig, testing::Combine(testing::Bool(), testing::ValuesIn<MultisigRow>({
    {"KeysOneAndThree", std::nullopt, [](MultisigSpend&) {}},
    {"KeysTwoAndThree", std::nullopt, [](MultisigSpend& spend) { spend.items[1] = spend.signature_of(2); }},
    {"WrongOrder", InputError::wrong_signature, [](MultisigSpend& spend) { std::swap(spend.items[1], spend.items[2]); }},
    {"TheSameSignatureTwice", InputError::wrong_signature, [](MultisigSpend& spend) { spend.items[2] = spend.items[1]; }},
    {"AForeignKey", InputError::wrong_signature, [](MultisigSpend& spend) { spend.items[2] = spend.signature_of(4); }},
    {"AnotherTransaction", InputError::wrong_signature, [](MultisigSpend& spend) { spend.transaction.lock_time = 1; }},
    {"NonzeroDummy", InputError::nonzero_dummy, [](MultisigSpend& spend) { spend.items[0] = {1}; }},
    {"NonzeroDummyAndWrongSignatures", InputError::wrong_signature, [](MultisigSpend& spend) { spend.items[0] = {1}; spend.transaction.lock_time = 1; }},
    {"OneEmptySignature", InputError::wrong_signature, [](MultisigSpend& spend) { spend.items[1] = {}; }},
    {"EmptySignatures", InputError::empty_signature, [](MultisigSpend& spend) { spend.items[1] = spend.items[2] = {}; }},
    {"TooFewSignatures", InputError::too_few_items, [](MultisigSpend& spend) { spend.items.pop_back(); }},
    {"NoDummy", InputError::too_few_items, [](MultisigSpend& spend) { spend.items.erase(spend.items.begin()); }},
    {"AnItemBelow", InputError::too_many_items, [](MultisigSpend& spend) { spend.items.insert(spend.items.begin(), Bytes{}); }},
    {"UndefinedHashType", InputError::undefined_hash_type, [](MultisigSpend& spend) { spend.items[2].back() = 4; }},
    {"MalformedSignature", InputError::malformed_signature, [](MultisigSpend& spend) { spend.items[2][0] = 0x31; }},
    {"MalformedSignatureThatIsNotReached", InputError::wrong_signature, [](MultisigSpend& spend) { spend.items[1][0] = 0x31; spend.items[2] = spend.signature_of(4); }},
})), [](const auto& row) { return std::string(std::get<0>(row.param) ? "InP2wsh" : "Bare") + std::get<1>(row.param).name; });
// clang-format on

TEST(MultisigTemplates, FailForTheDummyBeforeTheSignaturesInBlocks) {
    for (const bool in_p2wsh : {false, true}) {
        MultisigSpend spend = signed_spend(in_p2wsh);
        spend.transaction.lock_time = 1;
        EXPECT_EQ(spend.verdict(ScriptRules::consensus), InputError::wrong_signature);
        spend.items[0] = {1};
        EXPECT_EQ(spend.verdict(ScriptRules::consensus), InputError::nonzero_dummy);
    }
}

TEST(MultisigTemplates, MayHaveItemsBelowThemInBlocksWhereBare) {
    for (const bool in_p2wsh : {false, true}) {
        MultisigSpend spend = signed_spend(in_p2wsh);
        spend.items.insert(spend.items.begin(), Bytes{1});
        EXPECT_EQ(spend.verdict(), InputError::too_many_items);
        const auto in_blocks = in_p2wsh ? std::optional(InputError::too_many_items) : std::nullopt;
        EXPECT_EQ(spend.verdict(ScriptRules::consensus), in_blocks);
    }
}

// Bitcoin Core: MAX_STACK_SIZE; the script pushes three keys and two numbers.
TEST(MultisigTemplates, HaveAThousandItemsAtMost) {
    for (const bool in_p2wsh : {false, true}) {
        MultisigSpend spend = signed_spend(in_p2wsh);
        spend.items.insert(spend.items.begin(), 992, Bytes{});
        EXPECT_EQ(spend.verdict(), InputError::too_many_items);
        spend.items.insert(spend.items.begin(), Bytes{});
        EXPECT_EQ(spend.verdict(), InputError::stack_too_large);
        EXPECT_EQ(spend.verdict(ScriptRules::consensus), InputError::stack_too_large);
    }
}

TEST(MultisigTemplates, HaveItemsOf520BytesAtMost) {
    for (const bool in_p2wsh : {false, true}) {
        MultisigSpend spend = signed_spend(in_p2wsh);
        spend.items[0].resize(520);
        EXPECT_EQ(spend.verdict(), InputError::nonzero_dummy);
        spend.items[0].resize(521);
        EXPECT_EQ(spend.verdict(), InputError::push_too_large);
    }
}

TEST(MultisigTemplates, NeedCompressedKeysInSegwitOnly) {
    EXPECT_EQ(signed_spend(false, /*compressed=*/false).verdict(), std::nullopt);
    EXPECT_EQ(signed_spend(true, /*compressed=*/false).verdict(), InputError::uncompressed_key);
}

TEST(MultisigTemplates, IgnoreAKeyOffTheCurveThatIsNotNeeded) {
    for (const bool in_p2wsh : {false, true}) {
        MultisigSpend spend = signed_spend(in_p2wsh);
        Bytes off_the_curve(33);
        off_the_curve[0] = 2;
        off_the_curve[32] = 7;
        std::copy(off_the_curve.begin(), off_the_curve.end(), spend.script.begin() + 2 + 34);
        spend.items = {{}, spend.signature_of(1), spend.signature_of(3)};
        EXPECT_EQ(spend.verdict(), std::nullopt);
    }
}

TEST(MultisigTemplates, CoverTheAmountInSegwit) {
    MultisigSpend spend = signed_spend(true);
    ASSERT_EQ(spend.verdict(), std::nullopt);
    TxOutput other = spend.spent();
    ++other.value;
    EXPECT_EQ(verify_input(SighashCache{spend.transaction}, 0, other).error(),
              InputError::wrong_signature);
}

TEST(MultisigTemplates, AreNamedByTheHashInP2wsh) {
    MultisigSpend spend = signed_spend(true);
    ASSERT_EQ(spend.verdict(), std::nullopt);
    const SighashCache cache{spend.transaction};
    const TxOutput other{kAmount, witness_program_script(0, sha256(Bytes{1}))};
    EXPECT_EQ(verify_input(cache, 0, other).error(), InputError::wrong_witness_script);
}

TEST(MultisigTemplates, AreTheOnlyP2wshThatIsJudged) {
    MultisigSpend spend = signed_spend(true);
    spend.script = {0x51};
    EXPECT_EQ(spend.verdict(), InputError::unsupported);
    spend.script.resize(10'001);
    EXPECT_EQ(spend.verdict(), InputError::script_too_large);
}

TEST(MultisigTemplates, TakeNoWitnessWhereBareAndNoScriptSigInP2wsh) {
    MultisigSpend bare = signed_spend(false);
    ASSERT_EQ(bare.verdict(), std::nullopt);
    bare.transaction.inputs[0].witness = {Bytes{1}};
    EXPECT_EQ(verify_input(SighashCache{bare.transaction}, 0, bare.spent()).error(),
              InputError::unexpected_witness);
    MultisigSpend wrapped = signed_spend(true);
    ASSERT_EQ(wrapped.verdict(), std::nullopt);
    wrapped.transaction.inputs[0].script_sig = {0};
    EXPECT_EQ(verify_input(SighashCache{wrapped.transaction}, 0, wrapped.spent()).error(),
              InputError::unexpected_script_sig);
}

}  // namespace
}  // namespace petal::chain
