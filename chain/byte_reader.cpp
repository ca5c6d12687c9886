// The reader of Bitcoin's wire format.
#include "chain/byte_reader.h"

#include <cassert>

#include "chain/enum_table.h"

namespace petal::chain {

std::string_view describe(DecodeError error) {
    using enum DecodeError;
    static constexpr auto kTexts = enum_table<DecodeError, std::string_view>({
        {truncated, "the data ends too early"},
        {non_canonical_size, "a size is written longer than it needs to be"},
        {too_large, "a count or length is above its limit"},
        {trailing_bytes, "data is left over behind the end"},
        {invalid_value, "a field holds a value that its format does not allow"},
    });
    return kTexts[error];
}

std::uint8_t ByteReader::read_u8() {
    return static_cast<std::uint8_t>(read_little_endian(1));
}
std::uint16_t ByteReader::read_u16() {
    return static_cast<std::uint16_t>(read_little_endian(2));
}
std::uint32_t ByteReader::read_u32() {
    return static_cast<std::uint32_t>(read_little_endian(4));
}
std::uint64_t ByteReader::read_u64() {
    return read_little_endian(8);
}
std::int32_t ByteReader::read_i32() {
    return static_cast<std::int32_t>(read_u32());
}
std::int64_t ByteReader::read_i64() {
    return static_cast<std::int64_t>(read_u64());
}

std::uint16_t ByteReader::read_u16_big_endian() {
    const unsigned value = read_u16();
    return static_cast<std::uint16_t>(value << 8U | value >> 8U);
}

std::uint64_t ByteReader::read_compact_size() {
    const std::uint8_t first = read_u8();
    if (first < 0xfd) return first;

    const std::size_t width = std::size_t{2} << (first - 0xfdU);
    const std::uint64_t value = read_little_endian(width);
    const std::uint64_t smallest = width == 2 ? 0xfd : std::uint64_t{1} << (width * 4);
    if (value < smallest) fail(DecodeError::non_canonical_size);
    return failed_ ? 0 : value;
}

std::size_t ByteReader::read_count(std::uint64_t max, std::size_t min_bytes_each) {
    assert(min_bytes_each > 0);
    const std::uint64_t count = read_compact_size();
    if (count > max) {
        fail(DecodeError::too_large);
    } else if (count > remaining() / min_bytes_each) {
        fail(DecodeError::truncated);
    }
    return failed_ ? 0 : static_cast<std::size_t>(count);
}

ByteView ByteReader::read_view(std::size_t size) {
    if (size > rest_.size()) fail(DecodeError::truncated);
    if (failed_) return {};
    const ByteView view = rest_.first(size);
    rest_ = rest_.subspan(size);
    return view;
}

Bytes ByteReader::read_bytes(std::size_t size) {
    const ByteView view = read_view(size);
    return {view.begin(), view.end()};
}

ByteView ByteReader::read_var_view(std::uint64_t max) {
    return read_view(read_count(max, 1));
}

Bytes ByteReader::read_var_bytes(std::uint64_t max) {
    const ByteView view = read_var_view(max);
    return {view.begin(), view.end()};
}

void ByteReader::fail(DecodeError error) {
    if (failed_) return;
    failed_ = true;
    error_ = error;
}

void ByteReader::expect_end() {
    if (!rest_.empty()) fail(DecodeError::trailing_bytes);
}

DecodeError ByteReader::error() const {
    assert(failed_);
    return error_;
}

std::uint64_t ByteReader::read_little_endian(std::size_t width) {
    const ByteView view = read_view(width);
    std::uint64_t value = 0;
    for (std::size_t i = view.size(); i-- > 0;) value = value << 8U | view[i];
    return value;
}

}  // namespace petal::chain
