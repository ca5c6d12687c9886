/// Absolute and relative lock times: when a transaction may be in a block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chain/transaction.h"

namespace petal::regtest {

/// The block times of a chain, from the genesis block on.
class BlockTimes {
public:
    /// Adds the time of the next block.
    void add(std::uint32_t time) { times_.push_back(time); }
    /// Forgets the blocks above `height`.
    void truncate(std::uint32_t height) { times_.resize(height + std::size_t{1}); }

    /// The height of the next block, which is the number of blocks.
    std::uint32_t next_height() const { return static_cast<std::uint32_t>(times_.size()); }
    /// The median time of the eleven blocks up to `height` (BIP113), or fewer near the genesis
    /// block.
    std::int64_t median_time_past(std::uint32_t height) const;
    /// The median time at the tip, with which lock times in the next block are compared.
    std::int64_t median_time_past() const { return median_time_past(next_height() - 1); }

private:
    std::vector<std::uint32_t> times_;
};

/// Whether the lock time allows the transaction in the next block (Bitcoin Core: IsFinalTx).
bool is_final(const chain::Transaction& transaction, const BlockTimes& times);
/// Whether the lock time allows the transaction in a block at this height, with the median time of
/// the blocks before.
bool is_final(const chain::Transaction& transaction, std::uint32_t height,
              std::int64_t median_time_past);

/// Whether the inputs' relative lock times allow the transaction in the next block (BIP68; Bitcoin
/// Core: SequenceLocks).
/// coin_heights   heights of the spent outputs. For an unconfirmed output, the height of the next
///                block
bool are_sequence_locks_met(const chain::Transaction& transaction,
                            std::span<const std::uint32_t> coin_heights, const BlockTimes& times);

}  // namespace petal::regtest
