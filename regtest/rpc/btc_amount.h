/// Amounts of bitcoin in JSON: numbers with eight decimals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chain/transaction.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// The number of bitcoin. No amount of money has more digits than a double keeps.
Json btc_json(chain::Satoshis amount);

/// The satoshi of a decimal number of bitcoin, which may be negative or more than exist; nothing
/// for text that is not a JSON number, finer than a satoshi, or 10^10 bitcoin and more (Bitcoin
/// Core: ParseFixedPoint).
std::optional<chain::Satoshis> parse_btc_text(std::string_view text);

/// A number with all eight decimals, as Bitcoin Core writes amounts; nothing if parse_btc_text()
/// would not accept it.
std::optional<std::string> btc_text(double bitcoin);

/// Throws `wrong_type` for values that are not an amount of money, like Bitcoin Core's
/// AmountFromValue.
/// value   a number or a text
chain::Satoshis parse_btc(const Json& value);

/// A fee rate in satoshi per vB with three decimals, as satoshi per 1,000 vB. Throws alike.
chain::Satoshis parse_fee_rate(const Json& value);

}  // namespace petal::regtest::rpc
