#include "chain/byte_reader.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <ostream>
#include <set>
#include <string>

namespace petal::chain {
namespace {

TEST(ByteReader, ReadsLittleEndianIntegers) {
    const Bytes wire{0x01, 0x02, 0x01, 0x01, 0x02, 0x04, 0x03, 0x02, 0x01,
                     0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01};
    ByteReader reader{wire};

    EXPECT_EQ(reader.read_u8(), 0x01);
    EXPECT_EQ(reader.read_u16(), 0x0102);
    EXPECT_EQ(reader.read_u16_big_endian(), 0x0102);
    EXPECT_EQ(reader.read_u32(), 0x01020304U);
    EXPECT_EQ(reader.read_u64(), 0x0102030405060708U);
    EXPECT_EQ(reader.remaining(), 0U);
    EXPECT_TRUE(reader.ok());
}

TEST(GetU32, ReadsFourBytes) {
    const Bytes wire{0x04, 0x03, 0x02, 0x01, 0xfe, 0xff, 0xff, 0xff, 0x80};
    EXPECT_EQ(get_u32(wire.data()), 0x01020304U);
    EXPECT_EQ(get_u32(wire.data() + 4), 0xfffffffeU);
    EXPECT_EQ(get_u32(wire.data() + 5), 0x80ffffffU);
}

TEST(ByteReader, ReadsNegativeIntegers) {
    const Bytes wire{0xfe, 0xff, 0xff, 0xff, 0x00, 0, 0, 0, 0, 0, 0, 0x80};
    ByteReader reader{wire};
    EXPECT_EQ(reader.read_i32(), -2);
    EXPECT_EQ(reader.read_i64(), std::numeric_limits<std::int64_t>::min());
}

TEST(ByteReader, ReadsViewsBytesAndArrays) {
    const Bytes wire{1, 2, 3, 4, 5, 6};
    ByteReader reader{wire};
    EXPECT_EQ(reader.peek_u8(), 1);
    EXPECT_EQ(reader.read_view(2).data(), wire.data());
    EXPECT_EQ(reader.read_bytes(1), Bytes{3});
    EXPECT_EQ(reader.read_array<2>(), (std::array<Byte, 2>{4, 5}));
    EXPECT_EQ(reader.rest().size(), 1U);
    EXPECT_EQ(reader.peek_u8(), 6);
}

TEST(ByteReader, FailsOneByteShort) {
    const Bytes wire(7, 0xff);
    const auto fails = [&](std::size_t size, auto read) {
        ByteReader reader{ByteView{wire}.first(size)};
        const auto value = read(reader);
        EXPECT_FALSE(reader.ok());
        EXPECT_EQ(reader.error(), DecodeError::truncated);
        EXPECT_EQ(value, decltype(value){});
    };
    fails(0, [](ByteReader& reader) { return reader.read_u8(); });
    fails(1, [](ByteReader& reader) { return reader.read_u16(); });
    fails(1, [](ByteReader& reader) { return reader.read_u16_big_endian(); });
    fails(3, [](ByteReader& reader) { return reader.read_u32(); });
    fails(7, [](ByteReader& reader) { return reader.read_u64(); });
    fails(3, [](ByteReader& reader) { return reader.read_i32(); });
    fails(7, [](ByteReader& reader) { return reader.read_i64(); });
    fails(3, [](ByteReader& reader) { return reader.read_bytes(4); });
    fails(3, [](ByteReader& reader) { return reader.read_array<4>(); });
}

TEST(ByteReader, FirstFailureSticks) {
    const Bytes wire{1, 2, 3};
    ByteReader reader{wire};
    reader.read_u32();
    reader.fail(DecodeError::invalid_value);

    EXPECT_EQ(reader.error(), DecodeError::truncated);
    EXPECT_EQ(reader.read_u8(), 0);
    EXPECT_TRUE(reader.read_view(0).empty());
    EXPECT_EQ(reader.remaining(), 3U) << "nothing is consumed after a failure";
}

TEST(ByteReader, PeekingAtTheEndIsNoFailure) {
    ByteReader reader{ByteView{}};
    EXPECT_EQ(reader.peek_u8(), 0);
    EXPECT_TRUE(reader.ok());
}

TEST(ByteReader, ExpectsTheEnd) {
    const Bytes wire{1};
    ByteReader reader{wire};
    reader.expect_end();
    ASSERT_FALSE(reader.ok());
    EXPECT_EQ(reader.error(), DecodeError::trailing_bytes);

    ByteReader finished{wire};
    finished.read_u8();
    finished.expect_end();
    EXPECT_TRUE(finished.ok());
}

struct CompactSizeCase {
    std::string name;
    Bytes wire;
    std::optional<std::uint64_t> value;  // empty: decoding fails with `error`
    DecodeError error = DecodeError::truncated;
};

void PrintTo(const CompactSizeCase& row, std::ostream* out) {
    *out << row.name;
}

class CompactSize : public testing::TestWithParam<CompactSizeCase> {};

TEST_P(CompactSize, DecodesOrSaysWhy) {
    const auto& row = GetParam();
    ByteReader reader{row.wire};

    const auto value = reader.read_compact_size();

    ASSERT_EQ(reader.ok(), row.value.has_value());
    if (row.value) {
        EXPECT_EQ(value, *row.value);
        EXPECT_EQ(reader.remaining(), 0U);
    } else {
        EXPECT_EQ(value, 0U);
        EXPECT_EQ(reader.error(), row.error);
    }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Wire, CompactSize, testing::ValuesIn(std::initializer_list<CompactSizeCase>{
    {"Zero",               {0x00},                         0},
    {"LargestOneByte",     {0xfc},                         0xfc},
    {"SmallestThreeBytes", {0xfd, 0xfd, 0x00},             0xfd},
    {"PaddedToThree",      {0xfd, 0xfc, 0x00},             {}, DecodeError::non_canonical_size},
    {"LargestThreeBytes",  {0xfd, 0xff, 0xff},             0xffff},
    {"SmallestFiveBytes",  {0xfe, 0x00, 0x00, 0x01, 0x00}, 0x10000},
    {"PaddedToFive",       {0xfe, 0xff, 0xff, 0x00, 0x00}, {}, DecodeError::non_canonical_size},
    {"LargestFiveBytes",   {0xfe, 0xff, 0xff, 0xff, 0xff}, 0xffffffff},
    {"SmallestNineBytes",  {0xff, 0, 0, 0, 0, 1, 0, 0, 0}, std::uint64_t{1} << 32},
    {"PaddedToNine",       {0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, {}, DecodeError::non_canonical_size},
    {"LargestNineBytes",   {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 0xffffffffffffffff},
    {"EmptyInput",         {},                             {}, DecodeError::truncated},
    {"MissingTwoBytes",    {0xfd},                         {}, DecodeError::truncated},
    {"MissingLastByte",    {0xfd, 0xfd},                   {}, DecodeError::truncated},
    {"MissingLastOfFive",  {0xfe, 0, 0, 1},                {}, DecodeError::truncated},
    {"MissingLastOfNine",  {0xff, 0, 0, 0, 0, 1, 0, 0},    {}, DecodeError::truncated},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(ReadCount, TakesAsManyItemsAsThereIsRoomFor) {
    const Bytes wire{3, 0, 0, 0, 0, 0, 0};
    ByteReader reader{wire};
    EXPECT_EQ(reader.read_count(3, 2), 3U);
    EXPECT_TRUE(reader.ok());
}

TEST(ReadCount, RefusesOneItemMoreThanThereIsRoomFor) {
    const Bytes wire{3, 0, 0, 0, 0, 0};
    ByteReader reader{wire};
    EXPECT_EQ(reader.read_count(3, 2), 0U);
    EXPECT_EQ(reader.error(), DecodeError::truncated);
}

TEST(ReadCount, RefusesOneAboveTheMaximum) {
    const Bytes wire{4, 0, 0, 0, 0};
    ByteReader reader{wire};
    EXPECT_EQ(reader.read_count(3, 1), 0U);
    EXPECT_EQ(reader.error(), DecodeError::too_large);
}

TEST(ReadCount, IsNotFooledByAnOverflowingProduct) {
    const Bytes wire{0xff, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 2, 3};  // 2^63 items of two bytes: 2^64
    ByteReader reader{wire};
    EXPECT_EQ(reader.read_count(0xffffffffffffffff, 2), 0U);
    EXPECT_EQ(reader.error(), DecodeError::truncated);
}

TEST(ReadVarBytes, HoldsItsLimit) {
    const Bytes wire{2, 7, 8, 9};
    ByteReader reader{wire};
    EXPECT_EQ(reader.read_var_bytes(2), (Bytes{7, 8}));
    EXPECT_EQ(reader.remaining(), 1U);

    ByteReader limited{wire};
    EXPECT_TRUE(limited.read_var_view(1).empty());
    EXPECT_EQ(limited.error(), DecodeError::too_large);

    ByteReader cut{ByteView{wire}.first(2)};
    EXPECT_TRUE(cut.read_var_bytes(2).empty());
    EXPECT_EQ(cut.error(), DecodeError::truncated);
}

TEST(DecodeErrors, AreDescribedEachInItsOwnWords) {
    std::set<std::string_view> texts;
    for (int error = 0; error <= static_cast<int>(DecodeError::invalid_value); ++error) {
        texts.insert(describe(static_cast<DecodeError>(error)));
    }
    EXPECT_EQ(texts.size(), 5U);
    EXPECT_FALSE(texts.contains(""));
}

}  // namespace
}  // namespace petal::chain
