/// Amounts of bitcoin in JSON: numbers with eight decimals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chain/transaction.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// The amount in bitcoin. A double has enough digits for any amount of money.
Json btc_json(chain::Satoshis amount);

/// Parses a decimal number of bitcoin into satoshi. The number may be negative, or exceed all
/// money. Empty for text that is not a JSON number, is finer than a satoshi, or is 10^10 bitcoin or
/// more (Bitcoin Core: ParseFixedPoint).
std::optional<chain::Satoshis> parse_btc_text(std::string_view text);

/// A number with eight decimals, as Bitcoin Core writes amounts. Empty if parse_btc_text() would
/// not accept it.
std::optional<std::string> btc_text(double bitcoin);

/// Throws `wrong_type` if the value is not an amount of money, like Bitcoin Core's AmountFromValue.
/// value   a number or a string
chain::Satoshis parse_btc(const Json& value);

/// Converts a fee rate in satoshi per vB, with three decimals, to satoshi per 1,000 vB. Throws like
/// parse_btc().
chain::Satoshis parse_fee_rate(const Json& value);

}  // namespace petal::regtest::rpc
