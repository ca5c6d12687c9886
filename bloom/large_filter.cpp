#include "bloom/large_filter.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

#include "bloom/murmur3_128.h"

namespace petal::bloom {
namespace {

constexpr std::size_t kPieceBytes = 4'096;
constexpr std::size_t kPieces = 4'096;

/// The bits of an element, one function after the other.
class BitSequence {
public:
    BitSequence(chain::ByteView element, std::uint64_t bits)
        : hash_(murmur3_128(0, element)), bits_(bits) {}

    std::uint64_t next() {
        constexpr std::uint64_t kWithoutHighestBit = ~std::uint64_t{0} >> 1;
        const std::uint64_t bit = (hash_.low & kWithoutHighestBit) % bits_;
        hash_.low += hash_.high;
        return bit;
    }

private:
    Hash128 hash_;
    std::uint64_t bits_;
};

/// bytes   a multiple of 8
std::uint64_t count_bits_of_words(std::span<const chain::Byte> bytes) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, sizeof word);
        count += static_cast<std::uint64_t>(std::popcount(word));
    }
    return count;
}

}  // namespace

LargeFilter::LargeFilter(std::span<chain::Byte> bytes, std::uint32_t hash_functions)
    : bytes_(bytes), hash_functions_(hash_functions) {
    assert(!bytes.empty() && bytes.size() % 8 == 0);
    assert(hash_functions > 0);
}

bool LargeFilter::insert(chain::ByteView element) {
    BitSequence sequence(element, size().bits);
    bool is_new = false;
    for (std::uint32_t i = 0; i < hash_functions_; ++i) {
        const std::uint64_t bit = sequence.next();
        chain::Byte& byte = bytes_[bit / 8];
        const auto with_bit = static_cast<chain::Byte>(byte | 1U << bit % 8);
        is_new |= byte != with_bit;
        byte = with_bit;
    }
    return is_new;
}

bool LargeFilter::contains(chain::ByteView element) const {
    BitSequence sequence(element, size().bits);
    for (std::uint32_t i = 0; i < hash_functions_; ++i) {
        const std::uint64_t bit = sequence.next();
        if ((bytes_[bit / 8] >> bit % 8 & 1) == 0) return false;
    }
    return true;
}

double LargeFilter::fill() const {
    const std::span<const chain::Byte> all = bytes_;
    if (all.size() <= kPieceBytes * kPieces) {
        return static_cast<double>(count_bits_of_words(all)) / static_cast<double>(size().bits);
    }
    std::uint64_t set = 0;
    for (std::size_t i = 0; i < kPieces; ++i) {
        const std::size_t piece = all.size() / kPieces * i / kPieceBytes * kPieceBytes;
        set += count_bits_of_words(all.subspan(piece, kPieceBytes));
    }
    return static_cast<double>(set) / static_cast<double>(kPieceBytes * kPieces * 8);
}

double LargeFilter::false_positive_rate() const {
    return std::pow(fill(), hash_functions_);
}

}  // namespace petal::bloom
