/// Reads secrets: from a file, standard input or a prompt, never from the command line.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "wallet/keys/secret_bytes.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// A file that holds a secret. `-` is standard input.
using SecretFile = std::optional<std::filesystem::path>;

/// The maximum size of a mnemonic, passphrase or password in bytes.
inline constexpr std::size_t kMaxSecretInput = 4'096;

/// Reads a secret file without the byte order mark and the final line end. All blanks stay, because
/// a blank may be part of a password. A file that begins with the byte order mark of UTF-16 is
/// converted to UTF-8. Any other content, UTF-8 or not, stays unchanged. Throws CommandError, which
/// names `option`, but neither the content nor the file: the user may have typed the secret as the
/// file's name.
/// most   the maximum size of the file in bytes
wallet::SecretString read_secret_file(const std::filesystem::path& file, std::string_view option,
                                      Console& console, std::size_t most = kMaxSecretInput);

/// Reads the words of a mnemonic on the terminal with the echo off: from one line with all words,
/// or from several lines, up to an empty line or the 24th word. Numbers between the words are
/// dropped.
wallet::SecretString prompt_words(std::string_view question, Console& console);

/// Whether the user types this secret at the terminal, without seeing it.
bool is_typed(const SecretFile& file, const Console& console);

/// Throws CommandError if several of the files are standard input, which can be read only once.
void refuse_two_readers(std::initializer_list<SecretFile> files);

/// The words of a text in NFKD, separated by single spaces, without the numbers of lists (`1`,
/// `2.`, `3)`).
wallet::SecretString without_numbers(std::string_view typed);

inline constexpr std::string_view kNothingDone = "nothing was done";

/// Asks on the terminal, without echo. Standard input and standard error must be terminals. Empty
/// if the input ends. A signal ends petal with the error "interrupted".
///
/// consequence   what the signal leaves, as the end of the error
std::optional<wallet::SecretString> try_prompt_secret(std::string_view question, Console& console,
                                                      std::string_view consequence = kNothingDone);
/// try_prompt_secret(), but throws CommandError if the input ends.
wallet::SecretString prompt_secret(std::string_view question, Console& console,
                                   std::string_view consequence = kNothingDone);
/// Asks twice, because the user can't see a typing error. An empty answer is not asked for again.
/// Throws CommandError, also if the answers differ.
wallet::SecretString prompt_new_secret(std::string_view question, Console& console);

/// The wallet's secret, with the password from a file or the terminal if the wallet is encrypted.
/// On a terminal, a wrong password may be typed again twice. Throws CommandError and WalletError.
/// consequence   what a wrong password or a signal leaves, as the end of the error
wallet::SecretBytes unlock(const wallet::Wallet& wallet, const SecretFile& password_file,
                           const GlobalOptions& global, Console& console,
                           std::string_view consequence = kNothingDone);

}  // namespace petal::cli
