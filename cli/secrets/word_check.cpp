#include "cli/secrets/word_check.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <ostream>
#include <random>
#include <string>

#include "cli/options/data_folder.h"
#include "cli/secrets/mnemonic_input.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "wallet/wallet.h"

namespace petal::cli {
namespace {

/// Converts to lower case, as BIP39's words are.
wallet::SecretString typed_word(std::string_view typed) {
    wallet::SecretString word = without_numbers(typed);
    for (char& c : word) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return word;
}

/// Asks until the word is right. Returns false if the user skips.
bool ask_word(std::string_view words, std::size_t place, std::string_view if_interrupted,
              Console& console) {
    const std::string name = "Word " + std::to_string(place);
    std::string question = name + " (Enter skips the check)";
    while (true) {
        const auto typed = try_prompt_secret(question, console, if_interrupted);
        if (!typed || typed->empty()) return false;
        const wallet::SecretString word = typed_word(*typed);
        if (word == word_at(words, place)) return true;
        if (word == "?") {
            print_words(words, console);
            console.out() << std::flush;
        } else {
            console.err() << "That is not word " << place << ".\n";
        }
        question = name + " again (? shows the words once more, Enter skips the check)";
    }
}

/// The same words with a different passphrase make different keys, and the wallet does not know
/// whether a passphrase was used.
CommandError other_words(const wallet::WalletInfo& info, bool has_passphrase,
                         const GlobalOptions& global) {
    const std::string given = has_passphrase ? "the words and the passphrase" : "the words";
    const std::string remedy =
        has_passphrase ? "the words or the passphrase are wrong"
                       : "if the wallet has a passphrase, name its file with --passphrase-file";
    CommandError error(ExitStatus::failed, "other-words",
                       given + " do not make the keys of wallet '" + global.wallet +
                           "' (fingerprint " + info.fingerprint + "); " + remedy);
    error.set_details({{"wallet", global.wallet},
                       {"network", global.network->name},
                       {"fingerprint", info.fingerprint},
                       {"matches", false}});
    return error;
}

}  // namespace

void print_words(std::string_view words, Console& console) {
    constexpr std::size_t kColumns = 4;
    constexpr std::size_t kWidth = 10;
    const std::string_view bold = console.colours_out() ? "\x1b[1m" : "";
    const std::string_view plain = console.colours_out() ? "\x1b[0m" : "";
    std::ostream& out = console.out();
    for (std::size_t number = 1; !words.empty(); ++number) {
        const std::string_view word = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(word.size() + 1, words.size()));
        const bool ends_line = number % kColumns == 0 || words.empty();
        out << std::string(number < 10 ? 3 : 2, ' ') << number << ' ' << bold << word << plain;
        out << (ends_line ? "\n" : std::string(kWidth - word.size(), ' '));
    }
}

std::vector<std::size_t> random_numbers(std::size_t count, std::size_t last) {
    assert(count <= last);
    std::vector<std::size_t> all(last);
    std::iota(all.begin(), all.end(), 1);
    std::vector<std::size_t> chosen;
    std::random_device random;
    std::ranges::sample(all, std::back_inserter(chosen), static_cast<std::ptrdiff_t>(count),
                        random);
    return chosen;
}

std::string_view word_at(std::string_view words, std::size_t place) {
    for (std::size_t i = 1; i < place; ++i) {
        const std::size_t space = words.find(' ');
        if (space == std::string_view::npos) return {};
        words.remove_prefix(space + 1);
    }
    return words.substr(0, words.find(' '));
}

bool ask_some_words(std::string_view words, std::string_view if_interrupted, Console& console) {
    constexpr std::size_t kAsked = 3;
    const auto count = static_cast<std::size_t>(std::ranges::count(words, ' ')) + 1;
    const std::vector<std::size_t> places = random_numbers(kAsked, count);
    return std::ranges::all_of(
        places, [&](std::size_t place) { return ask_word(words, place, if_interrupted, console); });
}

void run_check_words(const CheckWordsOptions& options, const GlobalOptions& global,
                     Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const wallet::WalletInfo info = wallet.info();
    if (info.watch_only) static_cast<void>(wallet.secret(""));  // throws: no secret
    if (!info.has_words) {
        throw CommandError(ExitStatus::failed, "no-words",
                           "the wallet was restored from descriptors: it has no words");
    }
    const wallet::Mnemonic mnemonic = read_mnemonic(options.mnemonic_file, global, console);
    wallet::SecretString passphrase;
    if (options.passphrase_file) {
        passphrase = read_secret_file(*options.passphrase_file, "--passphrase-file", console);
        if (passphrase.empty()) {
            throw CommandError(ExitStatus::failed, "empty-passphrase", "the passphrase is empty");
        }
    }
    if (!wallet.has_seed(seed_of(mnemonic, passphrase))) {
        throw other_words(info, !passphrase.empty(), global);
    }
    if (global.json) {
        return console.print_json({{"wallet", global.wallet},
                                   {"network", global.network->name},
                                   {"fingerprint", info.fingerprint},
                                   {"matches", true}});
    }
    console.prose() << (passphrase.empty() ? "These are the words"
                                           : "These are the words and the passphrase")
                    << " of wallet '" << global.wallet << "' (fingerprint " << info.fingerprint
                    << ").\n";
}

}  // namespace petal::cli
