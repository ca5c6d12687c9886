#include "regtest/rpc/rpc_arguments.h"

#include <algorithm>
#include <limits>
#include <map>

#include "chain/enum_table.h"
#include "regtest/rpc/btc_amount.h"

namespace petal::regtest::rpc {
namespace {

/// The JSON type that a kind requires. Empty if several types are allowed.
std::string_view demanded_type(ArgumentKind kind) {
    using enum ArgumentKind;
    static constexpr auto kNames = chain::enum_table<ArgumentKind, std::string_view>({
        {text, "string"},
        {number, "number"},
        {boolean, "bool"},
        {array, "array"},
        {object, "object"},
        {amount, ""},
        {verbosity, ""},
        {any, ""},
    });
    return kNames[kind];
}

std::string wrong_type(const Json& value, std::string_view expected) {
    return "JSON value of type " + std::string(type_name(value)) + " is not of expected type " +
           std::string(expected);
}

[[noreturn]] void refuse_type(const Json& value, std::string_view expected) {
    throw RpcError(RpcCode::wrong_type, wrong_type(value, expected));
}

RpcError wrong_name(const std::string& message) {
    return {RpcCode::invalid_parameter, message};
}

}  // namespace

std::string_view type_name(const Json& value) {
    if (value.is_string()) return "string";
    if (value.is_boolean()) return "bool";
    if (value.is_number()) return "number";
    if (value.is_array()) return "array";
    return value.is_object() ? "object" : "null";
}

std::string usage_of(std::string_view method, std::span<const Parameter> parameters) {
    std::string usage(method);
    bool in_brackets = false;
    for (const Parameter& parameter : parameters) {
        if (parameter.is_required && in_brackets) usage += " )";
        usage += parameter.is_required || in_brackets ? " " : " ( ";
        in_brackets = !parameter.is_required;
        const bool is_text = parameter.kind == ArgumentKind::text;
        usage += is_text ? "\"" + std::string(parameter.name) + "\"" : std::string(parameter.name);
    }
    return in_brackets ? usage + " )" : usage;
}

Arguments::Arguments(const Json& given, std::string_view method,
                     std::span<const Parameter> parameters)
    : method_(method), parameters_(parameters), values_(parameters.size()) {
    if (given.is_object()) {
        take_by_name(given);
    } else {
        take_by_position(given);
    }
    check_kinds();
}

void Arguments::take_by_position(const Json& given) {
    const auto last_required =
        std::ranges::find_if(parameters_.rbegin(), parameters_.rend(), &Parameter::is_required);
    const auto least = static_cast<std::size_t>(parameters_.rend() - last_required);
    if (given.size() < least || given.size() > parameters_.size()) refuse_usage();
    std::ranges::copy(given, values_.begin());
}

/// Bitcoin Core: rpc/server.cpp, transformNamedArguments.
void Arguments::take_by_name(const Json& given) {
    std::map<std::string_view, const Json*> left;
    for (const auto& [name, value] : given.get_ref<const Json::object_t&>()) {
        if (left.emplace(name, &value).second) continue;
        throw wrong_name("Parameter " + name + " specified multiple times");
    }
    Json by_position = Json::array();
    std::optional<std::size_t> first_named;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        Json options = Json::object();
        for (const std::string_view name : parameters_[i].members) {
            if (const auto option = left.extract(name)) {
                append_member(options, std::string(name), *option.mapped());
            }
        }
        auto found = left.find(parameters_[i].name);
        if (found == left.end() && !parameters_[i].alias.empty()) {
            found = left.find(parameters_[i].alias);
        }
        if (found == left.end() && options.empty()) continue;
        if (!first_named) first_named = i;
        if (found == left.end()) {
            by_position[i] = std::move(options);
            continue;
        }
        if (!options.empty()) {
            throw wrong_name("Parameter " + std::string(found->first) +
                             " conflicts with parameter " + options.begin().key());
        }
        by_position[i] = *found->second;  // null for missing arguments
        left.erase(found);
    }
    const auto args = left.extract("args");
    if (args && args.mapped()->is_array()) {
        const Json& positional = *args.mapped();
        if (first_named && *first_named < positional.size()) {
            throw wrong_name("Parameter " + std::string(parameters_[*first_named].name) +
                             " specified twice both as positional and named argument");
        }
        if (positional.size() > parameters_.size()) refuse_usage();
        for (std::size_t i = 0; i < positional.size(); ++i) by_position[i] = positional[i];
    }
    if (!left.empty()) {
        throw wrong_name("Unknown named parameter " + std::string(left.begin()->first));
    }
    take_by_position(by_position);
}

void Arguments::check_kinds() const {
    std::string faults;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const Json& value = values_[i];
        const std::string_view demanded = demanded_type(parameters_[i].kind);
        const bool is_left_out = value.is_null() && !parameters_[i].is_required;
        if (is_left_out || demanded.empty() || demanded == type_name(value)) continue;
        faults += faults.empty() ? "" : ",";
        faults += "\n    \"Position " + std::to_string(i + 1) + " (" +
                  std::string(parameters_[i].name) + ")\": \"" + wrong_type(value, demanded) + "\"";
    }
    if (faults.empty()) return;
    throw RpcError(RpcCode::wrong_type, "Wrong type passed:\n{" + faults + "\n}");
}

void Arguments::refuse_usage() const {
    throw RpcError(RpcCode::misc, usage_of(method_, parameters_));
}

bool Arguments::has(std::size_t position) const {
    return !values_[position].is_null();
}

const std::string& Arguments::text(std::size_t position) const {
    return values_[position].get_ref<const std::string&>();
}

bool Arguments::boolean(std::size_t position, bool otherwise) const {
    return has(position) ? values_[position].get<bool>() : otherwise;
}

std::optional<std::int64_t> Arguments::integer(const Json& value) {
    const bool is_too_large = value.is_number_unsigned() &&
                              value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max();
    if (!value.is_number_integer() || is_too_large) return std::nullopt;
    return value.get<std::int64_t>();
}

const std::string& Arguments::text_of(const Json& value) {
    if (!value.is_string()) refuse_type(value, "string");
    return value.get_ref<const std::string&>();
}

std::int64_t Arguments::whole_number(const Json& value) {
    const auto number = integer(value);
    if (!number) refuse_integer();
    return *number;
}

void Arguments::refuse_integer() {
    throw RpcError(RpcCode::misc, "JSON integer out of range");
}

std::int64_t Arguments::verbosity(std::size_t position, std::int64_t otherwise) const {
    const Json& value = values_[position];
    if (value.is_null()) return otherwise;
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (!value.is_number()) refuse_type(value, "number");
    return number(position);
}

chain::Satoshis Arguments::amount(std::size_t position) const {
    return parse_btc(values_[position]);
}

void Arguments::take_only(std::size_t position, const Json& value) const {
    if (!has(position) || at(position) == value) return;
    throw RpcError(
        RpcCode::invalid_parameter,
        "Only the default of '" + std::string(parameters_[position].name) + "' is supported");
}

std::string Arguments::checked_hash_text(const Json& value, std::string_view name) {
    if (!value.is_string()) refuse_type(value, "string");
    const auto& text = value.get_ref<const std::string&>();
    const std::string argument(name);
    if (text.size() != 64) {
        throw RpcError(RpcCode::invalid_parameter, argument + " must be of length 64 (not " +
                                                       std::to_string(text.size()) + ", for '" +
                                                       text + "')");
    }
    if (!chain::from_hex(text)) {
        throw RpcError(RpcCode::invalid_parameter,
                       argument + " must be hexadecimal string (not '" + text + "')");
    }
    return text;
}

}  // namespace petal::regtest::rpc
