/// The times of a regtest chain's blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "regtest/mempool/lock_times.h"

namespace petal::regtest {

/// Determines the time of the next block: ten minutes a block from the first one on, or the
/// owner's. Times are Unix seconds. A time past 2106, which does not fit into a header, is
/// std::invalid_argument.
class RegtestClock {
public:
    /// first_time   of the first block, after the genesis block's; 0 for ten minutes after it
    /// now the source of the present time; may be empty
    RegtestClock(std::int64_t first_time, std::int64_t genesis_time,
                 std::function<std::int64_t()> now);

    /// Sets the next block's time; empty: the chain's own again.
    void set_time(std::optional<std::int64_t> time) { time_ = time; }

    /// The time of the block after these; if their median does not allow the time that is set
    /// (BIP113), the earliest time that it allows.
    std::uint32_t next_time(const BlockTimes& times) const;
    /// Throws unless there is a valid time for each of `count` blocks after these.
    void require_times(BlockTimes times, std::uint32_t count) const;

    /// The present time; empty without a clock.
    std::optional<std::int64_t> now() const { return now_ ? std::optional{now_()} : std::nullopt; }

private:
    std::int64_t base_time_;
    std::optional<std::int64_t> time_;
    std::function<std::int64_t()> now_;
};

}  // namespace petal::regtest
