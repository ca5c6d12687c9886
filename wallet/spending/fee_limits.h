/// The highest fees that a payment may have.
#pragma once

#include <cstddef>
#include <optional>

#include "chain/transaction.h"
#include "wallet/spending/fee_rate.h"

namespace petal::wallet {

/// A fee up to this one is never too high a share of the amount, in satoshi.
inline constexpr chain::Satoshis kFeeOfAnyShare = 10'000;
/// Above this fee rate, a fee is taken for a mistake.
inline constexpr FeeRate kHighestFeeRate{10'000'000};
/// Above this fee, in satoshi, it is, too (Bitcoin Core: DEFAULT_TRANSACTION_MAXFEE).
inline constexpr chain::Satoshis kHighestFee = 10'000'000;

/// The limits that the user has set.
struct FeeTerms {
    /// Replaces all default limits: higher fees are refused, no others.
    std::optional<chain::Satoshis> highest_fee = {};
    bool accepts_any_fee = false;
};

/// The limit that a fee exceeds, in satoshi; empty if it exceeds none. By default, the lowest of
/// kHighestFee, the fee at kHighestFeeRate, and a tenth of the amount or, if more, kFeeOfAnyShare.
/// virtual_size   of the signed transaction
/// paid           the amount of the payment; empty if it is not known, and then no limit
std::optional<chain::Satoshis> exceeded_limit(chain::Satoshis fee, std::size_t virtual_size,
                                              std::optional<chain::Satoshis> paid,
                                              const FeeTerms& terms);

}  // namespace petal::wallet
