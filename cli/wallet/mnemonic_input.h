/// How the words of a mnemonic come in.
#pragma once

#include <cstddef>
#include <string_view>

#include "cli/console.h"
#include "cli/wallet/secret_input.h"
#include "wallet/keys/mnemonic.h"

namespace petal::cli {

/// The mnemonic of a file. Where there is none, or where it is standard input and a terminal, asks
/// for the words until they are right or the user gives up; a correction leaves the others as they
/// are. Names a wrong word on a terminal alone, as other output ends up in logs. Throws
/// CommandError: bad-mnemonic, without the word.
wallet::Mnemonic read_mnemonic(const SecretFile& file, const GlobalOptions& global,
                               Console& console);

/// The words with a correction: its words replace those from the one at `position` on, counted from
/// 1, or from the one whose number stands before them (`7 zoo`, `7.zoo`). Numbers with a minus take
/// words out (`-7`, `-7 -9`).
/// words   with single blanks between them
wallet::SecretString corrected_words(std::string_view words, std::string_view correction,
                                     std::size_t position);

}  // namespace petal::cli
