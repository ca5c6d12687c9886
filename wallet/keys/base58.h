/// Base58 and Base58Check, the encodings of legacy addresses and extended keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"

namespace petal::wallet {

enum class Base58Error : std::uint8_t {
    invalid_character,
    too_long,
    too_short,  ///< fewer bytes than a checksum has
    wrong_checksum,
};

std::string encode_base58(chain::ByteView bytes);

/// Decodes a Base58 text. White space is invalid. Fails with `too_long` above `max_bytes`. The time
/// is quadratic in the length, which is checked first.
chain::Expected<chain::Bytes, Base58Error> decode_base58(std::string_view text,
                                                         std::size_t max_bytes);

/// Appends the first four bytes of SHA-256d, then encodes.
std::string encode_base58check(chain::ByteView payload);

/// The payload without the checksum, at most `max_bytes`.
chain::Expected<chain::Bytes, Base58Error> decode_base58check(std::string_view text,
                                                              std::size_t max_bytes);

}  // namespace petal::wallet
