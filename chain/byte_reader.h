/// Reads the little-endian values of Bitcoin's wire format from untrusted bytes.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chain/bytes.h"

namespace petal::chain {

/// Why bytes could not be decoded.
enum class DecodeError : std::uint8_t {
    truncated,           ///< the bytes ended within a value
    non_canonical_size,  ///< a CompactSize longer than its value needs
    too_large,           ///< a count or length above its limit
    trailing_bytes,      ///< bytes remain after the last value
    invalid_value,       ///< a field has a value that its format does not allow
};

std::string_view describe(DecodeError error);

/// The largest length or count that a CompactSize may carry (Bitcoin Core: serialize.h, MAX_SIZE).
inline constexpr std::uint64_t kMaxCompactSize = 0x02000000;

/// Reads bytes of another owner, who must keep the bytes longer than the reader and its views.
///
/// After the first failure every read returns zero or an empty value. So a decoder can read all
/// values and check at the end whether all reads succeeded.
class ByteReader {
public:
    explicit ByteReader(ByteView bytes) : rest_(bytes) {}

    std::uint8_t read_u8() { return static_cast<std::uint8_t>(read_little_endian(1)); }
    std::uint16_t read_u16() { return static_cast<std::uint16_t>(read_little_endian(2)); }
    std::uint16_t read_u16_big_endian();
    std::uint32_t read_u32() { return static_cast<std::uint32_t>(read_little_endian(4)); }
    std::uint64_t read_u64() { return read_little_endian(8); }
    std::int32_t read_i32() { return static_cast<std::int32_t>(read_u32()); }
    std::int64_t read_i64() { return static_cast<std::int64_t>(read_u64()); }

    /// A CompactSize that is not a length: any canonical 64-bit value.
    std::uint64_t read_compact_size() {
        const std::uint8_t first = read_u8();
        return first < 0xfd ? first : read_long_compact_size(first);
    }

    /// A CompactSize count of items that follow. Fails with `too_large` above `max`. Fails with
    /// `truncated` if fewer than `min_bytes_each` bytes per item are left, so that a small message
    /// cannot cause a large allocation.
    std::size_t read_count(std::uint64_t max, std::size_t min_bytes_each) {
        assert(min_bytes_each > 0);
        const std::uint64_t count = read_compact_size();
        if (count > max) {
            fail(DecodeError::too_large);
        } else if (count > remaining() / min_bytes_each) {
            fail(DecodeError::truncated);
        }
        return failed_ ? 0 : static_cast<std::size_t>(count);
    }

    /// The next `size` bytes, as a view into the input. Empty on failure.
    ByteView read_view(std::size_t size) {
        if (size > rest_.size()) fail(DecodeError::truncated);
        if (failed_) return {};
        const ByteView view = rest_.first(size);
        rest_ = rest_.subspan(size);
        return view;
    }
    Bytes read_bytes(std::size_t size);

    /// A CompactSize length of at most `max`, then that number of bytes.
    ByteView read_var_view(std::uint64_t max) { return read_view(read_count(max, 1)); }
    Bytes read_var_bytes(std::uint64_t max);

    /// The next N bytes as an array. All zero on failure.
    template <std::size_t N>
    std::array<Byte, N> read_array() {
        std::array<Byte, N> result{};
        const ByteView view = read_view(N);
        for (std::size_t i = 0; i < view.size(); ++i) result[i] = view[i];
        return result;
    }

    /// The next byte, which is not consumed. Zero at the end, without a failure.
    std::uint8_t peek_u8() const {
        return failed_ || rest_.empty() ? std::uint8_t{0} : rest_.front();
    }

    std::size_t remaining() const { return rest_.size(); }
    ByteView rest() const { return rest_; }

    /// Marks the input as invalid by a rule of the decoder. The first error stays.
    void fail(DecodeError error) {
        if (failed_) return;
        failed_ = true;
        error_ = error;
    }

    /// Fails with `trailing_bytes` if unread bytes remain.
    void expect_end();

    bool ok() const { return !failed_; }
    /// The first error. Must not be called while ok().
    DecodeError error() const;

private:
    std::uint64_t read_little_endian(std::size_t width) {
        const ByteView view = read_view(width);
        std::uint64_t value = 0;
        for (std::size_t i = view.size(); i-- > 0;) value = value << 8U | view[i];
        return value;
    }
    /// The rest of a CompactSize of more than one byte.
    std::uint64_t read_long_compact_size(std::uint8_t first);

    ByteView rest_;
    bool failed_ = false;
    DecodeError error_ = DecodeError::truncated;  // meaningful once failed_
};

/// The little-endian number at `from`, as put_u32() writes it.
inline std::uint32_t get_u32(const Byte* from) {
    return std::uint32_t{from[0]} | std::uint32_t{from[1]} << 8 | std::uint32_t{from[2]} << 16 |
           std::uint32_t{from[3]} << 24;
}

}  // namespace petal::chain
