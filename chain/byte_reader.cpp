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

std::uint16_t ByteReader::read_u16_big_endian() {
    const unsigned value = read_u16();
    return static_cast<std::uint16_t>(value << 8U | value >> 8U);
}

std::uint64_t ByteReader::read_long_compact_size(std::uint8_t first) {
    const std::size_t width = std::size_t{2} << (first - 0xfdU);
    const std::uint64_t value = read_little_endian(width);
    const std::uint64_t smallest = width == 2 ? 0xfd : std::uint64_t{1} << (width * 4);
    if (value < smallest) fail(DecodeError::non_canonical_size);
    return failed_ ? 0 : value;
}

Bytes ByteReader::read_bytes(std::size_t size) {
    const ByteView view = read_view(size);
    return {view.begin(), view.end()};
}

Bytes ByteReader::read_var_bytes(std::uint64_t max) {
    const ByteView view = read_var_view(max);
    return {view.begin(), view.end()};
}

void ByteReader::expect_end() {
    if (!rest_.empty()) fail(DecodeError::trailing_bytes);
}

DecodeError ByteReader::error() const {
    assert(failed_);
    return error_;
}

}  // namespace petal::chain
