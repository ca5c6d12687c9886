#include "regtest/mempool/lock_times.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "chain/headers/header_rules.h"
#include "chain/lock_time.h"

namespace petal::regtest {
namespace {

using chain::kFinalSequence;
using chain::kLockTimeThreshold;
using chain::kSequenceDisabled;
using chain::kSequenceIsTime;
using chain::kSequenceMask;

// BIP68: times are in units of 2^9 seconds.
constexpr unsigned kSequenceGranularity = 9;

}  // namespace

std::int64_t BlockTimes::median_time_past(std::uint32_t height) const {
    assert(height < times_.size());
    const std::size_t count =
        std::min<std::size_t>(chain::kMedianTimeSpan, height + std::size_t{1});
    std::array<std::uint32_t, chain::kMedianTimeSpan> latest{};
    const auto end = times_.begin() + static_cast<std::ptrdiff_t>(height) + 1;
    std::copy(end - static_cast<std::ptrdiff_t>(count), end, latest.begin());
    return chain::median_time(std::span(latest).first(count));
}

bool is_final(const chain::Transaction& transaction, const BlockTimes& times) {
    return is_final(transaction, times.next_height(), times.median_time_past());
}

bool is_final(const chain::Transaction& transaction, std::uint32_t height,
              std::int64_t median_time_past) {
    const std::uint32_t lock_time = transaction.lock_time;
    const std::int64_t reached = lock_time < kLockTimeThreshold ? height : median_time_past;
    if (lock_time == 0 || lock_time < reached) return true;
    return std::ranges::all_of(transaction.inputs,
                               [](const auto& input) { return input.sequence == kFinalSequence; });
}

bool are_sequence_locks_met(const chain::Transaction& transaction,
                            std::span<const std::uint32_t> coin_heights, const BlockTimes& times) {
    assert(coin_heights.size() == transaction.inputs.size());
    // Bitcoin Core compares versions as unsigned numbers, so a negative version is large.
    if (static_cast<std::uint32_t>(transaction.version) < 2) return true;
    for (std::size_t i = 0; i < coin_heights.size(); ++i) {
        const std::uint32_t sequence = transaction.inputs[i].sequence;
        if ((sequence & kSequenceDisabled) != 0) continue;
        const std::uint32_t span = sequence & kSequenceMask;
        if ((sequence & kSequenceIsTime) != 0) {
            // Counted from the earliest time that the coin's block could have.
            const std::int64_t begin =
                times.median_time_past(std::max(coin_heights[i], std::uint32_t{1}) - 1);
            const std::int64_t end = begin + (std::int64_t{span} << kSequenceGranularity);
            if (times.median_time_past() < end) return false;
        } else if (times.next_height() < coin_heights[i] + span) {
            return false;
        }
    }
    return true;
}

}  // namespace petal::regtest
