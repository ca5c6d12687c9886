/// The outputs of a payment as arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "chain/transaction.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// Reads outputs to addresses (Bitcoin Core: ParseOutputs). Throws `not_found` and
/// `invalid_parameter`.
/// amounts   an object by address, possibly with duplicates
std::vector<chain::TxOutput> parse_outputs(const Json& amounts);

/// The outputs from which the fee is subtracted (Bitcoin Core:
/// InterpretSubtractFeeFromOutputInstructions). Throws `invalid_parameter`.
/// amounts   by address, in the order of the outputs
/// chosen    addresses or positions
std::vector<std::size_t> parse_fee_from(const Json& amounts, const Json& chosen);

}  // namespace petal::regtest::rpc
