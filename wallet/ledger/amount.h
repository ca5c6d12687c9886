/// Sums of unchecked amounts.
#pragma once

#include <limits>

#include "chain/transaction.h"

namespace petal::wallet {

/// a + b, in satoshi, held within the type's range: a chain of little work can claim any number of
/// outputs of 21 million bitcoin each.
constexpr chain::Satoshis add_amounts(chain::Satoshis a, chain::Satoshis b) {
    using Limits = std::numeric_limits<chain::Satoshis>;
    if (b > 0 && a > Limits::max() - b) return Limits::max();
    if (b < 0 && a < Limits::min() - b) return Limits::min();
    return a + b;
}

}  // namespace petal::wallet
