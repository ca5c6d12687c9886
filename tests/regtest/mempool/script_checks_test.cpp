#include "regtest/mempool/script_checks.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "chain/hash.h"
#include "tests/support/signing.h"

namespace petal::regtest {
namespace {

using chain::Bytes;
using chain::ScriptType;

constexpr std::string_view kScriptSize = "Script is too big";
constexpr std::string_view kPushSize = "Push value size limit exceeded";
constexpr std::string_view kStackSize = "Stack size limit exceeded";
constexpr std::string_view kBadOpcode = "Opcode missing or not understood";
constexpr std::string_view kPushOnly = "Only push operators allowed in signatures";
constexpr std::string_view kStackOperation = "Operation not valid with the current stack size";
constexpr std::string_view kEvalFalse =
    "Script evaluated without error but finished with a false/empty top stack element";
constexpr std::string_view kMalleatedNested = "Witness requires only-redeemscript scriptSig";

/// Bitcoin Core's error for a spend of this output by a scriptSig without a witness; empty if it is
/// valid.
std::string words(const Bytes& script_pubkey, const Bytes& script_sig, chain::ScriptFlags flags) {
    const chain::TxOutput spent{100'000, script_pubkey};
    chain::Transaction transaction;
    transaction.inputs = {{{chain::Txid{{1}}, 0}, script_sig, 0xffffffff, {}}};
    transaction.outputs = {{90'000, test::p2wpkh_script_of(test::private_key())}};
    const auto wrong = find_wrong_script(transaction, {&spent, 1}, flags);
    return wrong ? std::string(wrong->detail) : "";
}

Bytes joined(Bytes one, const Bytes& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

Bytes redeem_push() {
    return chain::push_data(test::p2wpkh_script_of(test::private_key()));
}

struct WordsRow {
    const char* name;
    ScriptType type;
    Bytes script_sig;
    std::string_view expected;
};
void PrintTo(const WordsRow& row, std::ostream* out) {
    *out << row.name;
}

class ScriptErrorRows : public testing::TestWithParam<WordsRow> {};

TEST_P(ScriptErrorRows, HaveCoresWords) {
    const auto& [name, type, script_sig, expected] = GetParam();
    const Bytes script = test::script_of(type, test::private_key());
    EXPECT_EQ(words(script, script_sig, chain::kStandardFlags), expected);
    EXPECT_EQ(words(script, script_sig, chain::kConsensusFlags), expected);
}

// A P2WPKH program needs two witness items, and a P2WSH program at least one.
TEST(ScriptErrors, OfNestedProgramsWithoutAWitnessAreThoseOfThePrograms) {
    const auto nested = [](const Bytes& program) {
        return words(chain::p2sh_script(chain::hash160(program)), chain::push_data(program),
                     chain::kStandardFlags);
    };
    EXPECT_EQ(nested(test::p2wpkh_script_of(test::private_key())), "Witness program hash mismatch");
    EXPECT_EQ(nested(chain::witness_program_script(0, chain::sha256(Bytes{0x51}))),
              "Witness program was passed an empty witness");
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, ScriptErrorRows, testing::ValuesIn<WordsRow>({
    {"P2pkhScript", ScriptType::p2pkh, Bytes(10'001), kScriptSize},
    {"P2pkhPush", ScriptType::p2pkh, chain::push_data(Bytes(521)), kPushSize},
    {"P2pkhStack", ScriptType::p2pkh, Bytes(1'000), kStackSize},
    {"P2pkhCut", ScriptType::p2pkh, {0x02, 0xff}, kBadOpcode},
    {"P2pkhNothing", ScriptType::p2pkh, {}, kStackOperation},
    {"P2shScript", ScriptType::p2sh, joined(Bytes(10'000), redeem_push()), kScriptSize},
    {"P2shPush", ScriptType::p2sh, joined(chain::push_data(Bytes(521)), redeem_push()), kPushSize},
    {"P2shStack", ScriptType::p2sh, joined(Bytes(999), redeem_push()), kStackSize},
    {"P2shItem", ScriptType::p2sh, joined({0x51}, redeem_push()), kMalleatedNested},
    {"P2shOperation", ScriptType::p2sh, joined({0x61}, redeem_push()), kPushOnly},
    {"P2shCut", ScriptType::p2sh, Bytes{0x16, 0x00, 0x14}, kBadOpcode},
    {"P2shNothing", ScriptType::p2sh, {}, kStackOperation},
    {"P2shOfAnother", ScriptType::p2sh, {0x51}, kEvalFalse},
    {"P2wpkhScriptSig", ScriptType::p2wpkh, {0x51}, "Witness requires empty scriptSig"},
}), [](const auto& row) { return row.param.name; });
// clang-format on

}  // namespace
}  // namespace petal::regtest
