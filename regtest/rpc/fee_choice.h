/// How callers of Bitcoin Core's wallet choose a fee.
#pragma once

#include <cstddef>

#include "regtest/chain/regtest_purse.h"
#include "regtest/rpc/rpc_arguments.h"

namespace petal::regtest::rpc {

/// Throws `invalid_parameter` for an invalid number of blocks for confirmation.
void check_confirmation_target(const Arguments& arguments, std::size_t position);
/// Throws `invalid_parameter` for an unknown estimate mode.
void check_estimate_mode(const Arguments& arguments, std::size_t position);

/// The places of sendtoaddress' and sendmany's parameters.
struct FeeParameters {
    std::size_t replaceable = 0;
    std::size_t target = 0;
    std::size_t mode = 0;
    std::size_t rate = 0;
};
/// Like Bitcoin Core's SetFeeEstimateMode: a fee rate, or a target and a mode, which have no
/// effect, as there is never an estimate.
PaymentTerms parse_fee_choice(const Arguments& arguments, const FeeParameters& places);

}  // namespace petal::regtest::rpc
