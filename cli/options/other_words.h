/// Commands of other wallets.
#pragma once

#include <string>
#include <string_view>

namespace petal::cli {

/// What a user of petal does in place of this command of bitcoin-cli or Electrum, as the end of a
/// sentence on the command: "petal calls it `petal receive --new`" for `getnewaddress`. Empty for
/// another word. Case is ignored.
std::string answer_to_other_word(std::string_view word);

}  // namespace petal::cli
