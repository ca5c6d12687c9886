#include "cli/backup/label_file.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/json.h"
#include "wallet/ledger/records.h"

namespace petal::cli {
namespace {

using LabelKind = LabelFileError::Kind;
using wallet::LabelRecord;

constexpr const char* kTxid = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";

std::string tx_line(const std::string& members) {
    return std::string(R"({"type":"tx","ref":")") + kTxid + '"' + members + "}";
}

// The record types of BIP329's test vectors.
TEST(LabelFile, HasRecordsOfAllTypes) {
    const std::string content =
        tx_line(R"x(,"label":"Rent","origin":"wpkh([d34db33f/84'/0'/0'])")x") +
        R"(
{ "type": "addr", "ref": "bc1q34aq5drpuwy3wgl9lhup9892qp6svr8ldzyy7c", "label": "Address" }
{ "type": "pubkey", "ref": "0283409659355b6d1cc3c32decd5d561abaac86c37a353b52895a5e6c196d6f448", "label": "Public Key" }
{ "type": "input", "ref": "f91d0a8a78462bc59398f2c5d7a84fcff491c26ba54c4833478b202796c8aafd:0", "label": "Input" }
{ "type": "output", "ref": "f91d0a8a78462bc59398f2c5d7a84fcff491c26ba54c4833478b202796c8aafd:1", "label": "Output", "spendable": false }
{ "type": "xpub", "ref": "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8Nq", "label": "Extended Public Key" }
{ "type": "spscan", "ref": "of tomorrow", "value": [1, {"x": 2.5}] }
)";
    const auto records = parse_label_file(content);
    ASSERT_TRUE(records) << describe(records.error());
    ASSERT_EQ(records->size(), 7U);
    EXPECT_EQ(records->at(0),
              (LabelRecord{"tx", kTxid, "Rent", "wpkh([d34db33f/84'/0'/0'])", {}, {}}));
    EXPECT_EQ(records->at(1).ref, "bc1q34aq5drpuwy3wgl9lhup9892qp6svr8ldzyy7c");
    EXPECT_EQ(records->at(4).spendable, false);
    EXPECT_EQ(records->at(4).other_members, "");
    EXPECT_EQ(records->at(6).label, std::nullopt);
    EXPECT_EQ(records->at(6).other_members, R"({"value":[1,{"x":2.5}]})");

    std::size_t at = 0;
    for (const LabelRecord& record : *records) {
        const std::size_t end = content.find('\n', at);
        EXPECT_EQ(Json::parse(to_label_line(record).value()),
                  Json::parse(content.substr(at, end - at)));
        at = end + 1;
    }
}

TEST(LabelFile, EmptyLinesAndReturnsArePassedOver) {
    const auto records =
        parse_label_file("\r\n" + tx_line("") + "\r\n \t\n" + tx_line(R"(,"label":"")"));
    ASSERT_TRUE(records);
    ASSERT_EQ(records->size(), 2U);
    EXPECT_EQ(records->at(1).label, "");
    EXPECT_TRUE(parse_label_file("")->empty());
}

TEST(LabelFile, MembersOfOtherTypesAreKeptAsTheyAre) {
    const auto records = parse_label_file(R"({"type":"addr","ref":"a","spendable":"maybe"})");
    ASSERT_TRUE(records);
    EXPECT_EQ(records->at(0).spendable, std::nullopt);
    EXPECT_EQ(records->at(0).other_members, R"({"spendable":"maybe"})");
    EXPECT_EQ(to_label_line(records->at(0)), R"({"type":"addr","ref":"a","spendable":"maybe"})");
}

TEST(LabelFile, IdsAreComparedInLowerCase) {
    const auto records = parse_label_file(
        R"({"type":"tx","ref":"4A5E1E4BAAB89F3A32518A88C31BC87F618F76673E2CC77AB2127B7AFDEDA33B"})");
    ASSERT_TRUE(records);
    EXPECT_EQ(records->at(0).ref, kTxid);
}

struct BadLineCase {
    std::string name;
    std::string line;
    LabelKind error;
};

void PrintTo(const BadLineCase& c, std::ostream* out) {
    *out << c.name;
}

class BadLabelLine : public testing::TestWithParam<BadLineCase> {};

TEST_P(BadLabelLine, IsNamed) {
    const auto records =
        parse_label_file(tx_line("") + "\n\n" + GetParam().line + "\n" + tx_line(""));
    ASSERT_FALSE(records);
    EXPECT_EQ(records.error().kind, GetParam().error);
    EXPECT_EQ(records.error().line, 3U);
    EXPECT_TRUE(describe(records.error()).starts_with("line 3: ")) << describe(records.error());
}

const std::string kNested = R"({"type":"addr","ref":"a","x":)";

// clang-format off
INSTANTIATE_TEST_SUITE_P(Lines, BadLabelLine, testing::ValuesIn(std::initializer_list<BadLineCase>{
    {"NoJson",             "label",                                                LabelKind::not_an_object},
    {"CutOff",             R"({"type":"tx","ref":")",                              LabelKind::not_an_object},
    {"Array",              R"(["tx"])",                                            LabelKind::not_an_object},
    {"TwoObjects",         tx_line("") + tx_line(""),                              LabelKind::not_an_object},
    {"NoUtf8",             tx_line(",\"label\":\"\xff\""),                         LabelKind::not_an_object},
    {"HalfASurrogate",     tx_line(R"(,"label":"\ud83c")"),                        LabelKind::not_an_object},
    {"TooDeep",            kNested + std::string(20, '[') + std::string(20, ']') + "}", LabelKind::too_deep},
    {"VeryDeep",           kNested + std::string(10'000, '[') + std::string(10'000, ']') + "}", LabelKind::too_deep},
    {"NoType",             R"({"ref":"a"})",                                       LabelKind::bad_type},
    {"NumberAsType",       R"({"type":1,"ref":"a"})",                              LabelKind::bad_type},
    {"EmptyType",          R"({"type":"","ref":"a"})",                             LabelKind::bad_type},
    {"LongType",           R"({"type":")" + std::string(1'001, 't') + R"(","ref":"a"})", LabelKind::bad_type},
    {"NoRef",              R"({"type":"addr"})",                                   LabelKind::bad_ref},
    {"EmptyRef",           R"({"type":"addr","ref":""})",                          LabelKind::bad_ref},
    {"LongRef",            R"({"type":"addr","ref":")" + std::string(1'001, 'r') + R"("})", LabelKind::bad_ref},
    {"ShortTxid",          R"({"type":"tx","ref":"4a5e"})",                        LabelKind::bad_txid},
    {"InputWithoutIndex",  std::string(R"({"type":"input","ref":")") + kTxid + R"("})", LabelKind::bad_outpoint},
    {"OutputOfNothing",    R"({"type":"output","ref":":0"})",                      LabelKind::bad_outpoint},
    {"NumberAsLabel",      tx_line(R"(,"label":5)"),                               LabelKind::bad_label},
    {"LongLabel",          tx_line(R"(,"label":")" + std::string(1'021, 'l') + '"'), LabelKind::label_too_long},
    {"NumberAsOrigin",     tx_line(R"(,"origin":5)"),                              LabelKind::bad_origin},
    {"LongOrigin",         tx_line(R"(,"origin":")" + std::string(2'001, 'o') + '"'), LabelKind::bad_origin},
    {"TextAsSpendable",    std::string(R"({"type":"output","ref":")") + kTxid + R"(:0","spendable":"false"})", LabelKind::bad_spendable},
    {"LongLine",           tx_line(",\"x\":\"" + std::string(33'000, 'x') + "\""), LabelKind::line_too_long},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(LabelFile, TakesWhatIsJustShortEnough) {
    for (const std::string& line : {tx_line(R"(,"label":")" + std::string(1'020, 'l') + '"'),
                                    tx_line(R"(,"origin":")" + std::string(2'000, 'o') + '"'),
                                    R"({"type":"addr","ref":")" + std::string(1'000, 'r') + R"("})",
                                    kNested + std::string(15, '[') + std::string(15, ']') + "}"}) {
        const auto records = parse_label_file(line);
        EXPECT_TRUE(records) << describe(records.error());
    }
}

TEST(LabelFile, IsBounded) {
    std::string many;
    for (std::size_t i = 0; i <= kMaxLabelRecords; ++i)
        many += R"({"type":"a","ref":"b"})"
                "\n";
    const auto records = parse_label_file(many);
    ASSERT_FALSE(records);
    EXPECT_EQ(records.error().kind, LabelKind::too_many_records);
    EXPECT_EQ(records.error().line, kMaxLabelRecords + 1);

    const auto large = parse_label_file(std::string(kMaxLabelFileBytes + 1, '\n'));
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().kind, LabelKind::file_too_large);
    EXPECT_EQ(describe(large.error()), "the file is larger than 64 MiB");
}

TEST(LabelFile, ImpossibleRecordsAreNotWritten) {
    EXPECT_EQ(to_label_line({"tx", kTxid, {}, {}, {}, "[1]"}), std::nullopt);
    EXPECT_EQ(to_label_line({"tx", kTxid, {}, {}, {}, "{"}), std::nullopt);
    EXPECT_EQ(to_label_line({"tx", "r", "mine", {}, {}, R"({"label":"other"})"}),
              R"({"type":"tx","ref":"r","label":"mine"})");
}

}  // namespace
}  // namespace petal::cli
