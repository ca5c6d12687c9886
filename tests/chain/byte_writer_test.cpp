#include "chain/byte_writer.h"

#include <gtest/gtest.h>

#include <utility>

#include "chain/byte_reader.h"

namespace petal::chain {
namespace {

TEST(ByteWriter, WritesLittleEndianIntegers) {
    ByteWriter writer;
    writer.u8(0x01).u16(0x0102).u16_big_endian(0x0102).u32(0x01020304).u64(0x0102030405060708);
    EXPECT_EQ(to_hex(writer.view()),
              "01020101020403020108070605040302"
              "01");
    EXPECT_EQ(writer.size(), 17U);
}

TEST(ByteWriter, WritesNegativeIntegers) {
    EXPECT_EQ(to_hex(ByteWriter{}.i32(-2).take()), "feffffff");
    EXPECT_EQ(to_hex(ByteWriter{}.i64(-2).take()), "feffffffffffffff");
}

TEST(ByteWriter, WritesTheShortestCompactSize) {
    const std::pair<std::uint64_t, std::string_view> rows[] = {
        {0, "00"},
        {0xfc, "fc"},
        {0xfd, "fdfd00"},
        {0xffff, "fdffff"},
        {0x10000, "fe00000100"},
        {0xffffffff, "feffffffff"},
        {0x100000000, "ff0000000001000000"},
        {0xffffffffffffffff, "ffffffffffffffffff"},
    };
    for (const auto& [value, hex] : rows) {
        const Bytes bytes = ByteWriter{}.compact_size(value).take();
        EXPECT_EQ(to_hex(bytes), hex);
        EXPECT_EQ(compact_size_bytes(value), bytes.size());
        ByteReader reader{bytes};
        EXPECT_EQ(reader.read_compact_size(), value);
    }
}

TEST(ByteWriter, PrefixesBytesWithTheirLength) {
    EXPECT_EQ(to_hex(ByteWriter{}.var_bytes(Bytes{7, 8}).var_bytes({}).bytes(Bytes{9}).take()),
              "0207080009");
}

TEST(ByteWriter, IsEmptyAfterTaking) {
    ByteWriter writer{8};
    writer.u8(1);
    EXPECT_EQ(writer.take(), Bytes{1});
    EXPECT_EQ(writer.size(), 0U);
    EXPECT_EQ(writer.u8(2).take(), Bytes{2});
}

}  // namespace
}  // namespace petal::chain
