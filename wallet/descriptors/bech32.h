/// Bech32 and Bech32m, the encodings of segwit addresses (BIP173, BIP350).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"

namespace petal::wallet {

enum class Bech32Kind : std::uint8_t { bech32, bech32m };

enum class Bech32Error : std::uint8_t {
    too_long,   ///< more than 90 characters
    no_prefix,  ///< no separator '1', or nothing before the separator
    invalid_character,
    mixed_case,
    wrong_checksum,  ///< wrong for both kinds, or the text is too short
};

/// The contents of a Bech32 text.
struct Bech32 {
    Bech32Kind kind = Bech32Kind::bech32;
    std::string prefix;   ///< in lower case
    chain::Bytes values;  ///< 5 bits each, without the checksum

    friend bool operator==(const Bech32&, const Bech32&) = default;
};

chain::Expected<Bech32, Bech32Error> decode_bech32(std::string_view text);

/// Encodes in lower case. The prefix must be 1 to 83 characters from '!' to '~' without upper case.
/// Values must be below 32.
std::string encode_bech32(const Bech32& content);

/// Splits bytes into 5-bit values. The last value is padded with zeros.
chain::Bytes to_five_bits(chain::ByteView bytes);

/// Joins 5-bit values to bytes. Empty if 5 or more bits remain, or if a remaining bit is set.
std::optional<chain::Bytes> from_five_bits(chain::ByteView values);

}  // namespace petal::wallet
