#include "cli/secrets/mnemonic_input.h"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/secrets/secret_input.h"
#include "cli/terminal/wrap.h"
#include "cli/text/command_error.h"
#include "wallet/keys/electrum_seed.h"

namespace petal::cli {
namespace {

constexpr std::size_t kMostWords = 24;  // BIP39

/// Without the wrong word, because errors end up in logs and stay in memory.
CommandError bad_mnemonic(wallet::MnemonicError error) {
    error.word.clear();
    error.suggestion = {};
    return {ExitStatus::failed, "bad-mnemonic", std::string(wallet::describe(error))};
}

/// What to do with words that Electrum made. Empty for other words.
std::string electrum_note(std::string_view words) {
    constexpr std::ptrdiff_t kFewestWords = 12;  // fewer words may be a seed by chance
    if (std::ranges::count(words, ' ') + 1 < kFewestWords) return {};
    const auto kind = wallet::electrum_seed(words);
    if (!kind) return {};
    using enum wallet::ElectrumSeed;
    const bool has_one_key = *kind == standard || *kind == segwit;
    return "the words are a seed of Electrum (" + std::string(describe(*kind)) +
           "), of which BIP39 makes no keys: open them in Electrum, and send the coins to a wallet "
           "of petal" +
           (has_one_key ? ", or give Electrum's master public key to petal watch" : "");
}

/// Warns if the valid words are a seed of Electrum too.
void warn_of_electrum(const wallet::Mnemonic& mnemonic, Console& console) {
    const auto kind = wallet::electrum_seed(mnemonic.words());
    if (!kind) return;
    console.warn("the words are valid for BIP39, and for Electrum, too (" +
                 std::string(describe(*kind)) +
                 "): they are read as BIP39. If Electrum made them, open them there");
}

/// Whether a wrong word may be named: on a terminal and without a log file.
bool may_name_words(const GlobalOptions& global, const Console& console) {
    return console.terminals().err && !console.has_log_file() && !global.json;
}

/// text   words separated by single blanks
std::vector<std::string_view> split_at_spaces(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        words.push_back(text.substr(0, text.find(' ')));
        text.remove_prefix(std::min(words.back().size() + 1, text.size()));
    }
    return words;
}

/// The words without the words that the numbers name, e.g. `-3 -7`. Text other than numbers is
/// ignored.
wallet::SecretString without_words(std::string_view words, std::string_view numbers) {
    std::set<std::size_t> taken_out;
    for (std::string_view number : split_at_spaces(numbers)) {
        number.remove_prefix(number.starts_with('-') ? 1 : 0);
        std::size_t place = 0;
        std::from_chars(number.data(), number.data() + number.size(), place);
        taken_out.insert(place);
    }
    wallet::SecretString result;
    result.reserve(words.size());
    std::size_t place = 0;
    for (const std::string_view word : split_at_spaces(words)) {
        if (taken_out.contains(++place)) continue;
        if (!result.empty()) result += ' ';
        result += word;
    }
    return result;
}

/// Asks until the words are valid, or the input is empty. Valid words stay.
wallet::Mnemonic ask_mnemonic(const GlobalOptions& global, Console& console) {
    using Kind = wallet::MnemonicError::Kind;
    wallet::SecretString words = prompt_words(
        "The words, in rows as you like; an empty line ends fewer than 24 (not shown while you "
        "type)",
        console);
    while (true) {
        auto mnemonic = wallet::Mnemonic::parse(words);
        if (mnemonic) {
            warn_of_electrum(*mnemonic, console);
            return *std::move(mnemonic);
        }
        const wallet::MnemonicError& error = mnemonic.error();
        const CommandError refusal = bad_mnemonic(error);
        if (const auto note = electrum_note(words); !note.empty()) console.warn(note);
        if (words.empty()) throw refusal;
        if (error.kind == Kind::unknown_word && may_name_words(global, console)) {
            // Not wrapped, because wrap() would leave copies of the typed word in memory.
            console.err() << wallet::describe(error) << '\n';
        } else {
            console.err() << wrap(refusal.what(), console.err_columns()) << '\n';
        }
        std::string question;
        std::size_t position = 1;
        if (error.kind == Kind::unknown_word) {
            position = error.position;
            question = "Word " + std::to_string(position) + " again, or ";
        } else if (error.kind == Kind::wrong_count) {
            position = error.word_count + 1;
            const bool are_too_many = error.word_count > kMostWords;
            question = are_too_many ? "-3 to take out word 3, or "
                                    : "The words that are missing at the end, -3 to take out word "
                                      "3, or ";
        }
        question += (question.empty() ? "A" : "a");
        const auto correction = prompt_secret(
            question + " number and the words from that place on (empty to give up)", console);
        if (without_numbers(correction).empty()) {
            throw CommandError(ExitStatus::failed, "bad-mnemonic", "no valid words were given");
        }
        words = corrected_words(words, correction, position);
    }
}

}  // namespace

wallet::Seed seed_of(const wallet::Mnemonic& mnemonic, std::string_view passphrase) {
    auto seed = mnemonic.seed(passphrase);
    if (seed) return *std::move(seed);
    throw CommandError(ExitStatus::failed, "bad-passphrase",
                       "the passphrase can't be used: " + std::string(describe(seed.error())));
}

wallet::SecretString corrected_words(std::string_view words, std::string_view correction,
                                     std::size_t position) {
    correction.remove_prefix(std::min(correction.find_first_not_of(" \t"), correction.size()));
    // Words that are not UTF-8 keep the text from being normalised. If the removed word was the
    // only such word, the remaining words are normalised here.
    if (correction.starts_with('-')) {
        return without_numbers(without_words(words, without_numbers(correction)));
    }
    std::size_t number = position;
    std::from_chars(correction.data(), correction.data() + correction.size(), number);
    const wallet::SecretString replacement = without_numbers(correction);

    auto corrected = split_at_spaces(words);
    std::size_t place = std::min(number > 0 ? number - 1 : 0, corrected.size());
    for (const std::string_view word : split_at_spaces(replacement)) {
        if (place == corrected.size()) corrected.emplace_back();
        corrected[place++] = word;
    }
    wallet::SecretString result;
    result.reserve(words.size() + replacement.size() + 1);
    for (const std::string_view word : corrected) {
        if (!result.empty()) result += ' ';
        result += word;
    }
    return without_numbers(result);
}

wallet::Mnemonic read_mnemonic(const SecretFile& file, const GlobalOptions& global,
                               Console& console) {
    const bool is_terminal = console.terminals().in && console.terminals().err;
    if (!file && !is_terminal) {
        throw usage_error("--mnemonic-file is missing (- for standard input)");
    }
    if (!file || (*file == "-" && is_terminal)) return ask_mnemonic(global, console);
    const wallet::SecretString words =
        without_numbers(read_secret_file(*file, "--mnemonic-file", console));
    auto mnemonic = wallet::Mnemonic::parse(words);
    if (mnemonic) {
        warn_of_electrum(*mnemonic, console);
        return *std::move(mnemonic);
    }
    if (const auto note = electrum_note(words); !note.empty()) {
        throw CommandError(ExitStatus::failed, "electrum-seed", note);
    }
    const bool has_wrong_word = mnemonic.error().kind == wallet::MnemonicError::Kind::unknown_word;
    if (has_wrong_word && may_name_words(global, console)) {
        console.err() << wallet::describe(mnemonic.error()) << '\n';
    }
    throw bad_mnemonic(mnemonic.error());
}

}  // namespace petal::cli
