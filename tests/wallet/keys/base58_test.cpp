#include "wallet/keys/base58.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

#include "tests/support/test_data.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::from_hex;

struct Base58Case {
    std::string hex;
    std::string text;
};

void PrintTo(const Base58Case& c, std::ostream* out) {
    *out << c.text;
}

class Base58 : public testing::TestWithParam<Base58Case> {};

TEST_P(Base58, EncodesAndDecodes) {
    const Bytes bytes = from_hex(GetParam().hex).value();
    EXPECT_EQ(encode_base58(bytes), GetParam().text);
    const auto decoded = decode_base58(GetParam().text, bytes.size());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, bytes);
}

TEST_P(Base58, RefusesOneByteMoreThanTheLimit) {
    const Bytes bytes = from_hex(GetParam().hex).value();
    const auto decoded = decode_base58(GetParam().text, bytes.size() - 1);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error(), Base58Error::too_long);
}

// Bitcoin Core: src/test/data/base58_encode_decode.json.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Core, Base58, testing::ValuesIn(std::initializer_list<Base58Case>{
    {"61", "2g"},
    {"626262", "a3gV"},
    {"73696d706c792061206c6f6e6720737472696e67", "2cFupjhnEsSn59qHXstmK2ffpLv2"},
    {"00eb15231dfceb60925886b67d065299925915aeb172c06647", "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L"},
    {"516b6fcd0f", "ABnLTmg"},
    {"10c8511e", "Rt5zm"},
    {"00000000000000000000", "1111111111"},
    {"000111d38e5fc9071ffcd20b4a763cc9ae4f252bb4e48fd66a835e252ada93ff480d6dd43dc62a641155a5",
     "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"},
}), [](const auto& row) { return "Row" + std::to_string(row.index); });
// clang-format on

TEST(Base58, OfNothingIsNothing) {
    EXPECT_EQ(encode_base58({}), "");
    EXPECT_EQ(decode_base58("", 0).value(), Bytes{});
    EXPECT_EQ(decode_base58("1", 0).error(), Base58Error::too_long);
}

TEST(Base58, MatchesAllOfCoresVectors) {
    const auto rows = test::read_test_json("vectors/base58_encode_decode.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : *rows) {
        const Bytes bytes = from_hex(row[0].get<std::string>()).value();
        const auto text = row[1].get<std::string>();
        EXPECT_EQ(encode_base58(bytes), text);
        const auto decoded = decode_base58(text, bytes.size());
        ASSERT_TRUE(decoded) << text;
        EXPECT_EQ(*decoded, bytes);
    }
}

TEST(Base58, RefusesCharactersThatItDoesNotHave) {
    for (const std::string text : {"invalid", "0", "O", "I", "l", "a b", " a", "a\n", "bad0IOl",
                                   "\xc3\xa9", "!", "goodbad\xff"}) {
        const auto decoded = decode_base58(text, 100);
        ASSERT_FALSE(decoded) << text;
        EXPECT_EQ(decoded.error(), Base58Error::invalid_character);
    }
    EXPECT_EQ(decode_base58(std::string{"good\0more", 9}, 100).error(),
              Base58Error::invalid_character);
}

TEST(Base58, RefusesAnOverlongTextWithoutReadingIt) {
    const auto decoded = decode_base58(std::string(10'000'000, 'z'), 100);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error(), Base58Error::too_long);
}

TEST(Base58, TakesTheLargestNumberOfEachSize) {
    for (std::size_t size = 1; size <= 200; ++size) {
        const Bytes largest(size, 0xff);
        const auto decoded = decode_base58(encode_base58(largest), size);
        ASSERT_TRUE(decoded) << size;
        EXPECT_EQ(*decoded, largest);
    }
}

// The first key hash of BIP84's mnemonic under BIP44's path.
constexpr std::string_view kAddress = "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA";
constexpr std::string_view kPayload = "00d986ed01b7a22225a70edbf2ba7cfb63a15cb3aa";

TEST(Base58Check, EncodesAndDecodes) {
    const Bytes payload = from_hex(kPayload).value();
    EXPECT_EQ(encode_base58check(payload), kAddress);
    const auto decoded = decode_base58check(kAddress, payload.size());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, payload);
}

TEST(Base58Check, CountsTheLimitWithoutTheChecksum) {
    EXPECT_TRUE(decode_base58check(kAddress, 21));
    const auto decoded = decode_base58check(kAddress, 20);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error(), Base58Error::too_long);
}

TEST(Base58Check, SeesEveryChangedCharacter) {
    for (std::size_t i = 0; i < kAddress.size(); ++i) {
        std::string changed{kAddress};
        changed[i] = changed[i] == 'z' ? 'y' : 'z';
        const auto decoded = decode_base58check(changed, 40);
        ASSERT_FALSE(decoded) << changed;
        EXPECT_EQ(decoded.error(), Base58Error::wrong_checksum) << changed;
    }
}

TEST(Base58Check, RefusesEveryCutText) {
    for (std::size_t size = 0; size < kAddress.size(); ++size) {
        EXPECT_FALSE(decode_base58check(kAddress.substr(0, size), 21)) << size;
    }
}

TEST(Base58Check, NeedsAChecksum) {
    for (const std::string text : {"", "1", "111", "2g"}) {
        const auto decoded = decode_base58check(text, 21);
        ASSERT_FALSE(decoded);
        EXPECT_EQ(decoded.error(), Base58Error::too_short);
    }
    // The checksum of nothing: SHA-256d of the empty string begins with 5df6e0e2.
    const auto nothing = decode_base58check("3QJmnh", 21);
    ASSERT_TRUE(nothing);
    EXPECT_TRUE(nothing->empty());
}

}  // namespace
}  // namespace petal::wallet
