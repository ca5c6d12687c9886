#include "cli/rpc/rpc_arguments.h"

#include <algorithm>
#include <limits>

#include "chain/enum_table.h"
#include "cli/rpc/btc_amount.h"

namespace petal::cli::rpc {
namespace {

/// A JSON type in Bitcoin Core's words (univalue: uvTypeName).
std::string_view type_name(const Json& value) {
    if (value.is_string()) return "string";
    if (value.is_boolean()) return "bool";
    if (value.is_number()) return "number";
    if (value.is_array()) return "array";
    return value.is_object() ? "object" : "null";
}

/// The type that a kind demands; empty where several are allowed.
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

[[noreturn]] void refuse_type(const Json& value, std::string_view expected) {
    throw RpcError(RpcCode::wrong_type, "JSON value of type " + std::string(type_name(value)) +
                                            " is not of expected type " + std::string(expected));
}

}  // namespace

std::string usage_of(std::string_view method, std::span<const Parameter> parameters) {
    std::string usage(method);
    std::size_t optional = 0;
    for (const Parameter& parameter : parameters) {
        usage += parameter.is_required ? " " : " ( ";
        if (!parameter.is_required) ++optional;
        const bool is_text = parameter.kind == ArgumentKind::text;
        usage += is_text ? "\"" + std::string(parameter.name) + "\"" : std::string(parameter.name);
    }
    for (; optional > 0; --optional) usage += " )";
    return usage;
}

Arguments::Arguments(const Json& given, std::string_view method,
                     std::span<const Parameter> parameters)
    : method_(method), parameters_(parameters), values_(parameters.size()) {
    if (given.is_object()) {
        take_by_name(given);
    } else {
        if (given.size() > parameters_.size()) refuse_usage();
        std::ranges::copy(given, values_.begin());
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (parameters_[i].is_required && values_[i].is_null()) refuse_usage();
    }
    check_kinds();
}

void Arguments::take_by_name(const Json& given) {
    for (const auto& [name, value] : given.items()) {
        if (name == "args" && value.is_array()) {
            if (value.size() > values_.size()) refuse_usage();
            for (std::size_t i = 0; i < value.size(); ++i) values_[i] = value[i];
            continue;
        }
        const auto found = std::ranges::find(parameters_, name, &Parameter::name);
        if (found == parameters_.end()) {
            throw RpcError(RpcCode::invalid_parameter, "Unknown named parameter " + name);
        }
        values_[static_cast<std::size_t>(found - parameters_.begin())] = value;
    }
}

void Arguments::check_kinds() const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const Json& value = values_[i];
        const std::string_view demanded = demanded_type(parameters_[i].kind);
        if (value.is_null() || demanded.empty() || demanded == type_name(value)) continue;
        throw RpcError(RpcCode::wrong_type,
                       "Wrong type passed:\n{\n    \"Position " + std::to_string(i + 1) + " (" +
                           std::string(parameters_[i].name) + ")\": \"JSON value of type " +
                           std::string(type_name(value)) + " is not of expected type " +
                           std::string(demanded) + "\"\n}");
    }
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

std::int64_t Arguments::number(std::size_t position) const {
    const Json& value = values_[position];
    const bool is_too_large = value.is_number_unsigned() &&
                              value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max();
    if (!value.is_number_integer() || is_too_large) {
        throw RpcError(RpcCode::wrong_type, "JSON integer out of range");
    }
    return value.get<std::int64_t>();
}

std::int64_t Arguments::number(std::size_t position, std::int64_t otherwise) const {
    return has(position) ? number(position) : otherwise;
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

}  // namespace petal::cli::rpc
