#include "chain/script/script.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/hex.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;
using test::repeat;

struct Walk {
    std::vector<std::pair<unsigned, std::string>> operations;
    bool malformed = false;

    friend bool operator==(const Walk&, const Walk&) = default;
};

Walk walk(const Bytes& script) {
    Walk result;
    ScriptWalker walker{script};
    while (const auto operation = walker.next()) {
        result.operations.emplace_back(operation->opcode, to_hex(operation->data));
    }
    EXPECT_FALSE(walker.next()) << "nothing follows the end";
    result.malformed = walker.malformed();
    return result;
}

TEST(ScriptWalker, TellsPushesOfEveryForm) {
    EXPECT_EQ(walk("00"_hex), (Walk{{{0x00, ""}}}));
    EXPECT_EQ(walk("02aabb"_hex), (Walk{{{0x02, "aabb"}}}));
    EXPECT_EQ(walk("4c01aa"_hex), (Walk{{{0x4c, "aa"}}}));
    EXPECT_EQ(walk("4d0100aa"_hex), (Walk{{{0x4d, "aa"}}}));
    EXPECT_EQ(walk("4e01000000aa"_hex), (Walk{{{0x4e, "aa"}}}));
    EXPECT_EQ(walk("4c00"_hex), (Walk{{{0x4c, ""}}}));
    EXPECT_EQ(walk("4f5160ac"_hex), (Walk{{{0x4f, ""}, {0x51, ""}, {0x60, ""}, {0xac, ""}}}));
    EXPECT_EQ(walk({}), Walk{});
}

TEST(ScriptWalker, PushesUpTo75BytesByTheirLength) {
    Bytes script{75};
    script.resize(76, 0xcc);
    ScriptWalker walker{script};
    EXPECT_EQ(walker.next()->data.size(), 75U);
    EXPECT_FALSE(walker.next());
    EXPECT_FALSE(walker.malformed());
}

TEST(ScriptWalker, StopsAtAPushThatRunsPastTheEnd) {
    EXPECT_EQ(walk("acac02aa"_hex), (Walk{{{0xac, ""}, {0xac, ""}}, true}));
    for (const Bytes& script :
         {"01"_hex, "4c"_hex, "4c01"_hex, "4c02aa"_hex, "4d"_hex, "4d01"_hex, "4d0100"_hex,
          "4e"_hex, "4e010000"_hex, "4e01000000"_hex, "4effffffffaa"_hex}) {
        EXPECT_EQ(walk(script), (Walk{{}, true})) << to_hex(script);
    }
}

const std::string kHash20 = "751e76e8199196d454941c45d1b3a323f1433bd6";
const std::string kKey33 = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
const std::string kKey65 =
    "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8";
const std::string kHash32 = kKey33.substr(2);

TEST(ScriptSig, AllowsAWitnessIfEmptyOrPushingAWitnessProgram) {
    EXPECT_TRUE(allows_witness({}));
    EXPECT_TRUE(allows_witness(test::bytes_from_hex("160014" + kHash20)));
    EXPECT_TRUE(allows_witness(test::bytes_from_hex("220020" + kHash32)));
    EXPECT_FALSE(allows_witness(test::bytes_from_hex("150014" + kHash20)));
    EXPECT_FALSE(allows_witness(test::bytes_from_hex("160014" + kHash20 + "51")));
    EXPECT_FALSE(allows_witness(test::bytes_from_hex("4c160014" + kHash20)));
    EXPECT_FALSE(allows_witness(test::bytes_from_hex("21" + kKey33)));
    EXPECT_FALSE(allows_witness(test::bytes_from_hex("51")));
}

struct ScriptCase {
    std::string name;
    std::string script;
    ScriptType type;
    std::string element;  // the result of watch_element(); empty if there is none
};

void PrintTo(const ScriptCase& row, std::ostream* out) {
    *out << row.name;
}

class Scripts : public testing::TestWithParam<ScriptCase> {};

TEST_P(Scripts, AreClassified) {
    const Bytes script = test::bytes_from_hex(GetParam().script);
    EXPECT_EQ(classify(script), GetParam().type) << describe(classify(script));
    EXPECT_EQ(to_hex(watch_element(script)), GetParam().element);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Templates, Scripts, testing::ValuesIn(std::initializer_list<ScriptCase>{
    {"P2pkh",                  "76a914" + kHash20 + "88ac", ScriptType::p2pkh, kHash20},
    {"P2pkhVerifying",         "76a914" + kHash20 + "88ad", ScriptType::other, ""},
    {"P2pkhWithLongPush",      "76a94c14" + kHash20 + "88ac", ScriptType::other, ""},
    {"P2pkhOneMore",           "76a914" + kHash20 + "88acac", ScriptType::other, ""},
    {"P2sh",                   "a914" + kHash20 + "87", ScriptType::p2sh, kHash20},
    {"P2shVerifying",          "a914" + kHash20 + "88", ScriptType::other, ""},
    {"P2shOneByteShort",       "a913" + kHash20.substr(2) + "87", ScriptType::other, ""},
    {"P2wpkh",                 "0014" + kHash20, ScriptType::p2wpkh, kHash20},
    {"P2wpkhWithLongPush",     "004c14" + kHash20, ScriptType::other, ""},
    {"P2wsh",                  "0020" + kHash32, ScriptType::p2wsh, kHash32},
    {"Version0OfAnotherSize",  "0015" + kHash20 + "00", ScriptType::other, ""},
    {"P2tr",                   "5120" + kHash32, ScriptType::p2tr, kHash32},
    {"P2trOneByteMore",        "5121" + kHash32 + "00", ScriptType::witness_unknown, kHash32 + "00"},
    {"Version2",               "5220" + kHash32, ScriptType::witness_unknown, kHash32},
    {"Version16Shortest",      "6002aabb", ScriptType::witness_unknown, "aabb"},
    {"Version1Longest",        "5128" + repeat("ab", 40), ScriptType::witness_unknown, repeat("ab", 40)},
    {"Version1TooLong",        "5129" + repeat("ab", 41), ScriptType::other, ""},
    {"Version1TooShort",       "5101aa", ScriptType::other, ""},
    {"OneNegateIsNoVersion",   "4f20" + kHash32, ScriptType::other, ""},
    {"Anchor",                 "51024e73", ScriptType::anchor, ""},
    {"AnchorOfVersion2",       "52024e73", ScriptType::witness_unknown, "4e73"},
    {"AnchorAndMore",          "51034e7300", ScriptType::witness_unknown, "4e7300"},
    {"AnchorOtherBytes",       "51024e74", ScriptType::witness_unknown, "4e74"},
    {"P2pkCompressed",         "21" + kKey33 + "ac", ScriptType::p2pk, kKey33},
    {"P2pkUncompressed",       "41" + kKey65 + "ac", ScriptType::p2pk, kKey65},
    {"P2pkHybrid",             "4106" + kKey65.substr(2) + "ac", ScriptType::p2pk, "06" + kKey65.substr(2)},
    {"P2pkWrongPrefix",        "2105" + kHash32 + "ac", ScriptType::other, ""},
    {"P2pkPrefixOfTheOther",   "2104" + kHash32 + "ac", ScriptType::other, ""},
    {"P2pkVerifying",          "21" + kKey33 + "ad", ScriptType::other, ""},
    {"Multisig1Of1",           "5121" + kKey33 + "51ae", ScriptType::bare_multisig, ""},
    {"Multisig2Of3",           "52" + repeat("21" + kKey33, 2) + "41" + kKey65 + "53ae", ScriptType::bare_multisig, ""},
    {"Multisig20Of20",         "0114" + repeat("21" + kKey33, 20) + "0114ae", ScriptType::bare_multisig, ""},
    {"Multisig21Keys",         "51" + repeat("21" + kKey33, 21) + "0115ae", ScriptType::other, ""},
    {"Multisig1OfPushed16",    "51" + repeat("21" + kKey33, 16) + "0110ae", ScriptType::other, ""},
    {"Multisig0Of1",           "0021" + kKey33 + "51ae", ScriptType::other, ""},
    {"Multisig2Of1",           "5221" + kKey33 + "51ae", ScriptType::other, ""},
    {"MultisigOneKeyMissing",  "5121" + kKey33 + "52ae", ScriptType::other, ""},
    {"MultisigNotAKey",        "5120" + kHash32 + "51ae", ScriptType::other, ""},
    {"MultisigVerifying",      "5121" + kKey33 + "51af", ScriptType::other, ""},
    {"MultisigAndMore",        "5121" + kKey33 + "51aeae", ScriptType::other, ""},
    {"MultisigThenCutPush",    "51" + repeat("21" + kKey33, 2) + "52ae" + "0a01020304050607ae", ScriptType::other, ""},
    {"MultisigWithoutKeys",    "5151ae", ScriptType::other, ""},
    {"MultisigOpcodeAlone",    "ae", ScriptType::other, ""},
    {"NullData",               "6a04deadbeef", ScriptType::null_data, ""},
    {"NullDataBare",           "6a", ScriptType::null_data, ""},
    {"NullDataNumbers",        "6a004f5160", ScriptType::null_data, ""},
    {"NullDataThenOpcode",     "6a0101ac", ScriptType::other, ""},
    {"NullDataReservedIsPush", "6a50", ScriptType::null_data, ""},
    {"NullDataCutPush",        "6a05deadbeef", ScriptType::other, ""},
    {"Empty",                  "", ScriptType::other, ""},
    {"Malformed",              "76a914", ScriptType::other, ""},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(ScriptTypes, HaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (int type = 0; type <= static_cast<int>(ScriptType::other); ++type) {
        names.insert(describe(static_cast<ScriptType>(type)));
    }
    EXPECT_EQ(names.size(), 11U);
}

TEST(ScriptMakers, MakeTheirTemplates) {
    Hash160 hash{};
    hash.fill(0xab);
    const std::string text = repeat("ab", 20);
    EXPECT_EQ(to_hex(p2pkh_script(hash)), "76a914" + text + "88ac");
    EXPECT_EQ(to_hex(p2sh_script(hash)), "a914" + text + "87");
    EXPECT_EQ(to_hex(p2wpkh_script(hash)), "0014" + text);
    EXPECT_EQ(to_hex(witness_program_script(1, Bytes(32, 0xab))), "5120" + repeat("ab", 32));
    EXPECT_EQ(to_hex(witness_program_script(16, Bytes(2, 0xab))), "6002abab");
    EXPECT_EQ(to_hex(p2pk_script(test::bytes_from_hex(kKey33))), "21" + kKey33 + "ac");
    EXPECT_EQ(to_hex(p2pk_script(test::bytes_from_hex(kKey65))), "41" + kKey65 + "ac");
}

TEST(PushData, TakesTheShortestForm) {
    EXPECT_EQ(to_hex(push_data({})), "00");
    EXPECT_EQ(to_hex(push_data(Bytes{0})), "0100");
    EXPECT_EQ(to_hex(push_data(Bytes{1})), "51");
    EXPECT_EQ(to_hex(push_data(Bytes{16})), "60");
    EXPECT_EQ(to_hex(push_data(Bytes{17})), "0111");
    EXPECT_EQ(to_hex(push_data(Bytes{0x81})), "4f");
    EXPECT_EQ(to_hex(push_data(Bytes{0x80})), "0180");
    EXPECT_EQ(to_hex(push_data(Bytes{1, 1})), "020101");
    EXPECT_EQ(to_hex(push_data(Bytes(75, 7))), "4b" + repeat("07", 75));
    EXPECT_EQ(to_hex(push_data(Bytes(76, 7))), "4c4c" + repeat("07", 76));
    EXPECT_EQ(to_hex(push_data(Bytes(255, 7))), "4cff" + repeat("07", 255));
    EXPECT_EQ(to_hex(push_data(Bytes(256, 7))), "4d0001" + repeat("07", 256));
    EXPECT_EQ(push_data(Bytes(65'535, 7)).size(), 65'538U);
}

TEST(PushData, IsReadBackByTheWalker) {
    for (const std::size_t size : {2U, 75U, 76U, 255U, 256U, 65'535U}) {
        const Bytes data(size, 0x42);
        const Bytes script = push_data(data);
        ScriptWalker walker{script};
        const auto push = walker.next();
        ASSERT_TRUE(push);
        EXPECT_EQ(Bytes(push->data.begin(), push->data.end()), data);
        EXPECT_FALSE(walker.next());
    }
}

TEST(PushNumber, SpellsNumbersAsScriptsCount) {
    const std::pair<std::int64_t, std::string_view> rows[] = {
        {0, "00"},
        {1, "51"},
        {16, "60"},
        {-1, "4f"},
        {17, "0111"},
        {-2, "0182"},
        {127, "017f"},
        {128, "028000"},
        {-127, "01ff"},
        {-128, "028080"},
        {255, "02ff00"},
        {256, "020001"},
        {500'000, "0320a107"},
        {-255, "02ff80"},
        {std::numeric_limits<std::int64_t>::max(), "08ffffffffffffff7f"},
        {std::numeric_limits<std::int64_t>::min(), "09000000000000008080"},
    };
    for (const auto& [number, hex] : rows) EXPECT_EQ(to_hex(push_number(number)), hex) << number;
}

}  // namespace
}  // namespace petal::chain
