/// Literals for bytes and hashes in hexadecimal text.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/hash.h"

namespace petal::test {

/// The bytes of the hexadecimal text `hex`. Throws std::invalid_argument for any other text.
inline chain::Bytes bytes_from_hex(std::string_view hex) {
    const auto bytes = chain::from_hex(hex);
    if (!bytes) throw std::invalid_argument("not hexadecimal: " + std::string(hex));
    return *bytes;
}

/// The Txid, BlockHash … of `hex` in display order. Throws std::invalid_argument for any other
/// text.
template <typename Hash>
Hash hash_from_hex(std::string_view hex) {
    const auto hash = Hash::from_hex(hex);
    if (!hash) throw std::invalid_argument("not a hash: " + std::string(hex));
    return *hash;
}

inline std::string repeat(const std::string& hex, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += hex;
    return result;
}

inline namespace literals {

inline chain::Bytes operator""_hex(const char* text, std::size_t size) {
    return bytes_from_hex({text, size});
}
inline chain::Txid operator""_txid(const char* text, std::size_t size) {
    return hash_from_hex<chain::Txid>({text, size});
}
inline chain::Wtxid operator""_wtxid(const char* text, std::size_t size) {
    return hash_from_hex<chain::Wtxid>({text, size});
}
inline chain::BlockHash operator""_block(const char* text, std::size_t size) {
    return hash_from_hex<chain::BlockHash>({text, size});
}
inline chain::Hash256 operator""_hash256(const char* text, std::size_t size) {
    return hash_from_hex<chain::Hash256>({text, size});
}

}  // namespace literals

}  // namespace petal::test
