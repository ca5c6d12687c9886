#include "chain/bytes.h"

#include <gtest/gtest.h>

namespace petal::chain {
namespace {

TEST(Hex, SpellsBytesInTheirOrder) {
    EXPECT_EQ(to_hex(Bytes{0x00, 0x0f, 0xa0, 0xff}), "000fa0ff");
    EXPECT_EQ(to_hex(ByteView{}), "");
}

TEST(Hex, ReadsEitherCase) {
    EXPECT_EQ(from_hex("00aAfF90"), (Bytes{0x00, 0xaa, 0xff, 0x90}));
    EXPECT_EQ(from_hex(""), Bytes{});
}

TEST(Hex, RefusesOddLengthsAndOtherCharacters) {
    for (const std::string_view text :
         {"0", "000", "0g", "g0", "0x", " 0", "0 ", "-1", "\xff\xff"}) {
        EXPECT_EQ(from_hex(text), std::nullopt) << text;
    }
    EXPECT_EQ(from_hex(std::string_view("0\0", 2)), std::nullopt);
    // The characters next to the digits and letters in ASCII.
    for (const std::string_view text : {"/0", ":0", "@0", "G0", "`0"}) {
        EXPECT_EQ(from_hex(text), std::nullopt) << text;
    }
}

TEST(Hex, RoundTripsEveryByte) {
    Bytes all;
    for (unsigned byte = 0; byte < 256; ++byte) all.push_back(static_cast<Byte>(byte));
    EXPECT_EQ(from_hex(to_hex(all)), all);
}

TEST(Base64, IsReadAndWritten) {
    // RFC 4648, 10.
    const std::vector<std::pair<std::string, std::string>> rows{{"", ""},
                                                                {"f", "Zg=="},
                                                                {"fo", "Zm8="},
                                                                {"foo", "Zm9v"},
                                                                {"foob", "Zm9vYg=="},
                                                                {"fooba", "Zm9vYmE="},
                                                                {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, text] : rows) {
        EXPECT_EQ(to_base64(as_bytes(plain)), text);
        const auto bytes = from_base64(text);
        ASSERT_TRUE(bytes);
        EXPECT_EQ(std::string(bytes->begin(), bytes->end()), plain);
    }
    EXPECT_EQ(from_base64(" Zm9v\r\nYg= =\n"), from_base64("Zm9vYg=="));
    for (const char* const bad :
         {"Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zg==Zg==", "Zm9v====", "Zm9-", "=", "Z=g="}) {
        EXPECT_FALSE(from_base64(bad)) << bad;
    }
}

TEST(ParseNumber, TakesAWholeTextOnly) {
    EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
    EXPECT_EQ(parse_number<std::int32_t>("-7"), -7);
    EXPECT_EQ(parse_number<double>("2.5e-1"), 0.25);
    for (const char* const bad : {"", "256", "-1", "+1", " 1", "1 ", "1x", "x", "1.0", "0x1"}) {
        EXPECT_FALSE(parse_number<std::uint8_t>(bad)) << bad;
    }
}

TEST(AsBytes, ViewsTextWithoutItsTerminator) {
    const ByteView view = as_bytes("ab");
    EXPECT_EQ(Bytes(view.begin(), view.end()), (Bytes{'a', 'b'}));
}

}  // namespace
}  // namespace petal::chain
