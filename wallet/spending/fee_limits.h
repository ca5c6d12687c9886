/// Limits of a payment's fee.
#pragma once

#include <cstddef>
#include <optional>

#include "chain/transaction.h"
#include "wallet/spending/fee_rate.h"

namespace petal::wallet {

/// A fee up to this limit, in satoshi, may be any share of the amount.
inline constexpr chain::Satoshis kFeeOfAnyShare = 10'000;
/// Above this fee rate, the fee is probably a mistake.
inline constexpr FeeRate kHighestFeeRate{10'000'000};
/// Above this amount in satoshi, the fee is probably a mistake (Bitcoin Core:
/// DEFAULT_TRANSACTION_MAXFEE).
inline constexpr chain::Satoshis kHighestFee = 10'000'000;

/// The limits set by the user.
struct FeeTerms {
    /// If set, replaces all default limits.
    std::optional<chain::Satoshis> highest_fee = {};
    bool accepts_any_fee = false;
};

/// The limit that a fee exceeds, in satoshi. Empty if the fee exceeds no limit. The default limit
/// is the lowest of:
/// - kHighestFee
/// - the fee at kHighestFeeRate
/// - a tenth of the amount, but at least kFeeOfAnyShare
///
/// virtual_size   of the signed transaction
/// paid           the amount of the payment. If empty (unknown), does not limit the fee
std::optional<chain::Satoshis> exceeded_limit(chain::Satoshis fee, std::size_t virtual_size,
                                              std::optional<chain::Satoshis> paid,
                                              const FeeTerms& terms);

}  // namespace petal::wallet
