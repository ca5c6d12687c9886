/// The blocks of a regtest chain, and what those of the active branch leave unspent.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "net/regtest/mempool/coin_set.h"
#include "net/regtest/mempool/lock_times.h"
#include "net/regtest/regtest_block.h"

namespace petal::net {

/// All blocks, and the coins and times of the active chain (Bitcoin Core: Chainstate). Connects and
/// disconnects at the tip; what a block holds was checked before. Blocks stay where they are, so
/// that coins can point into them. Layers over it point to coins and times.
class Chainstate {
public:
    struct Entry {
        Block block;
        std::uint32_t height = 0;
    };

    explicit Chainstate(Block genesis);
    Chainstate(const Chainstate&) = delete;
    Chainstate& operator=(const Chainstate&) = delete;

    const Entry& tip() const { return *active_.back(); }
    const chain::BlockHash& tip_hash() const { return tip_hash_; }
    std::uint32_t next_height() const { return tip().height + 1; }
    /// A block of the active chain; `height` is at most the tip's.
    const Entry& at(std::uint32_t height) const { return *active_.at(height); }
    /// A block of any branch; null if there is none.
    const Entry* find(const chain::BlockHash& hash) const;
    bool is_active(const Entry& entry) const;

    /// Puts a block on the tip.
    const Block& connect(Block block);
    /// Makes the block at `height`, which is below the tip, the tip. Returns what the blocks above
    /// it confirmed, coinbases aside. Costs time in proportion to the chain.
    std::vector<chain::Transaction> disconnect_down_to(std::uint32_t height);

    const CoinSet& coins() const { return coins_; }
    const BlockTimes& times() const { return times_; }

private:
    std::unordered_map<chain::BlockHash, Entry> blocks_;  // its nodes stay where they are
    std::vector<const Entry*> active_;
    chain::BlockHash tip_hash_;
    CoinSet coins_;
    BlockTimes times_;
};

}  // namespace petal::net
