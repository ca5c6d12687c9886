/// Private keys and mnemonics within a text that was not meant to have any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petal::wallet {

enum class SecretKind : std::uint8_t {
    private_key,  ///< WIF, or an extended private key (BIP32), of any network
    mnemonic,     ///< twelve or more words of BIP39's English list, in a row
};

/// The first secret in a text; nothing if there is none. Recognises keys by their checksum, and
/// those that were cut or mistyped by their form: extended ones by `prv` in their prefix, WIF by
/// its length and first letter.
std::optional<SecretKind> find_secret(std::string_view text);

/// The text with each secret replaced by "(redacted)".
std::string without_secrets(std::string_view text);

}  // namespace petal::wallet
