/// Checks properties of payments from random wallets.
#pragma once

#include <cstdint>

namespace petal::wallet {

/// Payments spend known coins once, pay each recipient, and pay the fee for the size.
void check_random_payments(std::uint64_t seed, std::uint32_t wallets);

/// No selection of coins wastes more than single random draw.
void check_random_selections(std::uint64_t seed, std::uint32_t wallets);

}  // namespace petal::wallet
