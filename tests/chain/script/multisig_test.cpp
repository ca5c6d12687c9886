// Spends of multisig and single-key scripts: bare, in P2SH, in P2WSH, and in P2WSH within P2SH.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "tests/support/signing.h"

namespace petal::chain {
namespace {

using test::is_segwit;
using test::ScriptPlace;

constexpr Satoshis kAmount = 100'000;

constexpr std::array kPlaceNames{"Bare", "InP2sh", "InP2wsh", "InP2shP2wsh"};

// A 2-of-3 script with the keys of private_key(1) to private_key(3).
Bytes two_of_three(bool compressed = true) {
    ByteWriter script;
    script.bytes(push_number(2));
    for (std::uint32_t i = 1; i <= 3; ++i) {
        script.bytes(push_data(test::public_key_of(test::private_key(i), compressed)));
    }
    return script.bytes(push_number(3)).u8(0xae).take();
}

// The items that spend a multisig output: an empty item and the signatures.
struct MultisigSpend {
    Bytes script;
    ScriptPlace place = ScriptPlace::bare;
    std::vector<Bytes> items;
    Transaction transaction;

    TxOutput spent() const { return {kAmount, test::output_script_of(place, script)}; }
    Bytes signature_of(std::uint32_t key) const {
        return test::sign_script(transaction, 0, place, script, kAmount, test::private_key(key));
    }
    void put_items() { test::put_script_items(transaction.inputs[0], place, script, items); }
    std::optional<ScriptError> verdict(ScriptFlags rules = kStandardFlags) {
        put_items();
        return verdict_as_it_is(rules);
    }
    std::optional<ScriptError> verdict_as_it_is(ScriptFlags rules = kStandardFlags) const {
        const auto result = verify_input(SighashCache{transaction}, 0, spent(), rules);
        if (result) return std::nullopt;
        return result.error();
    }
};

MultisigSpend signed_spend(ScriptPlace place, bool compressed = true) {
    MultisigSpend spend;
    spend.script = two_of_three(compressed);
    spend.place = place;
    spend.transaction.inputs = {{{Txid{{1}}, 0}, {}, 0xfffffffd, {}}};
    spend.transaction.outputs = {{90'000, p2wpkh_script({1})}};
    spend.items = {{}, spend.signature_of(1), spend.signature_of(3)};
    return spend;
}

struct MultisigRow {
    const char* name;
    std::optional<ScriptError> expected;
    std::function<void(MultisigSpend&)> change;
};
void PrintTo(const MultisigRow& row, std::ostream* out) {
    *out << row.name;
}

class Multisig : public testing::TestWithParam<std::tuple<ScriptPlace, MultisigRow>> {};

TEST_P(Multisig, IsJudgedAsBitcoinCoreDoes) {
    const auto& [place, row] = GetParam();
    MultisigSpend spend = signed_spend(place);
    row.change(spend);
    EXPECT_EQ(spend.verdict(), row.expected);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, Multisig, testing::Combine(testing::ValuesIn(test::kScriptPlaces), testing::ValuesIn<MultisigRow>({
    {"KeysOneAndThree", std::nullopt, [](MultisigSpend&) {}},
    {"KeysTwoAndThree", std::nullopt, [](MultisigSpend& spend) { spend.items[1] = spend.signature_of(2); }},
    {"WrongOrder", ScriptError::null_fail, [](MultisigSpend& spend) { std::swap(spend.items[1], spend.items[2]); }},
    {"TheSameSignatureTwice", ScriptError::null_fail, [](MultisigSpend& spend) { spend.items[2] = spend.items[1]; }},
    {"AForeignKey", ScriptError::null_fail, [](MultisigSpend& spend) { spend.items[2] = spend.signature_of(4); }},
    {"AnotherTransaction", ScriptError::null_fail, [](MultisigSpend& spend) { spend.transaction.lock_time = 1; }},
    {"NonzeroDummy", ScriptError::null_dummy, [](MultisigSpend& spend) { spend.items[0] = {1}; }},
    {"NonzeroDummyAndWrongSignatures", ScriptError::null_fail, [](MultisigSpend& spend) { spend.items[0] = {1}; spend.transaction.lock_time = 1; }},
    {"OneEmptySignature", ScriptError::null_fail, [](MultisigSpend& spend) { spend.items[1] = {}; }},
    {"EmptySignatures", ScriptError::eval_false, [](MultisigSpend& spend) { spend.items[1] = spend.items[2] = {}; }},
    {"TooFewSignatures", ScriptError::invalid_stack_operation, [](MultisigSpend& spend) { spend.items.pop_back(); }},
    {"NoDummy", ScriptError::invalid_stack_operation, [](MultisigSpend& spend) { spend.items.erase(spend.items.begin()); }},
    {"AnItemBelow", ScriptError::clean_stack, [](MultisigSpend& spend) { spend.items.insert(spend.items.begin(), Bytes{}); }},
    {"UndefinedHashType", ScriptError::signature_hash_type, [](MultisigSpend& spend) { spend.items[2].back() = 4; }},
    {"MalformedSignature", ScriptError::signature_der, [](MultisigSpend& spend) { spend.items[2][0] = 0x31; }},
    {"MalformedSignatureThatIsNotReached", ScriptError::null_fail, [](MultisigSpend& spend) { spend.items[1][0] = 0x31; spend.items[2] = spend.signature_of(4); }},
})), [](const auto& row) { return std::string(kPlaceNames[static_cast<std::size_t>(std::get<0>(row.param))]) + std::get<1>(row.param).name; });
// clang-format on

TEST(MultisigTemplates, FailForTheDummyBeforeTheSignaturesInBlocks) {
    for (const ScriptPlace place : test::kScriptPlaces) {
        MultisigSpend spend = signed_spend(place);
        spend.transaction.lock_time = 1;
        EXPECT_EQ(spend.verdict(kConsensusFlags), ScriptError::eval_false);
        spend.items[0] = {1};
        EXPECT_EQ(spend.verdict(kConsensusFlags), ScriptError::null_dummy);
    }
}

TEST(MultisigTemplates, MayHaveItemsBelowThemInBlocksBeforeSegwit) {
    for (const ScriptPlace place : test::kScriptPlaces) {
        MultisigSpend spend = signed_spend(place);
        spend.items.insert(spend.items.begin(), Bytes{1});
        EXPECT_EQ(spend.verdict(), ScriptError::clean_stack);
        const auto in_blocks =
            is_segwit(place) ? std::optional(ScriptError::clean_stack) : std::nullopt;
        EXPECT_EQ(spend.verdict(kConsensusFlags), in_blocks);
    }
}

// Bitcoin Core: MAX_STACK_SIZE. The script itself pushes three keys and two numbers.
TEST(MultisigTemplates, HaveAThousandItemsAtMost) {
    for (const ScriptPlace place : test::kScriptPlaces) {
        MultisigSpend spend = signed_spend(place);
        spend.items.insert(spend.items.begin(), 992, Bytes{});
        EXPECT_EQ(spend.verdict(), ScriptError::clean_stack);
        spend.items.insert(spend.items.begin(), Bytes{});
        EXPECT_EQ(spend.verdict(), ScriptError::stack_size);
        EXPECT_EQ(spend.verdict(kConsensusFlags), ScriptError::stack_size);
    }
}

TEST(MultisigTemplates, HaveItemsOf520BytesAtMost) {
    for (const ScriptPlace place : test::kScriptPlaces) {
        MultisigSpend spend = signed_spend(place);
        spend.items[0].resize(520);
        EXPECT_EQ(spend.verdict(), ScriptError::null_dummy);
        spend.items[0].resize(521);
        EXPECT_EQ(spend.verdict(), ScriptError::push_size);
    }
}

TEST(MultisigTemplates, NeedCompressedKeysInSegwitOnly) {
    for (const ScriptPlace place : test::kScriptPlaces) {
        EXPECT_EQ(signed_spend(place, /*compressed=*/false).verdict(),
                  is_segwit(place) ? std::optional(ScriptError::witness_key_type) : std::nullopt);
    }
}

TEST(MultisigTemplates, IgnoreAKeyOffTheCurveThatIsNotNeeded) {
    for (const ScriptPlace place : test::kScriptPlaces) {
        MultisigSpend spend = signed_spend(place);
        Bytes off_the_curve(33);
        off_the_curve[0] = 2;
        off_the_curve[32] = 7;
        std::copy(off_the_curve.begin(), off_the_curve.end(), spend.script.begin() + 2 + 34);
        spend.items = {{}, spend.signature_of(1), spend.signature_of(3)};
        EXPECT_EQ(spend.verdict(), std::nullopt);
    }
}

TEST(MultisigTemplates, CoverTheAmountInSegwit) {
    for (const ScriptPlace place : test::kScriptPlaces) {
        MultisigSpend spend = signed_spend(place);
        ASSERT_EQ(spend.verdict(), std::nullopt);
        TxOutput other = spend.spent();
        ++other.value;
        EXPECT_EQ(verify_input(SighashCache{spend.transaction}, 0, other).has_value(),
                  !is_segwit(place));
    }
}

TEST(MultisigTemplates, AreNamedByTheirHash) {
    const auto error_of = [](const MultisigSpend& spend, const Bytes& other_output) {
        const TxOutput other{kAmount, other_output};
        return verify_input(SighashCache{spend.transaction}, 0, other).error();
    };
    const Bytes other{1};
    MultisigSpend spend = signed_spend(ScriptPlace::p2wsh);
    ASSERT_EQ(spend.verdict(), std::nullopt);
    EXPECT_EQ(error_of(spend, test::output_script_of(ScriptPlace::p2wsh, other)),
              ScriptError::witness_mismatch);
    for (const ScriptPlace place : {ScriptPlace::p2sh, ScriptPlace::p2sh_p2wsh}) {
        spend = signed_spend(place);
        ASSERT_EQ(spend.verdict(), std::nullopt);
        EXPECT_EQ(error_of(spend, test::output_script_of(place, other)), ScriptError::eval_false);
    }
    // The redeem script is right, but the witness has another script than the redeem script commits
    // to.
    spend = signed_spend(ScriptPlace::p2sh_p2wsh);
    spend.put_items();
    spend.transaction.inputs[0].witness = {Bytes{}, Bytes{1}};
    EXPECT_EQ(spend.verdict_as_it_is(), ScriptError::witness_mismatch);
}

TEST(OtherScripts, InP2wshAreRun) {
    for (const ScriptPlace place : {ScriptPlace::p2wsh, ScriptPlace::p2sh_p2wsh}) {
        MultisigSpend spend = signed_spend(place);
        spend.script = {0x51};
        EXPECT_EQ(spend.verdict(), ScriptError::clean_stack);
        spend.items.clear();
        EXPECT_EQ(spend.verdict(), std::nullopt);
        spend.script.resize(10'001);
        EXPECT_EQ(spend.verdict(), ScriptError::script_size);
    }
}

TEST(MultisigTemplates, TakeNoWitnessBeforeSegwitAndNoOtherScriptSigInIt) {
    for (const ScriptPlace place : test::kScriptPlaces) {
        MultisigSpend spend = signed_spend(place);
        ASSERT_EQ(spend.verdict(), std::nullopt);
        TxInput& input = spend.transaction.inputs[0];
        if (is_segwit(place)) {
            input.script_sig.insert(input.script_sig.begin(), 0);
            EXPECT_EQ(spend.verdict_as_it_is(), place == ScriptPlace::p2wsh
                                                    ? ScriptError::witness_malleated
                                                    : ScriptError::witness_malleated_p2sh);
        } else {
            input.witness = {Bytes{1}};
            EXPECT_EQ(spend.verdict_as_it_is(), ScriptError::witness_unexpected);
        }
    }
}

TEST(MultisigTemplates, InSegwitMayArriveWithoutTheirWitness) {
    for (const ScriptPlace place : {ScriptPlace::p2wsh, ScriptPlace::p2sh_p2wsh}) {
        MultisigSpend spend = signed_spend(place);
        spend.put_items();
        spend.transaction.inputs[0].witness.clear();
        EXPECT_EQ(spend.verdict_as_it_is(), ScriptError::missing_witness);
        spend.transaction.inputs.push_back(spend.transaction.inputs[0]);
        spend.transaction.inputs[1].witness = {Bytes{1}};
        EXPECT_EQ(spend.verdict_as_it_is(), ScriptError::witness_empty);
    }
}

// P2PK and P2PKH in each place, spent with a signature and, for P2PKH, the key.
class OneKeyScript : public testing::TestWithParam<std::tuple<ScriptPlace, bool>> {
protected:
    MultisigSpend spend_of(const Bytes& owned) const {
        MultisigSpend spend = signed_spend(std::get<0>(GetParam()));
        spend.script = shows_key() ? p2pkh_script(hash160(owned)) : p2pk_script(owned);
        spend.items = {spend.signature_of(1)};
        if (shows_key()) spend.items.push_back(owned);
        return spend;
    }
    bool in_segwit() const { return is_segwit(std::get<0>(GetParam())); }
    static bool shows_key() { return std::get<1>(GetParam()); }
    const Bytes key = test::public_key_of(test::private_key(1));
};

INSTANTIATE_TEST_SUITE_P(Places, OneKeyScript,
                         testing::Combine(testing::ValuesIn(test::kScriptPlaces), testing::Bool()),
                         [](const auto& row) {
                             const bool shows_key = std::get<1>(row.param);
                             return std::string(shows_key ? "P2pkh" : "P2pk") +
                                    kPlaceNames[static_cast<std::size_t>(std::get<0>(row.param))];
                         });

TEST_P(OneKeyScript, NeedsTheSignatureOfItsKey) {
    MultisigSpend spend = spend_of(key);
    EXPECT_EQ(spend.verdict(), std::nullopt);
    EXPECT_EQ(spend.verdict(kConsensusFlags), std::nullopt);
    spend.items[0] = spend.signature_of(2);
    EXPECT_EQ(spend.verdict(), ScriptError::null_fail);
    spend.items[0] = {};
    EXPECT_EQ(spend.verdict(), ScriptError::eval_false);
    spend.items.clear();
    EXPECT_EQ(spend.verdict(), ScriptError::invalid_stack_operation);
    if (!shows_key()) return;
    spend.items = {key};
    EXPECT_EQ(spend.verdict(), ScriptError::invalid_stack_operation);
    spend.items = {spend.signature_of(2), test::public_key_of(test::private_key(2))};
    EXPECT_EQ(spend.verdict(), ScriptError::equal_verify);
}

TEST_P(OneKeyScript, MayHaveItemsBelowOnlyInBlocksBeforeSegwit) {
    MultisigSpend spend = spend_of(key);
    spend.items.insert(spend.items.begin(), Bytes{});
    EXPECT_EQ(spend.verdict(), ScriptError::clean_stack);
    EXPECT_EQ(spend.verdict(kConsensusFlags),
              in_segwit() ? std::optional(ScriptError::clean_stack) : std::nullopt);
    // The script's own pushes count as well. In P2SH, the redeem script and its hash were on the
    // stack before.
    const bool in_p2sh = std::get<0>(GetParam()) == ScriptPlace::p2sh;
    const std::size_t most = shows_key() || in_p2sh ? 998 : 999;
    spend.items.insert(spend.items.begin(), most - spend.items.size(), Bytes{});
    EXPECT_EQ(spend.verdict(), ScriptError::clean_stack);
    spend.items.insert(spend.items.begin(), Bytes{});
    EXPECT_EQ(spend.verdict(), ScriptError::stack_size);
}

TEST_P(OneKeyScript, HasACompressedKeyInSegwit) {
    MultisigSpend spend = spend_of(test::public_key_of(test::private_key(1), false));
    EXPECT_EQ(spend.verdict(),
              in_segwit() ? std::optional(ScriptError::witness_key_type) : std::nullopt);
}

}  // namespace
}  // namespace petal::chain
