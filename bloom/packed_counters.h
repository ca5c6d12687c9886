/// Bitmaps, and maps of counters of a few bits each.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "chain/bytes.h"

namespace petal::bloom {

/// A counter of `Bits` bits for each number from 0 on, several in a byte. A counter that has
/// reached kMost stays at kMost. All counters are in memory: use a map for dense numbers, a filter
/// for sparse or long numbers.
///
/// Not thread-safe.
template <unsigned Bits>
class PackedCounters {
    static_assert(Bits == 1 || Bits == 2 || Bits == 4);

public:
    static constexpr std::uint8_t kMost = (1U << Bits) - 1;

    /// Makes `size` counters, all 0.
    explicit PackedCounters(std::size_t size) : size_(size), bytes_((size + kEach - 1) / kEach) {}

    /// The number of counters: numbers below size() can be counted.
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return bytes_.size(); }

    std::uint8_t count(std::size_t number) const {
        assert(number < size_);
        return static_cast<std::uint8_t>(bytes_[number / kEach] >> shift_of(number) & kMost);
    }

    /// value   at most kMost
    void set(std::size_t number, std::uint8_t value) {
        assert(number < size_ && value <= kMost);
        chain::Byte& byte = bytes_[number / kEach];
        const unsigned cleared = byte & ~(unsigned{kMost} << shift_of(number));
        byte = static_cast<chain::Byte>(cleared | unsigned{value} << shift_of(number));
    }

    /// Counts the number once more. Returns the count before.
    std::uint8_t add(std::size_t number) {
        const std::uint8_t before = count(number);
        if (before < kMost) set(number, static_cast<std::uint8_t>(before + 1));
        return before;
    }

    /// Calls `visit` with each number that was counted, and the count, in ascending order.
    template <typename Visit>
    void visit_counted(Visit visit) const {
        for (std::size_t byte = 0; byte < bytes_.size(); ++byte) {
            if (bytes_[byte] == 0) continue;
            for (std::size_t i = byte * kEach; i < (byte + 1) * kEach && i < size_; ++i) {
                if (count(i) != 0) visit(i, count(i));
            }
        }
    }

private:
    static constexpr std::size_t kEach = 8 / Bits;
    static unsigned shift_of(std::size_t number) {
        return static_cast<unsigned>(number % kEach) * Bits;
    }

    std::size_t size_;
    chain::Bytes bytes_;
};

/// One bit a number: in the set or not.
using Bitmap = PackedCounters<1>;
/// Two bits a number: 0 absent, 1 once, 2 twice, 3 three times or more.
using TwoBitMap = PackedCounters<2>;

}  // namespace petal::bloom
