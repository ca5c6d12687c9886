#include "chain/script/script_sig.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>

#include "tests/support/hex.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

Bytes operator+(Bytes one, const Bytes& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

struct ScriptSigRow {
    const char* name;
    Bytes script_sig;
    std::optional<InputError> standard;
    std::optional<InputError> consensus;
};
void PrintTo(const ScriptSigRow& row, std::ostream* out) {
    *out << row.name;
}

class ScriptSigs : public testing::TestWithParam<ScriptSigRow> {};

TEST_P(ScriptSigs, AreJudgedAsBitcoinCoreDoes) {
    const auto verdict = [](ScriptRules rules) -> std::optional<InputError> {
        const auto items = pushed_items(GetParam().script_sig, rules, 2);
        if (items) return std::nullopt;
        return items.error();
    };
    EXPECT_EQ(verdict(ScriptRules::standard), GetParam().standard);
    EXPECT_EQ(verdict(ScriptRules::consensus), GetParam().consensus);
}

constexpr auto kTooLargeScript = InputError::script_too_large;
constexpr auto kTooLargePush = InputError::push_too_large;
constexpr auto kTooLargeStack = InputError::stack_too_large;
constexpr auto kMalformed = InputError::malformed_script_sig;
constexpr auto kOperations = InputError::not_push_only;
constexpr auto kLongerPush = InputError::longer_push;
constexpr std::nullopt_t kFine = std::nullopt;

// `count` pushes of 498 bytes; each takes 501 bytes with its opcode and length.
Bytes pushes_of_501(int count) {
    Bytes script;
    for (int i = 0; i < count; ++i) script = script + push_data(Bytes(498));
    return script;
}

// The limits are those of Bitcoin Core's script.h, the order that of EvalScript.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, ScriptSigs, testing::ValuesIn<ScriptSigRow>({
    {"Nothing", {}, kFine, kFine},
    {"Pushes", "00014f4f51600102"_hex, kLongerPush, kFine},
    {"ShortestPushes", "00014f4f5160"_hex, kFine, kFine},
    {"LargestScript", pushes_of_501(19) + Bytes(481), kFine, kFine},
    {"TooLargeScript", pushes_of_501(19) + Bytes(482), kTooLargeScript, kTooLargeScript},
    {"TooLargeScriptOfOperations", Bytes(10'001, 0x61), kTooLargeScript, kTooLargeScript},
    {"LargestPush", push_data(Bytes(520)), kFine, kFine},
    {"TooLargePush", push_data(Bytes(521)), kTooLargePush, kTooLargePush},
    {"TooLargePushBehindAnOperation", "61"_hex + push_data(Bytes(521)), kTooLargePush, kTooLargePush},
    {"TooLargePushBehindALongerOne", "0102"_hex + push_data(Bytes(521)), kLongerPush, kTooLargePush},
    {"LargestStack", Bytes(998), kFine, kFine},
    {"TooLargeStackLater", Bytes(999), kTooLargeStack, kTooLargeStack},
    {"CutBehindAStackThatIsTooLargeLater", Bytes(1'000) + "02ff"_hex, kMalformed, kMalformed},
    {"CutBehindATooLargeStack", Bytes(1'001) + "02ff"_hex, kTooLargeStack, kTooLargeStack},
    {"CutPush", "02ff"_hex, kMalformed, kMalformed},
    {"CutLength", "4dff"_hex, kMalformed, kMalformed},
    {"CutBehindAnOperation", "6102ff"_hex, kMalformed, kMalformed},
    {"Reserved", "50"_hex, kMalformed, kMalformed},
    {"ReservedThatIsNotRun", "00635068"_hex, kOperations, kOperations},
    {"LongerPushThatIsNotRun", "0063010268"_hex, kOperations, kOperations},
    {"ManyItemsThatLeave", Bytes(990) + "6d6d6d6d6d6d6d6d6d6d"_hex + Bytes(20), kOperations, kOperations},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(PushedItems, AreTheValuesOfNumbers) {
    const Bytes script = "4f00515f60"_hex;
    const auto items = pushed_items(script, ScriptRules::standard, 0);
    ASSERT_TRUE(items);
    ASSERT_EQ(items->size(), 5U);
    const Bytes expected[] = {"81"_hex, {}, "01"_hex, "0f"_hex, "10"_hex};
    for (std::size_t i = 0; i < items->size(); ++i) {
        EXPECT_EQ(Bytes((*items)[i].begin(), (*items)[i].end()), expected[i]);
    }
}

}  // namespace
}  // namespace petal::chain
