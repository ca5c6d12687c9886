/// Writes the little-endian values of Bitcoin's wire format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chain/bytes.h"

namespace petal::chain {

/// Appends values to a byte string. Each call returns the writer, so that calls can be chained.
class ByteWriter {
public:
    ByteWriter() = default;
    explicit ByteWriter(std::size_t expected_bytes) { bytes_.reserve(expected_bytes); }

    ByteWriter& u8(std::uint8_t value);
    ByteWriter& u16(std::uint16_t value);
    ByteWriter& u16_big_endian(std::uint16_t value);
    ByteWriter& u32(std::uint32_t value);
    ByteWriter& u64(std::uint64_t value);
    ByteWriter& i32(std::int32_t value);
    ByteWriter& i64(std::int64_t value);
    ByteWriter& compact_size(std::uint64_t value);
    ByteWriter& bytes(ByteView value);
    /// A CompactSize length, then the bytes.
    ByteWriter& var_bytes(ByteView value);

    std::size_t size() const { return bytes_.size(); }
    ByteView view() const { return bytes_; }
    /// Moves the bytes out. The writer is empty afterwards.
    Bytes take();

private:
    Bytes bytes_;
};

/// Writes `value` to `to`, little-endian, and returns the position after the four bytes. For
/// buffers of a fixed size.
inline Byte* put_u32(Byte* to, std::uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) *to++ = static_cast<Byte>(value >> shift);
    return to;
}

/// The number of bytes that compact_size(value) writes: 1, 3, 5 or 9.
std::size_t compact_size_bytes(std::uint64_t value);

}  // namespace petal::chain
