/// Checks whether the user has the words of a wallet.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/options/options.h"
#include "cli/secrets/secret_input.h"
#include "cli/terminal/console.h"

namespace petal::cli {

/// Writes the words in numbered columns, to be read across, to standard output. Makes no copies.
void print_words(std::string_view words, Console& console);

struct CheckWordsOptions {
    SecretFile mnemonic_file;
    SecretFile passphrase_file;
};

/// Different numbers from 1 to `last`, ascending, at random.
/// count   not above `last`
std::vector<std::size_t> random_numbers(std::size_t count, std::size_t last);

/// The word at a place, counted from 1. Empty beyond the last word.
/// words   separated by single spaces
std::string_view word_at(std::string_view words, std::size_t place);

/// Asks on the terminal, without echo, for three of a new wallet's words. A wrong word is asked for
/// again, and the words are printed once more on request. Returns false if the user skips.
///
/// if_interrupted   the end of the error of a signal
bool ask_some_words(std::string_view words, std::string_view if_interrupted, Console& console);

/// Says whether typed words, with the passphrase in a file, make the keys of the wallet. Throws
/// CommandError if the words make other keys, and for a wallet without words.
void run_check_words(const CheckWordsOptions& options, const GlobalOptions& global,
                     Console& console);

}  // namespace petal::cli
