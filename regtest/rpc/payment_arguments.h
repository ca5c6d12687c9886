/// Payments as arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "chain/transaction.h"
#include "regtest/rpc/fee_choice.h"
#include "regtest/rpc/rpc_arguments.h"
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

struct PaymentArguments {
    std::vector<chain::TxOutput> outputs;
    std::vector<std::size_t> fee_from;  ///< outputs that pay the fee. Empty: paid in addition
    FeeChoice fee;
    bool is_verbose = false;
};

/// The arguments of sendtoaddress, except for comments and `avoid_reuse`. Throws RpcError.
PaymentArguments parse_send_to_address(const Arguments& arguments);
/// The arguments of sendmany, except for the comment. Throws RpcError.
PaymentArguments parse_send_many(const Arguments& arguments);

}  // namespace petal::regtest::rpc
