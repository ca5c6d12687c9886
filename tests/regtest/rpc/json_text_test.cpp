#include "regtest/rpc/json_text.h"

#include <gtest/gtest.h>

#include "regtest/rpc/btc_amount.h"

namespace petal::regtest::rpc {
namespace {

constexpr chain::Satoshis kCoin = 100'000'000;

struct AmountRow {
    std::string_view text;
    std::optional<chain::Satoshis> amount;
};

void PrintTo(const AmountRow& row, std::ostream* out) {
    *out << row.text;
}

class BtcAmounts : public testing::TestWithParam<AmountRow> {};

// Checks an amount as a JSON number, as a JSON string, and both as a method reads them.
TEST_P(BtcAmounts, AreReadExactlyOrNotAtAll) {
    const auto& [text, amount] = GetParam();
    EXPECT_EQ(parse_btc_text(text), amount);
    const bool is_money = amount && *amount >= 0 && *amount <= chain::kMaxMoney;
    for (const std::string& json : {std::string(text), '"' + std::string(text) + '"'}) {
        const auto value = parse_bounded(json);
        if (!value) continue;  // not a number in JSON
        if (is_money) {
            EXPECT_EQ(parse_btc(*value), *amount) << json;
        } else {
            EXPECT_THROW(parse_btc(*value), RpcError) << json;
        }
    }
}

// Bitcoin Core: test/util_tests.cpp, test_ParseFixedPoint; test/rpc_tests.cpp,
// rpc_parse_monetary_values.
constexpr AmountRow kAmounts[] = {
    {"0", 0},
    {"0.00", 0},
    {"1", kCoin},
    {"0.1", kCoin / 10},
    {"0.00000001", 1},
    {"0.00035706", 35'706},
    {"0.00035706000000000003", std::nullopt},  // the same value as a double
    {"0.000000010", 1},
    {"0.10000000000000000", kCoin / 10},
    {"0.000000001", std::nullopt},
    {"0.00000001000001", std::nullopt},
    {"3e-05", 3'000},
    {"3E-05", 3'000},
    {"1e-8", 1},
    {"1e-9", std::nullopt},
    {"19e-9", std::nullopt},
    {"0.19e-6", 19},
    {"0.1e+1", kCoin},
    {"1e000000000000000000000", kCoin},
    {"1e-0000000008", 1},
    {"0e9", 0},
    {"0e10", std::nullopt},
    {"0e-8", 0},
    {"0e-9", std::nullopt},
    {"0.00e9", 0},
    {"0.00e10", std::nullopt},
    {"0.000000000", 0},
    {"0e", std::nullopt},
    {"0e00000000000000000000000000009", 0},
    {"0e999999999999999999", std::nullopt},
    {"0e-999999999999999999", std::nullopt},
    {"0e1000000000000000000000", std::nullopt},
    {"20999999.97690000", 2'099'999'997'690'000},
    {"20999999.99999999", chain::kMaxMoney - 1},
    {"21000000", chain::kMaxMoney},
    {"21000000.00000001", chain::kMaxMoney + 1},
    {"9999999999.99999999", 999'999'999'999'999'999},
    {"10000000000", std::nullopt},
    {"1e11", std::nullopt},
    {"1e999999999999", std::nullopt},
    {"93e+9999999", std::nullopt},
    {"-1", -kCoin},
    {"-0.5", -kCoin / 2},
    {"", std::nullopt},
    {"-", std::nullopt},
    {".5", std::nullopt},
    {"5.", std::nullopt},
    {"+1", std::nullopt},
    {"01", std::nullopt},
    {"1x", std::nullopt},
    {"1e", std::nullopt},
    {"1e-", std::nullopt},
    {"0x1", std::nullopt},
    {"nan", std::nullopt},
    {"inf", std::nullopt},
    {"1,5", std::nullopt},
};

INSTANTIATE_TEST_SUITE_P(Rows, BtcAmounts, testing::ValuesIn(kAmounts));

TEST(BtcAmount, HasNoSpaceInAText) {
    EXPECT_EQ(parse_btc_text(" 1"), std::nullopt);
    EXPECT_EQ(parse_btc_text("1 "), std::nullopt);
}

TEST(JsonText, WritesAmountsWithEightDecimals) {
    const auto text_of = [](chain::Satoshis amount) { return to_text(btc_json(amount)); };
    EXPECT_EQ(text_of(0), "0.00000000");
    EXPECT_EQ(text_of(1), "0.00000001");
    EXPECT_EQ(text_of(3'000), "0.00003000");
    EXPECT_EQ(text_of(35'706), "0.00035706");
    EXPECT_EQ(text_of(kCoin), "1.00000000");
    EXPECT_EQ(text_of(-109'211), "-0.00109211");
    EXPECT_EQ(text_of(chain::kMaxMoney), "21000000.00000000");
    EXPECT_EQ(text_of(chain::kMaxMoney - 1), "20999999.99999999");
    for (chain::Satoshis amount = 1; amount < chain::kMaxMoney; amount = amount * 3 + 7) {
        EXPECT_EQ(parse_btc_text(text_of(amount)), amount);
    }
}

TEST(JsonText, LeavesOtherValuesUnchanged) {
    for (const char* text : {R"({"result":{"a":[1,-2,true,null,"x"],"b":{}},"c":[]})",
                             "4.656542373906925e-10", "{}", "[]", R"("\"\\\n\u001b")",
                             R"([{"\"":1}])", "\"\u00e9\"", "18446744073709551615", "null"}) {
        const auto value = Json::parse(text);
        EXPECT_EQ(to_text(value), value.dump()) << text;
    }
    EXPECT_EQ(to_text(Json("\xff")), "\"\xef\xbf\xbd\"");
    EXPECT_FALSE(parse_bounded("[1"));
}

// Bitcoin Core: UniValue::getKeys, UniValue::find_value.
TEST(JsonText, DoesNotEndAtANul) {
    using namespace std::literals;
    EXPECT_TRUE(parse_bounded("[1] "));
    EXPECT_FALSE(parse_bounded("[1]\0"sv));
    EXPECT_FALSE(parse_request("{}\0{}"sv));
    EXPECT_TRUE(parse_bounded(R"(["\u0000"])"));
}

TEST(JsonText, KeepsEqualKeysAndUsesTheFirst) {
    const auto value = parse_bounded(R"({"a":1,"b":[0.5],"a":{"a":2}})");
    ASSERT_TRUE(value);
    EXPECT_EQ(value->size(), 3U);
    EXPECT_EQ(value->at("a"), 1);
    EXPECT_EQ(to_text(*value), R"({"a":1,"b":[0.50000000],"a":{"a":2}})");
}

// Comparing each key with all keys before it would take hours.
TEST(JsonText, ReadsObjectsOfManyKeys) {
    std::string text = "{\"\":0";
    for (int i = 0; i < 1'000'000; ++i) text += ",\"\":1";
    const auto value = parse_bounded(text + "}");
    ASSERT_TRUE(value);
    EXPECT_EQ(value->size(), 1'000'001U);
}

}  // namespace
}  // namespace petal::regtest::rpc
