#include "regtest/front/settings.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>

#include "regtest/front/option_table.h"

namespace petal::regtest::front {
namespace {

constexpr std::string_view kSection = "regtest";

/// An option's name, and whether it was written as `noNAME`.
struct Key {
    std::string name;
    bool is_negated = false;
};

Key parse_key(std::string_view text) {
    // No option's own name starts with "no".
    if (text.starts_with("no")) return {std::string(text.substr(2)), true};
    return {std::string(text), false};
}

/// Bitcoin Core: InterpretBool.
bool is_true(const std::string& value) {
    return value.empty() || std::atoi(value.c_str()) != 0;
}

/// The value of an option, empty for a negation. Returns what is wrong.
/// text   after the equals sign. Nothing without an equals sign
chain::Expected<std::optional<std::string>, std::string> value_of(
    const Key& key, const OptionRow& row, const std::optional<std::string>& text) {
    if (!key.is_negated) return std::optional(text.value_or(""));
    if (!row.can_be_negated) {
        return chain::Unexpected("Negating of -" + key.name +
                                 " is meaningless and therefore forbidden");
    }
    if (text && !is_true(*text)) return std::optional<std::string>("1");  // a double negation
    return std::optional<std::string>();
}

}  // namespace

chain::Expected<Settings, std::string> Settings::parse(std::span<const std::string> arguments) {
    Settings settings;
    for (const std::string& argument : arguments) {
        if (argument.empty() || argument.front() != '-') {
            return chain::Unexpected("Command line contains unexpected token '" + argument +
                                     "', see petal-bitcoind -h for a list of options.");
        }
        std::string_view rest =
            std::string_view(argument).substr(argument.starts_with("--") ? 2 : 1);
        std::optional<std::string> text;
        if (const auto equals = rest.find('='); equals != rest.npos) {
            text = rest.substr(equals + 1);
            rest = rest.substr(0, equals);
        }
        const Key key = parse_key(rest);
        const OptionRow* const row = find_option(key.name);
        if (row == nullptr) {
            return chain::Unexpected("Error parsing command line arguments: Invalid parameter " +
                                     argument);
        }
        auto value = value_of(key, *row, text);
        if (!value) {
            return chain::Unexpected("Error parsing command line arguments: " + value.error());
        }
        if (key.name == "includeconf" && !key.is_negated) {
            return chain::Unexpected(
                "Error parsing command line arguments: -includeconf cannot be used from "
                "commandline; -includeconf=\"" +
                text.value_or("") + "\"");
        }
        settings.command_line_[key.name].push_back(*std::move(value));
    }
    return settings;
}

chain::Expected<void, std::string> Settings::add(const ConfigText& config) {
    for (const ConfigLine& line : config.lines) {
        const bool is_ours = line.section.empty() || line.section == kSection;
        const Key key = parse_key(line.name);
        if (key.name == "conf") {
            return chain::Unexpected(std::string(
                "conf cannot be set in the configuration file; use includeconf= if you want to "
                "include additional config files"));
        }
        const OptionRow* const row = find_option(key.name);
        if (row == nullptr) {
            unknown_.push_back(line.section + (line.section.empty() ? "" : ".") + line.name);
            continue;
        }
        auto value = value_of(key, *row, line.value);
        if (!value) return chain::Unexpected(value.error());
        if (!is_ours) continue;
        auto& values = line.section.empty() ? base_ : section_;
        values[key.name].push_back(*std::move(value));
    }
    return {};
}

void Settings::find_in(const Values& values, std::string_view name, bool is_last_first,
                       std::vector<Found>& found) {
    const auto all = values.find(name);
    if (all == values.end()) return;
    const auto negation = std::find(all->second.rbegin(), all->second.rend(), Value());
    found.push_back(
        {{negation.base(), all->second.end()}, negation != all->second.rend(), is_last_first});
}

std::vector<Settings::Found> Settings::sources_of(std::string_view name) const {
    std::vector<Found> found;
    find_in(command_line_, name, true, found);
    find_in(section_, name, false, found);
    const OptionRow* const row = find_option(name);
    if (row == nullptr || !row->needs_section) find_in(base_, name, false, found);
    return found;
}

std::optional<Settings::Value> Settings::value(std::string_view name) const {
    for (const Found& found : sources_of(name)) {
        if (found.values.empty()) return Value();  // the source ends with a negation
        return found.is_last_first ? found.values.back() : found.values.front();
    }
    return std::nullopt;
}

bool Settings::is_set(std::string_view name) const {
    return value(name).has_value();
}

bool Settings::is_negated(std::string_view name) const {
    const auto found = value(name);
    return found && !*found;
}

bool Settings::boolean(std::string_view name, bool otherwise) const {
    const auto found = value(name);
    if (!found) return otherwise;
    return *found && is_true(**found);
}

std::optional<std::string> Settings::text(std::string_view name) const {
    return value(name).value_or(std::nullopt);
}

std::vector<std::string> Settings::list(std::string_view name) const {
    std::vector<std::string> all;
    for (const Found& found : sources_of(name)) {
        for (const Value& value : found.values) all.push_back(*value);
        if (found.is_negated) break;
    }
    return all;
}

chain::Expected<std::string, std::string> Settings::chain() const {
    std::vector<std::string> named;
    if (const auto name = text("chain")) named.push_back(*name);
    constexpr std::array kChains = {std::pair("regtest", "regtest"), std::pair("signet", "signet"),
                                    std::pair("testnet", "test"),
                                    std::pair("testnet4", "testnet4")};
    for (const auto& [option, name] : kChains) {
        if (boolean(option, false)) named.emplace_back(name);
    }
    if (named.size() > 1) {
        return chain::Unexpected(
            std::string("Invalid combination of -regtest, -signet, -testnet, -testnet4 and "
                        "-chain. Can use at most one."));
    }
    return named.empty() ? "main" : named.front();
}

std::vector<std::string> Settings::included_files() const {
    if (command_line_.contains("includeconf")) return {};
    return list("includeconf");
}

std::vector<std::string> Settings::outside_section() const {
    std::vector<std::string> names;
    for (const OptionRow& row : all_options()) {
        const bool is_outside = row.needs_section && base_.contains(row.name) &&
                                !section_.contains(row.name) && !command_line_.contains(row.name);
        if (is_outside) names.emplace_back(row.name);
    }
    return names;
}

std::vector<std::string> Settings::names() const {
    std::set<std::string> all;
    for (const Values* values : {&command_line_, &section_, &base_}) {
        std::ranges::transform(*values, std::inserter(all, all.end()),
                               [](const auto& entry) { return entry.first; });
    }
    return {all.begin(), all.end()};
}

}  // namespace petal::regtest::front
