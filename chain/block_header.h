/// Block headers and block identifiers.
#pragma once

#include <array>
#include <cstdint>

#include "chain/byte_reader.h"
#include "chain/hash.h"

namespace petal::chain {

inline constexpr std::size_t kHeaderBytes = 80;

/// The 80 bytes that are hashed for proof of work.
struct BlockHeader {
    std::int32_t version = 1;
    BlockHash previous;
    Hash256 merkle_root;
    std::uint32_t time = 0;  ///< Unix seconds as the miner claims
    std::uint32_t bits = 0;  ///< compact target
    std::uint32_t nonce = 0;

    friend bool operator==(const BlockHeader&, const BlockHeader&) = default;

    std::array<Byte, kHeaderBytes> serialize() const;
    BlockHash hash() const;
};

/// The height and the hash of a block.
struct BlockRef {
    std::uint32_t height = 0;
    BlockHash hash;

    friend bool operator==(const BlockRef&, const BlockRef&) = default;
};

/// A header with its hash, which is computed once.
class HashedHeader {
public:
    explicit HashedHeader(const BlockHeader& header) : header_(header), hash_(header.hash()) {}

    const BlockHeader& header() const { return header_; }
    const BlockHash& hash() const { return hash_; }

private:
    BlockHeader header_;
    BlockHash hash_;
};

/// Reads 80 bytes, of any content. On failure the reader holds the error.
BlockHeader read_block_header(ByteReader& reader);

}  // namespace petal::chain
