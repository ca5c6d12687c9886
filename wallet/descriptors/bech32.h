/// Bech32 and Bech32m, the text forms of segwit addresses (BIP173, BIP350).
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
    no_prefix,  ///< no separator '1', or empty before it
    invalid_character,
    mixed_case,
    wrong_checksum,  ///< wrong for both kinds, or too short for a checksum
};

/// The contents of a Bech32 text.
struct Bech32 {
    Bech32Kind kind = Bech32Kind::bech32;
    std::string prefix;   ///< in lower case
    chain::Bytes values;  ///< of 5 bits each, without the checksum

    friend bool operator==(const Bech32&, const Bech32&) = default;
};

chain::Expected<Bech32, Bech32Error> decode_bech32(std::string_view text);

/// In lower case. The prefix is 1 to 83 characters from '!' to '~', none upper case; values are
/// below 32.
std::string encode_bech32(const Bech32& content);

/// Bytes as values of 5 bits, the last filled up with zeros.
chain::Bytes to_five_bits(chain::ByteView bytes);

/// The bytes of 5-bit values; empty if 5 or more bits remain, or if a remaining bit is set.
std::optional<chain::Bytes> from_five_bits(chain::ByteView values);

}  // namespace petal::wallet
