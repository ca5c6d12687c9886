/// The block times of a regtest chain.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "regtest/mempool/lock_times.h"

namespace petal::regtest {

/// Chooses the time of the next block: ten minutes per block, or the owner's time. Times are Unix
/// seconds. Throws std::invalid_argument for a time after 2106, which does not fit into a header.
class RegtestClock {
public:
    /// first_time   of the first block after the genesis block. 0: ten minutes after the genesis
    ///              block
    /// now   returns the current time. May be empty
    RegtestClock(std::int64_t first_time, std::int64_t genesis_time,
                 std::function<std::int64_t()> now);

    /// Sets the time of the next block. Empty: ten minutes per block again.
    void set_time(std::optional<std::int64_t> time) { time_ = time; }

    /// The time of the block after these blocks. If their median time forbids the time that was set
    /// (BIP113), the earliest allowed time.
    std::uint32_t next_time(const BlockTimes& times) const;
    /// Throws unless `count` more blocks can have valid times.
    void require_times(BlockTimes times, std::uint32_t count) const;

    /// The current time. Empty without a clock.
    std::optional<std::int64_t> now() const { return now_ ? std::optional{now_()} : std::nullopt; }

private:
    std::int64_t base_time_;
    std::optional<std::int64_t> time_;
    std::function<std::int64_t()> now_;
};

}  // namespace petal::regtest
