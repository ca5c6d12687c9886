/// Base58 and Base58Check, the text forms of legacy addresses and extended keys.
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

/// The bytes of a Base58 text; `too_long` if they are more than `max_bytes`. White space is not
/// skipped. The time is quadratic in the length; no more characters are read than can fit.
chain::Expected<chain::Bytes, Base58Error> decode_base58(std::string_view text,
                                                         std::size_t max_bytes);

/// Appends the first four bytes of SHA-256d, then encodes.
std::string encode_base58check(chain::ByteView payload);

/// The payload, without the checksum; at most `max_bytes`.
chain::Expected<chain::Bytes, Base58Error> decode_base58check(std::string_view text,
                                                              std::size_t max_bytes);

}  // namespace petal::wallet
