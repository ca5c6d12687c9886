/// Converts between JSON text and values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// Parses untrusted JSON text. Empty if the text is malformed, is nested deeper than 32, or has a
/// number beyond a double's range. Objects keep duplicate keys. The first one counts, as in Bitcoin
/// Core (UniValue::find_value).
///
/// A number with decimals that is finer than a satoshi (parse_btc_text), or too large for any
/// amount, becomes NaN. As a double, it might equal a valid amount.
std::optional<Json> parse_bounded(std::string_view text);

/// parse_bounded() for a JSON-RPC request or batch. In an `id`, which the answer repeats, large
/// numbers and numbers with decimals become binary values, which to_text() writes unchanged.
std::optional<Json> parse_request(std::string_view text);

/// Writes JSON like Bitcoin Core, with eight decimals for amounts. Bytes that are not UTF-8 become
/// U+FFFD.
std::string to_text(const Json& json);

}  // namespace petal::regtest::rpc
