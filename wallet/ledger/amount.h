/// Sums of amounts that may overflow.
#pragma once

#include <limits>

#include "chain/transaction.h"

namespace petal::wallet {

/// a + b in satoshi, saturated at the limits of the type. A chain of little work can contain any
/// number of outputs of 21 million bitcoin.
constexpr chain::Satoshis add_amounts(chain::Satoshis a, chain::Satoshis b) {
    using Limits = std::numeric_limits<chain::Satoshis>;
    if (b > 0 && a > Limits::max() - b) return Limits::max();
    if (b < 0 && a < Limits::min() - b) return Limits::min();
    return a + b;
}

}  // namespace petal::wallet
