/// The checksums of output descriptors (BIP380).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace petal::wallet {

inline constexpr std::size_t kChecksumCharacters = 8;

/// The eight characters after '#'. Empty if `text` has a character outside of the descriptor
/// alphabet (BIP380).
std::optional<std::string> descriptor_checksum(std::string_view text);

/// The position of the first character outside of the descriptor alphabet, or npos.
std::size_t find_foreign_character(std::string_view text);

}  // namespace petal::wallet
