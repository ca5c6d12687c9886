/// Converts between JSON texts and values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// Reads an untrusted JSON text: empty if it is malformed, nested deeper than 32, or has a number
/// beyond a double's range. An object has duplicate keys like the text; the first one counts, as in
/// Bitcoin Core (UniValue::find_value).
///
/// A number with decimals that is finer than a satoshi (parse_btc_text), or too large for any
/// amount, becomes NaN: as a double it might equal a valid amount, which no method may take it for.
std::optional<Json> parse_bounded(std::string_view text);

/// parse_bounded() for a JSON-RPC request, or a batch, whose answers repeat the `id`: there,
/// numbers with decimals and large ones become binary values, which to_text() writes as they were
/// read.
std::optional<Json> parse_request(std::string_view text);

/// Writes it as Bitcoin Core does, amounts with eight decimals. Bytes that are no UTF-8 become
/// U+FFFD.
std::string to_text(const Json& json);

}  // namespace petal::regtest::rpc
