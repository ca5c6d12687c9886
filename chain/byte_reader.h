/// Reads the little-endian values of Bitcoin's wire format from untrusted bytes.
#pragma once

#include <array>
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

    std::uint8_t read_u8();
    std::uint16_t read_u16();
    std::uint16_t read_u16_big_endian();
    std::uint32_t read_u32();
    std::uint64_t read_u64();
    std::int32_t read_i32();
    std::int64_t read_i64();

    /// A CompactSize that is not a length: any canonical 64-bit value.
    std::uint64_t read_compact_size();

    /// A CompactSize count of items that follow. Fails with `too_large` above `max`. Fails with
    /// `truncated` if fewer than `min_bytes_each` bytes per item are left, so that a small message
    /// cannot cause a large allocation.
    std::size_t read_count(std::uint64_t max, std::size_t min_bytes_each);

    /// The next `size` bytes, as a view into the input. Empty on failure.
    ByteView read_view(std::size_t size);
    Bytes read_bytes(std::size_t size);

    /// A CompactSize length of at most `max`, then that number of bytes.
    ByteView read_var_view(std::uint64_t max);
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
    void fail(DecodeError error);

    /// Fails with `trailing_bytes` if unread bytes remain.
    void expect_end();

    bool ok() const { return !failed_; }
    /// The first error. Must not be called while ok().
    DecodeError error() const;

private:
    std::uint64_t read_little_endian(std::size_t width);

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
