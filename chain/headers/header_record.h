/// A header as stored in the tree, in memory and on disk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "chain/block_header.h"
#include "chain/uint256.h"

namespace petal::chain {

/// The position of a header in the tree. Headers are numbered in order of acceptance.
struct HeaderPlace {
    Uint256 work;  ///< of its branch, from the genesis block up to and including this header
    std::uint32_t parent = 0;  ///< the root is its own parent
    std::uint32_t height = 0;
    std::uint32_t max_time = 0;  ///< the latest time of this header and its ancestors

    friend bool operator==(const HeaderPlace&, const HeaderPlace&) = default;
};

/// 128 bytes: the header (80), its place (44), and a checksum (4). Numbers are little-endian.
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

    /// The first bytes of the SHA-256 of the previous record's check, the block's hash and the
    /// header's place. Detects flipped bits, missing records and reordered records.
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
