/// Bitcoin's hash functions and 32-byte identifiers.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "chain/bytes.h"

namespace petal::chain {

/// 32 bytes in internal order: the order of the hash function and of the wire. Text has the
/// reversed order, as in Bitcoin Core's RPC and in block explorers.
///
/// `Tag` makes txids, wtxids and block hashes distinct types.
template <typename Tag>
struct TaggedHash {
    std::array<Byte, 32> bytes{};

    friend auto operator<=>(const TaggedHash&, const TaggedHash&) = default;

    bool is_zero() const { return bytes == std::array<Byte, 32>{}; }
    ByteView view() const { return bytes; }

    /// 64 hexadecimal digits in display (reversed) order.
    std::string to_hex() const {
        const Bytes reversed(bytes.rbegin(), bytes.rend());
        return chain::to_hex(reversed);
    }
    /// Reads the format of to_hex(). Empty unless the text is exactly 64 hexadecimal digits.
    static std::optional<TaggedHash> from_hex(std::string_view hex) {
        const auto reversed = chain::from_hex(hex);
        if (!reversed || reversed->size() != 32) return std::nullopt;
        TaggedHash hash;
        for (std::size_t i = 0; i < 32; ++i) hash.bytes[i] = (*reversed)[31 - i];
        return hash;
    }
    /// The first 32 bytes of `view`, in internal order. `view` must have at least 32 bytes.
    static TaggedHash from_view(ByteView view) {
        TaggedHash hash;
        std::memcpy(hash.bytes.data(), view.data(), 32);
        return hash;
    }
};

using Hash256 = TaggedHash<struct Hash256Tag>;      ///< any double SHA-256, e.g. a merkle node
using Txid = TaggedHash<struct TxidTag>;            ///< of a transaction without its witness
using Wtxid = TaggedHash<struct WtxidTag>;          ///< of a transaction with its witness (BIP141)
using BlockHash = TaggedHash<struct BlockHashTag>;  ///< of a block's 80-byte header

using Hash160 = std::array<Byte, 20>;

/// SHA-256 of the concatenation of `parts`.
std::array<Byte, 32> sha256(std::initializer_list<ByteView> parts);
std::array<Byte, 32> sha256(ByteView bytes);

/// Double SHA-256 of the concatenation of `parts`.
Hash256 sha256d(std::initializer_list<ByteView> parts);
Hash256 sha256d(ByteView bytes);

/// A message to hash, and where its hash is written.
struct HashJob {
    std::array<ByteView, 3> parts;  ///< the message is their concatenation
    std::array<Byte, 32>* hash = nullptr;
};

/// Double SHA-256 of many short messages. Faster than one call of sha256d() for each.
void sha256d_all(std::span<const HashJob> jobs);

/// One level of a merkle tree: replaces each two hashes by the double SHA-256 of both, and halves
/// the size, which must be even.
void sha256d_pairs(std::vector<Hash256>& hashes);

/// RIPEMD-160 of the SHA-256.
Hash160 hash160(ByteView bytes);

/// Hashes that only scripts use.
Hash160 ripemd160(ByteView bytes);
Hash160 sha1(ByteView bytes);

/// SHA-256 of SHA-256(tag), SHA-256(tag) and the message (BIP340).
std::array<Byte, 32> tagged_hash(std::string_view tag, ByteView message);

/// The two halves of a SipHash key.
using SipHashKey = std::array<std::uint64_t, 2>;

/// The key in 16 bytes, each half little-endian.
SipHashKey sip_hash_key(const std::array<Byte, 16>& bytes);

/// SipHash-2-4 of `bytes` (Aumasson and Bernstein, 2012).
std::uint64_t sip_hash(const SipHashKey& key, ByteView bytes) noexcept;

/// The SipHash-2-4 by which hash tables place a hash, with `extra` appended as four bytes (Bitcoin
/// Core: SaltedTxidHasher, SaltedOutpointHasher). The SipHash key is secret, so that peers, which
/// choose txids, cannot provoke collisions.
std::uint64_t table_hash(const std::array<Byte, 32>& hash) noexcept;
std::uint64_t table_hash(const std::array<Byte, 32>& hash, std::uint32_t extra) noexcept;

/// Sets the key of table_hash(). Programs must pass random bytes before they fill a table or start
/// a thread. The initial key is zero, so that tests are reproducible.
void salt_tables(const std::array<Byte, 16>& key);

}  // namespace petal::chain

template <typename Tag>
struct std::hash<petal::chain::TaggedHash<Tag>> {
    std::size_t operator()(const petal::chain::TaggedHash<Tag>& value) const noexcept {
        return petal::chain::table_hash(value.bytes);
    }
};
