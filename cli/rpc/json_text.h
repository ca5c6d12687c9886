/// From JSON texts to their values and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/rpc/rpc_json.h"

namespace petal::cli::rpc {

/// Reads a JSON text of a foreign hand: empty for one that is malformed, nested deeper than 32, or
/// has objects of more than some 10,000 keys. A number with decimals that is finer than a satoshi
/// (parse_btc_text), or too large for any amount, becomes NaN: as a double it may be the same as an
/// amount, which no method is to take it for.
std::optional<Json> parse_bounded(std::string_view text);

/// Writes it as Bitcoin Core does, amounts with eight decimals. Bytes that are no UTF-8 become
/// U+FFFD.
std::string to_text(const Json& json);

}  // namespace petal::cli::rpc
