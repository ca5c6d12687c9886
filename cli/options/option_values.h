/// Option values: checks and parsing. petal has checks of its own because CLI11 reads 010 as octal
/// and enumerators as numbers, and because an error should name the allowed values.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chain/expected.h"
#include "chain/hash.h"
#include "chain/network_params.h"
#include "chain/uint256.h"
#include "chain/watcher.h"
#include "net/sync/filters/privacy.h"

namespace petal::cli {

/// Accepts whole numbers in decimal within these bounds, both included, without leading zeros.
/// (CLI::Range would read 010 as 8, and 0x10 as 16.)
CLI::Validator whole_number(std::uint64_t min, std::uint64_t max);

/// Accepts decimal numbers of seconds, at most a year.
CLI::Validator seconds(bool may_be_zero);

/// Rejects empty text, e.g. from an unset shell variable.
CLI::Validator not_empty();

/// Accepts numbers strictly between 0 and 1.
CLI::Validator probability();

/// Accepts the bytes of a script in hexadecimal, at least one and at most the maximum size of a
/// script.
CLI::Validator script_hex();

/// Accepts the amounts of parse_amount(), except zero.
CLI::Validator positive_amount();

/// Accepts the amounts of work of parse_chainwork().
CLI::Validator chainwork_hex();

/// Work in hexadecimal, most significant digit first, 1 to 64 digits, with or without 0x in front
/// (Bitcoin Core: -minimumchainwork). Empty text, e.g. from an unset shell variable, is refused,
/// because it would accept any chain. Nothing for any other text.
std::optional<chain::Uint256> parse_chainwork(std::string_view text);

/// A copy of the table's row of this name. Null for none.
std::shared_ptr<const chain::NetworkParams> table_network(std::string_view name);

/// A validated text of seconds as milliseconds. Zero only for zero.
std::chrono::milliseconds to_milliseconds(const std::string& seconds);

/// Reads a date YYYY-MM-DD: the first second of the day in UTC, Unix seconds. Nothing for any other
/// text.
std::optional<std::int64_t> parse_date(std::string_view text);

/// Reads a height, or a date YYYY-MM-DD. A date not after Bitcoin's start means the first block.
/// The error is the broken requirement: the text is neither, the date is more than a day after
/// `now`, or no chain can have reached the height by `now`.
/// now   Unix seconds
chain::Expected<chain::Birthday, std::string> parse_birthday(std::string_view text,
                                                             std::int64_t now);

/// Accepts the texts of parse_birthday() at the present time.
CLI::Validator birthday();

/// Makes completion offer these words as the option's value. The words must have no spaces.
CLI::Option* suggest_words(CLI::Option* option, const std::vector<std::string>& words);
/// The words of suggest_words(), if any.
std::vector<std::string> suggested_words(CLI::Option& option);

/// Accepts only these words.
CLI::Validator one_of(std::vector<std::string> words);

/// Adds an option that takes one of these words, and stores the choice of the word in `value`.
/// (CLI::CheckedTransformer would also accept and show the numbers of the enumerators.)
template <typename Choice, typename Value>
CLI::Option* add_choice(CLI::App* app, const char* name, Value& value,
                        const std::vector<std::pair<std::string, Choice>>& choices,
                        const char* description) {
    std::string type;
    std::vector<std::string> words;
    for (const auto& [word, choice] : choices) {
        type += (type.empty() ? "" : "|") + word;
        words.push_back(word);
    }
    const auto choose = [&value, choices](const std::string& word) {
        value = std::ranges::find(choices, word, [](const auto& row) { return row.first; })->second;
    };
    CLI::Option* const option = app->add_option_function<std::string>(name, choose, description);
    return suggest_words(option, words)->type_name(type)->check(one_of(words));
}

/// An option that may be given several times, with one value each time.
CLI::Option* repeatable(CLI::Option* option);

/// Adds an option that takes a time.
CLI::Option* add_seconds(CLI::App* app, const char* name,
                         std::optional<std::chrono::milliseconds>& value, const char* description,
                         bool may_be_zero = false);

void add_explain(CLI::App* app, bool& explain);

void add_privacy(CLI::App* app, std::optional<net::Privacy>& privacy, const char* description);

}  // namespace petal::cli
