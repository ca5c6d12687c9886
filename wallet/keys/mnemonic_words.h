/// The English word list of mnemonics (BIP39).
#pragma once

#include <array>
#include <string_view>

namespace petal::wallet {

/// 2,048 words in the order of the alphabet, of 3 to 8 letters; no two begin with the same four.
extern const std::array<std::string_view, 2048> kEnglishWords;

}  // namespace petal::wallet
