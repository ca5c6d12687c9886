/// Reads the words of a mnemonic.
#pragma once

#include <cstddef>
#include <string_view>

#include "cli/secrets/secret_input.h"
#include "cli/terminal/console.h"
#include "wallet/keys/mnemonic.h"

namespace petal::cli {

/// The mnemonic of a file. Without a file, or if the file is standard input and a terminal, asks
/// until the words are valid or the user gives up. The user can correct single words. A wrong word
/// is named only on a terminal, because any other output may end up in logs. Warns if valid words
/// are a seed of Electrum too. Throws CommandError, without the wrong word: bad-mnemonic, or
/// electrum-seed for words that only Electrum accepts.
wallet::Mnemonic read_mnemonic(const SecretFile& file, const GlobalOptions& global,
                               Console& console);

/// The seed of a mnemonic and a passphrase. The passphrase may be empty. Throws CommandError for a
/// passphrase that cannot be normalized.
wallet::Seed seed_of(const wallet::Mnemonic& mnemonic, std::string_view passphrase);

/// The words with a correction. The correction's words replace the words from `position` on
/// (counted from 1), or from the number that the correction begins with (`7 zoo`, `7.zoo`). Numbers
/// with a minus remove words (`-7`, `-7 -9`).
/// words   separated by single blanks
wallet::SecretString corrected_words(std::string_view words, std::string_view correction,
                                     std::size_t position);

}  // namespace petal::cli
