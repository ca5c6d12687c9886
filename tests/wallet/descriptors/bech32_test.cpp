#include "wallet/descriptors/bech32.h"

#include <gtest/gtest.h>

#include <boost/algorithm/string/case_conv.hpp>
#include <ostream>
#include <string>

#include "tests/support/test_data.h"

namespace petal::wallet {
namespace {

using boost::algorithm::to_lower_copy;
using chain::Bytes;

struct Bech32Case {
    Bech32Kind kind;
    std::string text;
    std::string prefix;
    std::size_t values;
};

void PrintTo(const Bech32Case& c, std::ostream* out) {
    *out << c.text;
}

class ValidBech32 : public testing::TestWithParam<Bech32Case> {};

TEST_P(ValidBech32, DecodesAndEncodes) {
    const auto& c = GetParam();
    const auto decoded = decode_bech32(c.text);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->kind, c.kind);
    EXPECT_EQ(decoded->prefix, c.prefix);
    EXPECT_EQ(decoded->values.size(), c.values);
    EXPECT_EQ(encode_bech32(*decoded), to_lower_copy(c.text));
}

TEST_P(ValidBech32, SeesEveryChangedCharacter) {
    const std::string& text = GetParam().text;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = changed[i] == 'q' || changed[i] == 'Q' ? 'p' : 'q';
        const auto decoded = decode_bech32(changed);
        // If the separator is changed, another 1 may become the separator. The checksum detects
        // this as well.
        ASSERT_FALSE(decoded) << changed;
    }
}

// BIP173 and BIP350, test vectors.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Bips, ValidBech32, testing::ValuesIn(std::initializer_list<Bech32Case>{
    {Bech32Kind::bech32, "A12UEL5L", "a", 0},
    {Bech32Kind::bech32, "a12uel5l", "a", 0},
    {Bech32Kind::bech32, "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
     "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio", 0},
    {Bech32Kind::bech32, "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef", 32},
    {Bech32Kind::bech32, "11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j", "1", 82},
    {Bech32Kind::bech32, "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "split", 48},
    {Bech32Kind::bech32, "?1ezyfcl", "?", 0},
    {Bech32Kind::bech32m, "A1LQFN3A", "a", 0},
    {Bech32Kind::bech32m, "a1lqfn3a", "a", 0},
    {Bech32Kind::bech32m, "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6",
     "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber1", 0},
    {Bech32Kind::bech32m, "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx", "abcdef", 32},
    {Bech32Kind::bech32m, "11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8", "1", 82},
    {Bech32Kind::bech32m, "split1checkupstagehandshakeupstreamerranterredcaperredlc445v", "split", 48},
    {Bech32Kind::bech32m, "?1v759aa", "?", 0},
}), [](const auto& row) { return "Row" + std::to_string(row.index); });
// clang-format on

struct BadBech32Case {
    std::string name;
    std::string text;
    Bech32Error error;
};

void PrintTo(const BadBech32Case& c, std::ostream* out) {
    *out << c.name;
}

class InvalidBech32 : public testing::TestWithParam<BadBech32Case> {};

TEST_P(InvalidBech32, IsRefused) {
    const auto decoded = decode_bech32(GetParam().text);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error(), GetParam().error);
}

// BIP173 and BIP350, test vectors, and more cases at the limits.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Bips, InvalidBech32, testing::ValuesIn(std::initializer_list<BadBech32Case>{
    {"SpaceInPrefix",     "\x20" "1nwldj5", Bech32Error::invalid_character},
    {"DeleteInPrefix",    "\x7f" "1axkwrx", Bech32Error::invalid_character},
    {"HighByteInPrefix",  "\x80" "1eym55h", Bech32Error::invalid_character},
    {"ZeroInPrefix",      std::string{"a\0b1ezyfcl", 10}, Bech32Error::invalid_character},
    {"TooLong",           "an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvx", Bech32Error::too_long},
    {"TooLongM",          "an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts4", Bech32Error::too_long},
    {"NoSeparator",       "pzry9x0s0muk", Bech32Error::no_prefix},
    {"EmptyPrefix",       "1pzry9x0s0muk", Bech32Error::no_prefix},
    {"Empty",             "", Bech32Error::no_prefix},
    {"OnlyASeparator",    "1", Bech32Error::no_prefix},
    {"LetterB",           "x1b4n0q5v", Bech32Error::invalid_character},
    {"LetterI",           "lt1igcx5c0", Bech32Error::invalid_character},
    {"ChecksumTooShort",  "li1dgmt3", Bech32Error::wrong_checksum},
    {"ChecksumTooShortM", "in1muywd", Bech32Error::wrong_checksum},
    {"NoData",            "in1", Bech32Error::wrong_checksum},
    {"LetterInChecksum",  "de1lg7wt\xff", Bech32Error::invalid_character},
    {"LetterOInChecksum", "au1s5cgom", Bech32Error::invalid_character},
    {"UpperCasePrefixInChecksum", "A1G7SGD8", Bech32Error::wrong_checksum},
    {"UpperCasePrefixInChecksumM", "M1VUXWEZ", Bech32Error::wrong_checksum},
    {"MixedCase",         "A12uEL5L", Bech32Error::mixed_case},
    {"MixedInPrefixOnly", "aB1lqfn3a", Bech32Error::mixed_case},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(Bech32Text, MatchesAllVectorsOfTheBips) {
    const auto vectors = test::read_test_json("vectors/bech32.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    for (const auto& text : vectors->at("bech32_valid")) {
        const auto decoded = decode_bech32(text.get<std::string>());
        EXPECT_TRUE(decoded && decoded->kind == Bech32Kind::bech32) << text;
    }
    for (const auto& text : vectors->at("bech32m_valid")) {
        const auto decoded = decode_bech32(text.get<std::string>());
        EXPECT_TRUE(decoded && decoded->kind == Bech32Kind::bech32m) << text;
    }
    for (const auto& row : vectors->at("bech32m_invalid")) {
        std::string text = row.at("text").get<std::string>();
        const auto byte = [&](const char* key) {
            const auto& value = row.at(key);
            if (value.is_null()) return std::string{};
            return std::string(1,
                               static_cast<char>(std::stoi(value.get<std::string>(), nullptr, 16)));
        };
        EXPECT_FALSE(decode_bech32(byte("prefix_byte") + text + byte("suffix_byte"))) << text;
    }
}

TEST(Bech32Text, TakesNinetyCharactersAndNoMore) {
    Bech32 content{Bech32Kind::bech32m, "bc", Bytes(90 - 2 - 1 - 6, 7)};
    const std::string longest = encode_bech32(content);
    EXPECT_EQ(longest.size(), 90U);
    EXPECT_TRUE(decode_bech32(longest));
    const auto longer = decode_bech32(longest + "q");
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error(), Bech32Error::too_long);
}

TEST(FiveBits, HoldBytesOfEveryLength) {
    for (std::size_t size = 0; size <= 45; ++size) {
        Bytes bytes(size);
        for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<chain::Byte>(i * 37 + 201);
        const Bytes values = to_five_bits(bytes);
        EXPECT_EQ(values.size(), (size * 8 + 4) / 5);
        EXPECT_EQ(from_five_bits(values), bytes);
    }
    EXPECT_EQ(to_five_bits(Bytes{0xff}), (Bytes{31, 28}));
    EXPECT_EQ(to_five_bits(Bytes{0x75, 0x1e}), (Bytes{14, 20, 15, 0}));
}

TEST(FiveBits, RefusePaddingThatIsSet) {
    EXPECT_EQ(from_five_bits(Bytes{31, 28}), Bytes{0xff});
    EXPECT_FALSE(from_five_bits(Bytes{31, 29}));
    EXPECT_FALSE(from_five_bits(Bytes{31, 30}));
}

TEST(FiveBits, RefuseAWholeValueOfPadding) {
    EXPECT_TRUE(from_five_bits(Bytes{}));
    EXPECT_FALSE(from_five_bits(Bytes{0}));              // 5 bits left over
    EXPECT_FALSE(from_five_bits(Bytes{31, 28, 0}));      // 7
    EXPECT_FALSE(from_five_bits(Bytes(6, 0)));           // 6
    EXPECT_TRUE(from_five_bits(Bytes{31, 31, 31, 16}));  // 4
}

}  // namespace
}  // namespace petal::wallet
