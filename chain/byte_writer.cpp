// The writer of Bitcoin's wire format.
#include "chain/byte_writer.h"

#include <array>
#include <cassert>
#include <utility>

namespace petal::chain {

namespace {

void append_little_endian(Bytes& bytes, std::uint64_t value, std::size_t width) {
    std::array<Byte, sizeof(value)> encoded{};
    assert(width <= encoded.size());
    for (std::size_t i = 0; i < width; ++i) encoded[i] = static_cast<Byte>(value >> (8 * i));
    bytes.insert(bytes.end(), encoded.data(), encoded.data() + width);
}

}  // namespace

ByteWriter& ByteWriter::u8(std::uint8_t value) {
    bytes_.push_back(value);
    return *this;
}

ByteWriter& ByteWriter::u16(std::uint16_t value) {
    append_little_endian(bytes_, value, 2);
    return *this;
}

ByteWriter& ByteWriter::u16_big_endian(std::uint16_t value) {
    return u8(static_cast<Byte>(value >> 8U)).u8(static_cast<Byte>(value & 0xffU));
}

ByteWriter& ByteWriter::u32(std::uint32_t value) {
    append_little_endian(bytes_, value, 4);
    return *this;
}

ByteWriter& ByteWriter::u64(std::uint64_t value) {
    append_little_endian(bytes_, value, 8);
    return *this;
}

ByteWriter& ByteWriter::i32(std::int32_t value) {
    return u32(static_cast<std::uint32_t>(value));
}
ByteWriter& ByteWriter::i64(std::int64_t value) {
    return u64(static_cast<std::uint64_t>(value));
}

ByteWriter& ByteWriter::compact_size(std::uint64_t value) {
    switch (compact_size_bytes(value)) {
        case 1:
            return u8(static_cast<std::uint8_t>(value));
        case 3:
            return u8(0xfd).u16(static_cast<std::uint16_t>(value));
        case 5:
            return u8(0xfe).u32(static_cast<std::uint32_t>(value));
        default:
            return u8(0xff).u64(value);
    }
}

ByteWriter& ByteWriter::bytes(ByteView value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    return *this;
}

ByteWriter& ByteWriter::var_bytes(ByteView value) {
    return compact_size(value.size()).bytes(value);
}

Bytes ByteWriter::take() {
    return std::exchange(bytes_, {});
}

std::size_t compact_size_bytes(std::uint64_t value) {
    if (value < 0xfd) return 1;
    if (value <= 0xffff) return 3;
    if (value <= 0xffffffff) return 5;
    return 9;
}

}  // namespace petal::chain
