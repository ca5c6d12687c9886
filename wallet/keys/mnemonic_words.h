/// The English word list of mnemonics (BIP39).
#pragma once

#include <array>
#include <string_view>

namespace petal::wallet {

/// 2,048 words of 3 to 8 letters in alphabetical order, with unique first four letters.
extern const std::array<std::string_view, 2048> kEnglishWords;

}  // namespace petal::wallet
