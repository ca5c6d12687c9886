/// Commands of other wallets.
#pragma once

#include <string>
#include <string_view>

namespace petal::cli {

/// What petal has in place of this command of bitcoin-cli or Electrum, as the end of a sentence
/// about the command: "petal calls it `petal receive --new`" for `getnewaddress`. Empty for any
/// other word. Case is ignored.
std::string answer_to_other_word(std::string_view word);

}  // namespace petal::cli
