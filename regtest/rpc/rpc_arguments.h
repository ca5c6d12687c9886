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
    amount,     ///< bitcoin, as a number or a string (btc_amount.h)
    verbosity,  ///< a number or a boolean
    any,
};

struct Parameter {
    std::string_view name;
    ArgumentKind kind = ArgumentKind::text;
    bool is_required = true;
    std::string_view alias = {};  ///< an older name, accepted for named arguments
    /// For an object: members that are also accepted as named arguments.
    std::vector<std::string_view> members = {};
};

/// The name of a JSON type in Bitcoin Core (univalue: uvTypeName).
std::string_view type_name(const Json& value);

/// A method's name and parameters, with optional parameters in brackets, as in its help: `getblock
/// "blockhash" ( verbosity )`.
std::string usage_of(std::string_view method, std::span<const Parameter> parameters);

/// The arguments of a call, each of its parameter's kind. Calling an accessor of another kind, or
/// for a missing argument, is a bug in the method.
class Arguments {
public:
    /// Throws RpcError:
    ///
    /// - `misc` if arguments are missing at the end, or there are too many
    /// - `wrong_type` if an argument has another kind, or a required argument is null
    /// - `invalid_parameter` for an unknown or duplicate name
    ///
    /// given   an array (arguments by position), or an object (arguments by name). The object may
    ///         have the first arguments by position in `args`, as bitcoin-cli -named sends them
    Arguments(const Json& given, std::string_view method, std::span<const Parameter> parameters);

    bool has(std::size_t position) const;
    const Json& at(std::size_t position) const { return values_[position]; }

    const std::string& text(std::size_t position) const;
    bool boolean(std::size_t position, bool otherwise) const;
    /// Throws `misc` unless the argument is an integer of this type (UniValue::getInt).
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
    /// Throws `wrong_type` if the argument is not an amount of money.
    chain::Satoshis amount(std::size_t position) const;

    /// For a parameter without effect: throws `invalid_parameter` unless the argument is this
    /// value. Null accepts any value.
    void take_only(std::size_t position, const Json& value) const;

    /// Throws `invalid_parameter` unless the argument has 64 hexadecimal digits.
    template <typename Hash>
    Hash hash(std::size_t position) const {
        return hash<Hash>(position, parameters_[position].name);
    }
    /// name   the name of the argument in error messages
    template <typename Hash>
    Hash hash(std::size_t position, std::string_view name) const {
        return parse_hash<Hash>(at(position), name);
    }

    /// An element of an array. Throws `wrong_type` if it is not a string.
    static const std::string& text_of(const Json& value);
    /// Throws `misc` if the value is not an integer.
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
    /// Empty if the value is not an integer.
    static std::optional<std::int64_t> integer(const Json& value);
    [[noreturn]] static void refuse_integer();

    std::string_view method_;
    std::span<const Parameter> parameters_;
    std::vector<Json> values_;  // null for missing arguments
};

}  // namespace petal::regtest::rpc
