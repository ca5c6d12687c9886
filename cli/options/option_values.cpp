#include "cli/options/option_values.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "chain/bytes.h"
#include "chain/script/script.h"
#include "cli/text/amount.h"
#include "cli/text/text.h"
#include "net/io/clocks.h"

namespace petal::cli {
namespace {

std::optional<double> parse_decimal(std::string_view text) {
    const bool plain =
        !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
    return plain ? chain::parse_number<double>(text) : std::nullopt;
}

// The first part of the name of a check that passes everything. The second part of the name is the
// suggested words.
constexpr std::string_view kSuggested = "suggested:";

}  // namespace

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
    const auto check = [min, max](std::string& text) -> std::string {
        const auto number = chain::parse_number<std::uint64_t>(text);
        const bool is_octal = text.size() > 1 && text[0] == '0';  // as CLI11 would read it
        if (number && !is_octal && *number >= min && *number <= max) return {};
        return "must be a whole number from " + format_count(min) + " to " + format_count(max);
    };
    return {check, "", "whole number"};
}

CLI::Validator seconds(bool may_be_zero) {
    const auto check = [may_be_zero](std::string& text) -> std::string {
        constexpr std::uint32_t kYear = 365 * 86'400;
        const auto number = parse_decimal(text);
        const bool enough = number && (may_be_zero ? *number >= 0 : *number > 0);
        if (enough && *number <= kYear) return {};
        return std::string("must be a number of seconds, ") +
               (may_be_zero ? "from 0" : "above 0 and") + (may_be_zero ? " to " : " at most ") +
               format_count(kYear) + " (a year)";
    };
    return {check, "", "seconds"};
}

CLI::Validator one_of(std::vector<std::string> words) {
    const auto check = [words = std::move(words)](std::string& text) -> std::string {
        if (std::ranges::find(words, text) != words.end()) return {};
        return text + " is none of " + comma_list(words);
    };
    return {check, "", "word"};
}

CLI::Validator not_empty() {
    const auto check = [](std::string& text) -> std::string {
        return text.empty() ? "must not be empty" : "";
    };
    return {check, "", "text"};
}

CLI::Validator probability() {
    const auto check = [](std::string& text) -> std::string {
        const auto value = parse_decimal(text);
        if (value && *value > 0 && *value < 1) return {};
        return "must be a number between 0 and 1, such as 0.00001 or 1e-5";
    };
    return {check, "", "probability"};
}

CLI::Validator script_hex() {
    const auto check = [](std::string& text) -> std::string {
        const auto script = chain::from_hex(text);
        if (script && !script->empty() && script->size() <= chain::kMaxScriptBytes) return {};
        return "must be a script in hexadecimal, of 1 to " + format_count(chain::kMaxScriptBytes) +
               " bytes";
    };
    return {check, "", "script"};
}

CLI::Validator positive_amount() {
    const auto check = [](std::string& text) -> std::string {
        const auto amount = parse_amount(text);
        if (!amount) return std::string(describe(amount.error()));
        return *amount > 0 ? "" : "must be more than 0";
    };
    return {check, "", "amount"};
}

CLI::Validator chainwork_hex() {
    const auto check = [](std::string& text) -> std::string {
        return parse_chainwork(text) ? ""
                                     : "must be 1 to 64 hexadecimal digits, with or without 0x";
    };
    return {check, "", "chain work"};
}

std::optional<chain::Uint256> parse_chainwork(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    return chain::uint256_from_hex(text);
}

std::shared_ptr<const chain::NetworkParams> table_network(std::string_view name) {
    const chain::NetworkParams* const row = chain::find_network(name);
    return row == nullptr ? nullptr : std::make_shared<const chain::NetworkParams>(*row);
}

std::chrono::milliseconds to_milliseconds(const std::string& seconds) {
    const double value = parse_decimal(seconds).value_or(0);
    if (value == 0) return {};
    return std::chrono::milliseconds{std::max<std::int64_t>(1, std::llround(value * 1'000))};
}

std::optional<std::int64_t> parse_date(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto year = chain::parse_number<std::uint16_t>(text.substr(0, 4));
    const auto month = chain::parse_number<std::uint8_t>(text.substr(5, 2));
    const auto day = chain::parse_number<std::uint8_t>(text.substr(8, 2));
    if (!year || !month || !day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{*month},
                                           std::chrono::day{*day}};
    if (!date.ok()) return std::nullopt;
    const std::chrono::sys_seconds time{std::chrono::sys_days{date}};
    return time.time_since_epoch().count();
}

// Calls itself with a date. NOLINTNEXTLINE(misc-no-recursion)
chain::Expected<chain::Birthday, std::string> parse_birthday(std::string_view text,
                                                             std::int64_t now) {
    constexpr std::int64_t kDay = 86'400;
    constexpr std::int64_t kFirstBlock = 1'231'006'505;  // of mainnet, 2009-01-03
    if (const auto date = parse_date(text)) {
        // In some time zones, the next day has begun already.
        if (*date > now + kDay) return chain::Unexpected(std::string("must not be in the future"));
        return *date <= kFirstBlock ? chain::Birthday{} : chain::Birthday{0, *date};
    }
    const auto height = chain::parse_number<std::uint32_t>(text);
    if (!height) {
        return chain::Unexpected(std::string("must be a height or a date as 2024-05-31"));
    }
    // A block a minute since 2009: more blocks than any network has, testnet3 included.
    if (*height <= std::max(now - kFirstBlock, kDay) / 60) return chain::Birthday{*height, 0};
    std::string wrong = "no chain is that long";
    if (text.size() == 8) {
        const std::string date = std::string(text.substr(0, 4)) + "-" +
                                 std::string(text.substr(4, 2)) + "-" +
                                 std::string(text.substr(6, 2));
        if (parse_birthday(date, now)) wrong += "; did you mean " + date + "?";
    }
    return chain::Unexpected(std::move(wrong));
}

CLI::Validator birthday() {
    const auto check = [](std::string& text) -> std::string {
        const auto parsed = parse_birthday(text, net::unix_time_now());
        return parsed ? "" : parsed.error();
    };
    return {check, "", "birthday"};
}

CLI::Option* suggest_words(CLI::Option* option, const std::vector<std::string>& words) {
    std::string name(kSuggested);
    for (const std::string& word : words) name += " " + word;
    return option->check([](const std::string&) { return std::string(); }, "", name);
}

std::vector<std::string> suggested_words(CLI::Option& option) {
    try {
        for (int index = 0;; ++index) {
            const std::string& name = option.get_validator(index)->get_name();
            if (!name.starts_with(kSuggested)) continue;
            std::istringstream words(name.substr(kSuggested.size()));
            return {std::istream_iterator<std::string>(words), {}};
        }
    } catch (const CLI::OptionNotFound&) {
        return {};
    }
}

CLI::Option* repeatable(CLI::Option* option) {
    return option->take_all()->allow_extra_args(false);
}

CLI::Option* add_seconds(CLI::App* app, const char* name,
                         std::optional<std::chrono::milliseconds>& value, const char* description,
                         bool may_be_zero) {
    return app
        ->add_option_function<std::string>(
            name, [&value](const std::string& text) { value = to_milliseconds(text); }, description)
        ->type_name("SECONDS")
        ->check(seconds(may_be_zero));
}

void add_explain(CLI::App* app, bool& explain) {
    app->add_flag("--explain", explain,
                  "show all details, and the explanations that were shown before");
}

void add_privacy(CLI::App* app, std::optional<net::Privacy>& privacy, const char* description) {
    using enum net::Privacy;
    add_choice<net::Privacy>(app, "--privacy", privacy,
                             {{"fast", fast}, {"balanced", balanced}, {"private", private_}},
                             description);
}

}  // namespace petal::cli
