/// A header as the tree keeps it, in memory and on disk alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "chain/block_header.h"
#include "chain/uint256.h"

namespace petal::chain {

/// The position of a header in the tree. Headers are numbered in order of acceptance.
struct HeaderPlace {
    Uint256 work;  ///< of its branch, from the genesis block to this header, both included
    std::uint32_t parent = 0;  ///< the root's own is itself
    std::uint32_t height = 0;
    std::uint32_t max_time = 0;  ///< of this header and its ancestors; never decreases

    friend bool operator==(const HeaderPlace&, const HeaderPlace&) = default;
};

/// 128 bytes: 80 of the header, 44 of its place, and a checksum of 4. Numbers are little-endian.
class HeaderRecord {
public:
    static constexpr std::size_t kBytes = 128;
    using Check = std::array<Byte, 4>;

    HeaderRecord() = default;
    HeaderRecord(const BlockHeader& header, const HeaderPlace& place);

    BlockHeader header() const;
    BlockHash hash() const { return {sha256d(ByteView{bytes_}.first(kHeaderBytes)).bytes}; }
    BlockHash previous() const { return BlockHash::from_view(ByteView{bytes_}.subspan(4)); }
    std::uint32_t time() const { return u32_at(68); }
    std::uint32_t bits() const { return u32_at(72); }

    HeaderPlace place() const { return {work(), parent(), height(), max_time()}; }
    Uint256 work() const;
    std::uint32_t parent() const { return u32_at(112); }
    std::uint32_t height() const { return u32_at(116); }
    std::uint32_t max_time() const { return u32_at(120); }

    /// The first bytes of the SHA-256 of the check of the record before it in the file, the block's
    /// hash and its place: so that a flipped bit is noticed, and records that are missing or not in
    /// their places.
    Check make_check(const Check& before, const BlockHash& hash) const;
    Check check() const { return {bytes_[124], bytes_[125], bytes_[126], bytes_[127]}; }
    void set_check(const Check& check);

    ByteView view() const { return bytes_; }
    friend bool operator==(const HeaderRecord&, const HeaderRecord&) = default;

private:
    std::uint32_t u32_at(std::size_t offset) const;

    std::array<Byte, kBytes> bytes_{};
};

static_assert(sizeof(HeaderRecord) == HeaderRecord::kBytes && alignof(HeaderRecord) == 1);

}  // namespace petal::chain
