/// Finds private keys and mnemonics in a text that should not contain any.
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

/// The first secret in a text. Empty if there is none. Keys are recognised by their checksum.
/// Truncated or mistyped keys are recognised by their form: extended keys by `prv` in the prefix,
/// WIF by length and first letter.
std::optional<SecretKind> find_secret(std::string_view text);

/// The text with each secret replaced by "(redacted)".
std::string without_secrets(std::string_view text);

}  // namespace petal::wallet
