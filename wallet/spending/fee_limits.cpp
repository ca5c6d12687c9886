#include "wallet/spending/fee_limits.h"

#include <algorithm>

namespace petal::wallet {

using chain::Satoshis;

namespace {

Satoshis default_limit(std::size_t virtual_size, std::optional<Satoshis> paid) {
    const Satoshis limit = std::min(kHighestFee, kHighestFeeRate.fee(virtual_size));
    return paid ? std::min(limit, std::max(kFeeOfAnyShare, *paid / 10)) : limit;
}

}  // namespace

std::optional<Satoshis> exceeded_limit(Satoshis fee, std::size_t virtual_size,
                                       std::optional<Satoshis> paid, const FeeTerms& terms) {
    if (terms.accepts_any_fee) return std::nullopt;
    const Satoshis limit = terms.highest_fee.value_or(default_limit(virtual_size, paid));
    return fee > limit ? std::optional(limit) : std::nullopt;
}

}  // namespace petal::wallet
