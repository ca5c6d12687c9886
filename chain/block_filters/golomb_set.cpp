#include "chain/block_filters/golomb_set.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "chain/byte_writer.h"

namespace petal::chain {
namespace {

__extension__ using Uint128 = unsigned __int128;

/// Maps a hash evenly to the numbers below `range` (BIP158: hash_to_range).
std::uint64_t map_to_range(std::uint64_t hash, std::uint64_t range) {
    return static_cast<std::uint64_t>(Uint128{hash} * range >> 64U);
}

/// Writes bits, each byte's highest first.
class BitWriter {
public:
    explicit BitWriter(ByteWriter& bytes) : bytes_(bytes) {}

    /// Writes the lowest `count` bits of `value`, at most 32.
    void write(std::uint64_t value, unsigned count) {
        assert(count <= 32);
        pending_ = pending_ << count | (value & ((std::uint64_t{1} << count) - 1));
        pending_bits_ += count;
        while (pending_bits_ >= 8) {
            pending_bits_ -= 8;
            bytes_.u8(static_cast<std::uint8_t>(pending_ >> pending_bits_));
        }
    }
    /// `value` ones, then a zero.
    void write_unary(std::uint64_t value) {
        for (; value >= 32; value -= 32) write(0xffffffffU, 32);
        write((std::uint64_t{1} << (value + 1)) - 2, static_cast<unsigned>(value) + 1);
    }
    /// Fills the last byte with zeros.
    void finish() {
        if (pending_bits_ > 0) write(0, 8 - pending_bits_);
    }

private:
    ByteWriter& bytes_;
    std::uint64_t pending_ = 0;
    unsigned pending_bits_ = 0;
};

/// Reads bits, each byte's highest first. After the last bit, reads zeros and is not ok().
class BitReader {
public:
    explicit BitReader(ByteView bytes) : rest_(bytes) {}

    bool ok() const { return ok_; }

    /// The next `count` bits as a number, at most 32.
    std::uint64_t read(unsigned count) {
        if (!fill(count)) return 0;
        const std::uint64_t value = count == 0 ? 0 : next_ >> (64 - count);
        skip(count);
        return value;
    }

    /// The number of ones before the next zero, which is skipped.
    std::uint64_t read_unary() {
        std::uint64_t ones = 0;
        while (fill(1)) {
            const auto run = std::min(static_cast<unsigned>(std::countl_one(next_)), available_);
            ones += run;
            const bool is_at_zero = run < available_;
            skip(is_at_zero ? run + 1 : run);
            if (is_at_zero) return ones;
        }
        return 0;
    }

    /// Whether only zero bits of the current byte are left.
    bool is_at_end() const { return ok_ && rest_.empty() && available_ < 8 && next_ == 0; }

private:
    /// Makes `count` bits available, at most 32.
    bool fill(unsigned count) {
        while (available_ < count && !rest_.empty()) {
            next_ |= std::uint64_t{rest_.front()} << (56 - available_);
            available_ += 8;
            rest_ = rest_.subspan(1);
        }
        ok_ = ok_ && available_ >= count;
        return ok_;
    }
    void skip(unsigned count) {
        next_ <<= count;
        available_ -= count;
    }

    ByteView rest_;
    std::uint64_t next_ = 0;  ///< the next bits, from the highest bit down, then zeros
    unsigned available_ = 0;  ///< the number of bits of input in `next_`, at most 39
    bool ok_ = true;
};

}  // namespace

GolombSet::GolombSet(const GolombParameters& parameters, std::span<const Bytes> elements)
    : parameters_(parameters) {
    std::vector<ByteView> different(elements.begin(), elements.end());
    std::ranges::sort(different, std::ranges::lexicographical_compare);
    const auto repeated = std::unique(different.begin(), different.end(), std::ranges::equal);
    different.erase(repeated, different.end());
    assert(different.size() <= std::numeric_limits<std::uint32_t>::max());

    hashes_.resize(different.size());
    std::ranges::transform(different, hashes_.begin(),
                           [this](ByteView element) { return hash_of(element); });
    std::ranges::sort(hashes_);
}

Expected<GolombSet, DecodeError> GolombSet::decode(const GolombParameters& parameters,
                                                   ByteView bytes) {
    ByteReader reader{bytes};
    const std::uint64_t count = reader.read_compact_size();
    if (!reader.ok()) return Unexpected(reader.error());
    // The shortest difference is the zero that ends the unary part, and the remainder.
    const std::uint64_t most = reader.remaining() * 8 / (parameters.remainder_bits + 1);
    if (count > most) return Unexpected(DecodeError::truncated);

    GolombSet set(parameters);
    set.hashes_.resize(count);
    BitReader bits(reader.rest());
    std::uint64_t hash = 0;
    for (std::uint64_t& next : set.hashes_) {
        const std::uint64_t quotient = bits.read_unary();
        hash += (quotient << parameters.remainder_bits) + bits.read(parameters.remainder_bits);
        if (!bits.ok()) return Unexpected(DecodeError::truncated);
        if (hash >= set.range()) return Unexpected(DecodeError::invalid_value);
        next = hash;
    }
    if (!bits.is_at_end()) return Unexpected(DecodeError::trailing_bytes);
    return set;
}

Bytes GolombSet::encode() const {
    ByteWriter bytes(9 + hashes_.size() * (parameters_.remainder_bits + 2) / 8);
    bytes.compact_size(hashes_.size());
    BitWriter bits(bytes);
    std::uint64_t previous = 0;
    for (const std::uint64_t hash : hashes_) {
        const std::uint64_t difference = hash - previous;
        bits.write_unary(difference >> parameters_.remainder_bits);
        bits.write(difference, parameters_.remainder_bits);
        previous = hash;
    }
    bits.finish();
    return bytes.take();
}

bool GolombSet::has_any_of(std::span<const Bytes> elements) const {
    if (hashes_.empty()) return false;
    // Sorting takes longer than hashing. In the filter of a small block, a search is shorter.
    if (hashes_.size() < elements.size()) {
        return std::ranges::any_of(elements, [this](const Bytes& element) {
            return std::ranges::binary_search(hashes_, hash_of(element));
        });
    }
    auto hash = hashes_.begin();
    for (const std::uint64_t next : sorted_hashes_of(elements)) {
        while (*hash < next) {
            if (++hash == hashes_.end()) return false;
        }
        if (*hash == next) return true;
    }
    return false;
}

bool GolombSet::has_all_of(std::span<const Bytes> elements) const {
    std::vector<std::uint64_t> wanted = sorted_hashes_of(elements);
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    return std::ranges::includes(hashes_, wanted);
}

std::vector<std::uint64_t> GolombSet::sorted_hashes_of(std::span<const Bytes> elements) const {
    std::vector<std::uint64_t> hashes(elements.size());
    std::ranges::transform(elements, hashes.begin(),
                           [this](const Bytes& element) { return hash_of(element); });
    std::ranges::sort(hashes);
    return hashes;
}

std::uint64_t GolombSet::hash_of(ByteView element) const {
    return map_to_range(sip_hash(parameters_.key, element), range());
}

}  // namespace petal::chain
