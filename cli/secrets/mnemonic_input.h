/// Reads the words of a mnemonic.
#pragma once

#include <cstddef>
#include <string_view>

#include "cli/secrets/secret_input.h"
#include "cli/terminal/console.h"
#include "wallet/keys/mnemonic.h"

namespace petal::cli {

/// The mnemonic of a file. Without a file, or if it is standard input and a terminal, asks for the
/// words until they are valid or the user gives up. A correction keeps the other words. Names a
/// wrong word only on a terminal, as other output ends up in logs. Warns of valid words that are a
/// seed of Electrum, too. Throws CommandError, without the word: bad-mnemonic, or electrum-seed for
/// words that only Electrum takes.
wallet::Mnemonic read_mnemonic(const SecretFile& file, const GlobalOptions& global,
                               Console& console);

/// The seed of a mnemonic and its passphrase, possibly empty. Throws CommandError for a passphrase
/// that cannot be normalized.
wallet::Seed seed_of(const wallet::Mnemonic& mnemonic, std::string_view passphrase);

/// The words with a correction: its words replace those from `position` on, counted from 1, or from
/// the number before them (`7 zoo`, `7.zoo`). Numbers with a minus remove words (`-7`, `-7 -9`).
/// words   separated by single blanks
wallet::SecretString corrected_words(std::string_view words, std::string_view correction,
                                     std::size_t position);

}  // namespace petal::cli
