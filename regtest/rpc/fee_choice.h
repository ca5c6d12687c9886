/// Fee arguments, as in Bitcoin Core's wallet.
#pragma once

#include <cstddef>
#include <optional>

#include "chain/transaction.h"
#include "regtest/rpc/rpc_arguments.h"

namespace petal::regtest::rpc {

/// Throws `invalid_parameter` for an invalid confirmation target in blocks.
void check_confirmation_target(const Arguments& arguments, std::size_t position);
/// Throws `invalid_parameter` for an unknown estimate mode.
void check_estimate_mode(const Arguments& arguments, std::size_t position);

/// The positions of the fee parameters of sendtoaddress and sendmany.
struct FeeParameters {
    std::size_t replaceable = 0;
    std::size_t target = 0;
    std::size_t mode = 0;
    std::size_t rate = 0;
};

struct FeeChoice {
    std::optional<chain::Satoshis> rate;  ///< satoshi per 1,000 vB
    bool is_replaceable = true;           ///< signals replaceability (BIP125)
};

/// Like Bitcoin Core's SetFeeEstimateMode: accepts a fee rate, or a target and a mode. Target and
/// mode have no effect, because there is never an estimate.
FeeChoice parse_fee_choice(const Arguments& arguments, const FeeParameters& places);

}  // namespace petal::regtest::rpc
