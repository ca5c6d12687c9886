#include "regtest/chain/regtest_clock.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "chain/headers/header_rules.h"

namespace petal::regtest {
namespace {

constexpr std::int64_t kBlockSpacing = 600;

}  // namespace

RegtestClock::RegtestClock(std::int64_t first_time, std::int64_t genesis_time,
                           std::function<std::int64_t()> now)
    : base_time_(first_time == 0 ? genesis_time : first_time - kBlockSpacing),
      now_(std::move(now)) {
    if (first_time != 0 && first_time <= genesis_time) {
        throw std::invalid_argument("times must follow the genesis block's");
    }
}

std::uint32_t RegtestClock::next_time(const BlockTimes& times) const {
    const std::int64_t own_time = base_time_ + kBlockSpacing * std::int64_t{times.next_height()};
    const std::int64_t time = std::max(time_.value_or(own_time), times.median_time_past() + 1);
    if (time > chain::kMaxBlockTime) throw std::invalid_argument("the time is past 2106");
    return static_cast<std::uint32_t>(time);
}

void RegtestClock::require_times(BlockTimes times, std::uint32_t count) const {
    for (; count > 0; --count) times.add(next_time(times));
}

}  // namespace petal::regtest
