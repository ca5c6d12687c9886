/// From JSON texts to their values and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/rpc/rpc_json.h"

namespace petal::cli::rpc {

/// Reads a JSON text of a foreign hand: empty for one that is malformed, nested deeper than 32, or
/// has a number beyond a double's range. An object has every key as often as the text; the first
/// one counts, as in Bitcoin Core (UniValue::find_value).
/// A number with decimals that is finer than a satoshi (parse_btc_text), or too large for any
/// amount, becomes NaN: as a double it may be the same as an amount, which no method is to take it
/// for.
std::optional<Json> parse_bounded(std::string_view text);

/// parse_bounded() of a request of JSON-RPC, or a batch, whose answers repeat the `id`: there,
/// numbers with decimals and large ones become binary values, which to_text() writes as they were
/// read.
std::optional<Json> parse_request(std::string_view text);

/// Writes it as Bitcoin Core does, amounts with eight decimals. Bytes that are no UTF-8 become
/// U+FFFD.
std::string to_text(const Json& json);

}  // namespace petal::cli::rpc
