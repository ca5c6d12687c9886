/// Why a text is not an output descriptor, and at which position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace petal::wallet {

/// The error, its position, and the expected text. Never contains a part of a private key.
struct DescriptorError {
    enum class Kind : std::uint8_t {
        too_long,
        invalid_character,  ///< a character outside the descriptor alphabet (BIP380)
        missing_checksum,   ///< the options require a checksum
        wrong_checksum,     ///< wrong, or not 8 characters
        syntax,  ///< a bracket, comma, name or end is missing, or there is unexpected text
        unknown_function,
        not_allowed_here,  ///< a function within another function, e.g. sh() in wsh()
        unsupported,       ///< valid but not supported: tr() with a script tree
        invalid_key,
        invalid_origin,
        invalid_path,
        hardened_from_public,
        private_key,          ///< the options require public keys
        missing_private_key,  ///< the options require private keys
        wrong_network,        ///< a key or an address of another network
        uncompressed_key,     ///< in a segwit or taproot output
        too_many_keys,        ///< or the script is too large for its context
        wrong_threshold,
        invalid_multipath,
        invalid_address,
        invalid_hex,
    };
    Kind kind = Kind::syntax;
    std::size_t position = 0;  ///< of the first wrong character, counted from 0
    std::string expected;      ///< the expected text at this position, or why the text is refused

    friend bool operator==(const DescriptorError&, const DescriptorError&) = default;
};

/// The kind in a few words.
std::string_view describe(DescriptorError::Kind kind);
/// One line for the user, which counts characters from 1.
std::string describe(const DescriptorError& error);

}  // namespace petal::wallet
