/// The parameters of a method, and the arguments of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/transaction.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

enum class ArgumentKind : std::uint8_t {
    text,
    number,
    boolean,
    array,
    object,
    amount,     ///< bitcoin, as a number or a text (btc_amount.h)
    verbosity,  ///< a number or a boolean
    any,
};

struct Parameter {
    std::string_view name;
    ArgumentKind kind = ArgumentKind::text;
    bool is_required = true;
    std::string_view alias = {};  ///< an older name, which named arguments may have
    /// For an object: its members that are also named arguments.
    std::vector<std::string_view> members = {};
};

/// A JSON type in Bitcoin Core's words (univalue: uvTypeName).
std::string_view type_name(const Json& value);

/// A method's name and its parameters, optional ones in brackets, as in its help: `getblock
/// "blockhash" ( verbosity )`.
std::string usage_of(std::string_view method, std::span<const Parameter> parameters);

/// A call's arguments, each of its parameter's kind. Calling an accessor of another kind than the
/// parameter's, or for a missing argument, is a bug in the method.
class Arguments {
public:
    /// Throws RpcError: `misc` if arguments are missing at the end or too many, `wrong_type`, also
    /// for null as a required argument, `invalid_parameter` for an unknown or duplicate name.
    /// given   an array, by position, or an object, by name (which may have the first ones by
    ///         position in `args`, as bitcoin-cli -named sends them)
    Arguments(const Json& given, std::string_view method, std::span<const Parameter> parameters);

    bool has(std::size_t position) const;
    const Json& at(std::size_t position) const { return values_[position]; }

    const std::string& text(std::size_t position) const;
    bool boolean(std::size_t position, bool otherwise) const;
    /// Throws `misc` unless it is a whole number of this type (UniValue::getInt).
    template <typename Integer = std::int32_t>
    Integer number(std::size_t position) const {
        const auto value = integer(values_[position]);
        if (!value || !std::in_range<Integer>(*value)) refuse_integer();
        return static_cast<Integer>(*value);
    }
    template <typename Integer = std::int32_t>
    Integer number(std::size_t position, Integer otherwise) const {
        return has(position) ? number<Integer>(position) : otherwise;
    }
    /// A number, or 0 for false and 1 for true.
    std::int64_t verbosity(std::size_t position, std::int64_t otherwise) const;
    /// Throws `wrong_type` for values that are not an amount of money.
    chain::Satoshis amount(std::size_t position) const;

    /// For a parameter that only Bitcoin Core's callers use: throws `invalid_parameter` for another
    /// value than this one; null accepts any.
    void take_only(std::size_t position, const Json& value) const;

    /// Throws `invalid_parameter` unless it is 64 hexadecimal digits.
    template <typename Hash>
    Hash hash(std::size_t position) const {
        return hash<Hash>(position, parameters_[position].name);
    }
    /// name   by which the errors of Bitcoin Core's method call it
    template <typename Hash>
    Hash hash(std::size_t position, std::string_view name) const {
        return parse_hash<Hash>(at(position), name);
    }

    /// An element of a list that must be text; throws `wrong_type` for others.
    static const std::string& text_of(const Json& value);
    /// A number that must be an integer; throws `misc` for others.
    static std::int64_t whole_number(const Json& value);

    template <typename Hash>
    static Hash parse_hash(const Json& value, std::string_view name) {
        const auto hash = Hash::from_hex(checked_hash_text(value, name));
        return *hash;
    }

private:
    static std::string checked_hash_text(const Json& value, std::string_view name);

    void take_by_position(const Json& given);
    void take_by_name(const Json& given);
    void check_kinds() const;
    [[noreturn]] void refuse_usage() const;
    /// Nothing if the value is not an integer.
    static std::optional<std::int64_t> integer(const Json& value);
    [[noreturn]] static void refuse_integer();

    std::string_view method_;
    std::span<const Parameter> parameters_;
    std::vector<Json> values_;  // null for missing arguments
};

}  // namespace petal::regtest::rpc
