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

TEST(AsBytes, ViewsTextWithoutItsTerminator) {
    const ByteView view = as_bytes("ab");
    EXPECT_EQ(Bytes(view.begin(), view.end()), (Bytes{'a', 'b'}));
}

}  // namespace
}  // namespace petal::chain
