/// Fee rates, in satoshi per 1,000 vB.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "chain/transaction.h"

namespace petal::wallet {

/// A fee rate (Bitcoin Core: CFeeRate).
class FeeRate {
public:
    /// The highest supported rate: a million sat/vB.
    static constexpr std::int64_t kMaxSatPerKvb = 1'000'000'000;

    /// sat_per_kvb   from 0 to kMaxSatPerKvb
    explicit constexpr FeeRate(std::int64_t sat_per_kvb) : sat_per_kvb_(sat_per_kvb) {}

    constexpr std::int64_t sat_per_kvb() const { return sat_per_kvb_; }

    /// The fee of a transaction of this virtual size, rounded up.
    constexpr chain::Satoshis fee(std::size_t virtual_size) const {
        return round_up(virtual_size, 1'000);
    }
    /// The fee of a part of a transaction of this weight, rounded up.
    constexpr chain::Satoshis fee_of_weight(std::size_t weight) const {
        return round_up(weight, 4'000);
    }

    friend constexpr auto operator<=>(const FeeRate&, const FeeRate&) = default;

private:
    constexpr chain::Satoshis round_up(std::size_t size, std::int64_t divisor) const {
        return (static_cast<std::int64_t>(size) * sat_per_kvb_ + divisor - 1) / divisor;
    }

    std::int64_t sat_per_kvb_;
};

}  // namespace petal::wallet
