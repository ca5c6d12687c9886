#include "cli/backup/label_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/text/json.h"
#include "tests/cli/encoded_text.h"
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
    const auto file = parse_label_file(content);
    ASSERT_TRUE(file) << describe(file.error());
    const auto& records = file->records;
    ASSERT_EQ(records.size(), 7U);
    EXPECT_EQ(records.at(0),
              (LabelRecord{"tx", kTxid, "Rent", "wpkh([d34db33f/84'/0'/0'])", {}, {}}));
    EXPECT_EQ(records.at(1).ref, "bc1q34aq5drpuwy3wgl9lhup9892qp6svr8ldzyy7c");
    EXPECT_EQ(records.at(4).spendable, false);
    EXPECT_EQ(records.at(4).other_members, "");
    EXPECT_EQ(records.at(6).label, std::nullopt);
    EXPECT_EQ(records.at(6).other_members, R"({"value":[1,{"x":2.5}]})");
    EXPECT_EQ(file->ignored, 1U);
    EXPECT_EQ(file->skipped, 0U);

    std::size_t at = 0;
    for (const LabelRecord& record : records) {
        const std::size_t end = content.find('\n', at);
        EXPECT_EQ(Json::parse(to_label_line(record).value()),
                  Json::parse(content.substr(at, end - at)));
        at = end + 1;
    }
}

TEST(LabelFile, EmptyLinesAndReturnsArePassedOver) {
    const auto file =
        parse_label_file("\r\n" + tx_line("") + "\r\n \t\n" + tx_line(R"(,"label":"")"));
    ASSERT_TRUE(file);
    ASSERT_EQ(file->records.size(), 2U);
    EXPECT_EQ(file->records.at(1).label, "");
    EXPECT_TRUE(parse_label_file("")->records.empty());
}

/// A line as another program writes it, and the record that its author means.
struct ForeignLineCase {
    std::string name;
    std::string line;
    LabelRecord record;
};

void PrintTo(const ForeignLineCase& c, std::ostream* out) {
    *out << c.name;
}

class ForeignLabelLine : public testing::TestWithParam<ForeignLineCase> {};

TEST_P(ForeignLabelLine, IsReadAsItIsMeant) {
    const auto file = parse_label_file(GetParam().line);
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ(file->records, std::vector{GetParam().record});
    EXPECT_EQ(file->skipped + file->ignored + file->shortened, 0U);
}

const std::string kOutput = std::string(kTxid) + ":0";
const std::string kOutputLine = R"({"type":"output","ref":")" + kOutput + '"';

// clang-format off
INSTANTIATE_TEST_SUITE_P(Lines, ForeignLabelLine, testing::ValuesIn(std::initializer_list<ForeignLineCase>{
    {"SpendableAsText",      kOutputLine + R"(,"label":"a","spendable":"false"})",  {"output", kOutput, "a", {}, false, {}}},
    {"SpendableInCapitals",  kOutputLine + R"(,"spendable":"True"})",               {"output", kOutput, {}, {}, true, {}}},
    {"SpendableIsNull",      kOutputLine + R"(,"label":"a","spendable":null})",     {"output", kOutput, "a", {}, {}, {}}},
    {"LabelIsNull",          tx_line(R"(,"label":null)"),                           {"tx", kTxid, {}, {}, {}, {}}},
    {"OriginIsNull",         tx_line(R"(,"label":"a","origin":null)"),              {"tx", kTxid, "a", {}, {}, {}}},
    {"BlanksAroundRef",      R"({"type":"tx","ref":" )" + std::string(kTxid) + R"(\n"})", {"tx", kTxid, {}, {}, {}, {}}},
    {"BlanksAroundOutput",   R"({"type":"output","ref":"\t)" + kOutput + R"( "})",  {"output", kOutput, {}, {}, {}, {}}},
    {"TxidInCapitals",       R"({"type":"tx","ref":"4A5E1E4BAAB89F3A32518A88C31BC87F618F76673E2CC77AB2127B7AFDEDA33B"})", {"tx", kTxid, {}, {}, {}, {}}},
    {"SpendableOfAddress",   R"({"type":"addr","ref":"a","spendable":"maybe"})",    {"addr", "a", {}, {}, {}, R"({"spendable":"maybe"})"}},
    {"OtherMemberIsNull",    R"({"type":"addr","ref":"a","height":null})",          {"addr", "a", {}, {}, {}, R"({"height":null})"}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(LabelFile, RecordsOfUndefinedTypesAreIgnored) {
    const auto file = parse_label_file(
        "{\"type\":\"spscan\"}\n"
        "{\"type\":\"spscan\",\"ref\":null}\n"
        "{\"type\":\"spscan\",\"ref\":7,\"label\":8}\n"
        "{\"type\":\"" +
        std::string(2'000, 't') +
        "\",\"ref\":\"a\"}\n"
        "{\"type\":\"spscan\",\"ref\":\"a\",\"label\":\"kept\"}");
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ(file->ignored, 5U);
    EXPECT_EQ(file->skipped, 0U);
    EXPECT_EQ(file->records, (std::vector<LabelRecord>{{"spscan", "a", "kept", {}, {}, {}}}));
    EXPECT_TRUE(parse_label_file("{\"type\":\"spscan\"}"));
}

TEST(LabelFile, LongLabelsAreCutBetweenCharacters) {
    const std::string label = std::string(1'019, 'l') + "\u00e4\u00e4";
    const auto file = parse_label_file(tx_line(",\"label\":\"" + label + '"') + "\n" +
                                       tx_line(",\"label\":\"" + std::string(40'000, 'x') + '"'));
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ(file->shortened, 2U);
    EXPECT_EQ(file->records.at(0).label, std::string(1'019, 'l'));
    EXPECT_EQ(file->records.at(1).label, std::string(1'020, 'x'));
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

TEST_P(BadLabelLine, IsSkippedAndNamed) {
    const auto file = parse_label_file(tx_line("") + "\n\n" + GetParam().line + "\n" + tx_line(""));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->records.size(), 2U);
    EXPECT_EQ(file->skipped, 1U);
    ASSERT_EQ(file->named.size(), 1U);
    EXPECT_EQ(file->named[0].kind, GetParam().error);
    EXPECT_EQ(file->named[0].line, 3U);
    EXPECT_TRUE(describe(file->named[0]).starts_with("line 3: ")) << describe(file->named[0]);
}

TEST_P(BadLabelLine, IsNoFileByItself) {
    const auto file = parse_label_file("\n" + GetParam().line + "\n");
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, GetParam().error);
    EXPECT_EQ(file.error().line, 2U);
}

constexpr std::string_view kWif = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW";
constexpr std::string_view kTprv =
    "tprv8ZgxMBicQKsPeDgjzdC36fs6bMjGApWDNLR9erAXMs5skhMv36j9MV5ecvfavji5khqjWaWSFhN3YcCUUdiKH6isR4"
    "Pwy3U5y5egddBr16m";

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
    {"NullAsType",         R"({"type":null,"ref":"a"})",                           LabelKind::bad_type},
    {"NumberAsType",       R"({"type":1,"ref":"a"})",                              LabelKind::bad_type},
    {"EmptyType",          R"({"type":" ","ref":"a"})",                            LabelKind::bad_type},
    {"NoRef",              R"({"type":"addr"})",                                   LabelKind::bad_ref},
    {"NullAsRef",          R"({"type":"addr","ref":null})",                        LabelKind::bad_ref},
    {"EmptyRef",           R"({"type":"addr","ref":""})",                          LabelKind::bad_ref},
    {"WifAsRef",           R"({"type":"addr","ref":")" + std::string(kWif) + R"("})", LabelKind::secret_ref},
    {"SecretOfUndefinedType", R"({"type":"key","ref":")" + std::string(kWif) + R"("})", LabelKind::secret_ref},
    {"ExtendedKeyAsRef",   R"({"type":"xpub","ref":")" + std::string(kTprv) + R"("})", LabelKind::secret_ref},
    {"LongRef",            R"({"type":"addr","ref":")" + std::string(1'001, 'r') + R"("})", LabelKind::bad_ref},
    {"ShortTxid",          R"({"type":"tx","ref":"4a5e"})",                        LabelKind::bad_txid},
    {"InputWithoutIndex",  std::string(R"({"type":"input","ref":")") + kTxid + R"("})", LabelKind::bad_outpoint},
    {"OutputOfNothing",    R"({"type":"output","ref":":0"})",                      LabelKind::bad_outpoint},
    {"NumberAsLabel",      tx_line(R"(,"label":5)"),                               LabelKind::bad_label},
    {"NumberAsOrigin",     tx_line(R"(,"origin":5)"),                              LabelKind::bad_origin},
    {"LongOrigin",         tx_line(R"(,"origin":")" + std::string(2'001, 'o') + '"'), LabelKind::bad_origin},
    {"WordAsSpendable",    kOutputLine + R"(,"spendable":"maybe"})",               LabelKind::bad_spendable},
    {"NumberAsSpendable",  kOutputLine + R"(,"spendable":0})",                     LabelKind::bad_spendable},
    {"LongLine",           tx_line(",\"x\":\"" + std::string(263'000, 'x') + "\""), LabelKind::line_too_long},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(LabelFile, NamesTheFirstSkippedLines) {
    const auto file = parse_label_file("a\nb\nc\nd\ne\nf\ng\n" + tx_line(""));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->skipped, 7U);
    ASSERT_EQ(file->named.size(), LabelFile::kMostNamed);
    EXPECT_EQ(file->named.back().line, 5U);
}

TEST(LabelFile, TakesWhatIsJustShortEnough) {
    for (const std::string& line : {tx_line(R"(,"label":")" + std::string(1'020, 'l') + '"'),
                                    tx_line(R"(,"origin":")" + std::string(2'000, 'o') + '"'),
                                    R"({"type":"addr","ref":")" + std::string(1'000, 'r') + R"("})",
                                    kNested + std::string(15, '[') + std::string(15, ']') + "}"}) {
        const auto file = parse_label_file(line);
        ASSERT_TRUE(file) << describe(file.error());
        EXPECT_EQ(file->shortened, 0U);
    }
}

class EncodedLabelFile : public testing::TestWithParam<test::TextForm> {};

TEST_P(EncodedLabelFile, IsReadAsTheSame) {
    const auto file = parse_label_file(GetParam().write(
        tx_line(",\"label\":\"caf\u00e9\"") + " \t\n" + kOutputLine + ",\"spendable\":false}\n"));
    ASSERT_TRUE(file) << describe(file.error());
    EXPECT_EQ(file->records, (std::vector<LabelRecord>{{"tx", kTxid, "caf\u00e9", {}, {}, {}},
                                                       {"output", kOutput, {}, {}, false, {}}}));
}

INSTANTIATE_TEST_SUITE_P(Forms, EncodedLabelFile, testing::ValuesIn(test::text_forms()),
                         [](const auto& row) { return row.param.name; });

TEST(LabelFile, IsText) {
    const auto file = parse_label_file(tx_line("") + std::string("\n\0\n", 3));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, LabelKind::no_text);
    EXPECT_EQ(describe(file.error()), describe(TextFault::nul));
}

TEST(LabelFile, IsBounded) {
    std::string many;
    for (std::size_t i = 0; i <= kMaxLabelRecords; ++i) many += "{}\n";
    const auto file = parse_label_file(many);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, LabelKind::too_many_records);
    EXPECT_EQ(file.error().line, kMaxLabelRecords + 1);

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
