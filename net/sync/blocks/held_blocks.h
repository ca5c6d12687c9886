/// Delivered blocks that wait until the watcher is shown them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "chain/watcher.h"
#include "net/sync/filters/height_ranges.h"

namespace petal::net {

/// Blocks arrive in any order and are handed over in height order, without gaps above the last one
/// that was applied. Lower ones, which were searched again, are handed over at any time.
class HeldBlocks {
public:
    /// The watcher has taken all blocks up to this height.
    std::uint32_t applied() const { return applied_; }
    void set_applied(std::uint32_t height);

    /// Holds a block, or adds to one that is held: both are proven, so what they say is united.
    void add(chain::ProvenBlock block);
    void drop_above(std::uint32_t height);
    /// Those that may be handed over: how many, and all of them, lowest first, held no longer.
    std::size_t ready() const { return searched_again_ + (run_end_ - applied_); }
    std::vector<chain::ProvenBlock> take_ready();

    bool empty() const { return blocks_.empty(); }
    /// Of all transactions.
    std::size_t bytes() const { return bytes_; }
    const std::map<std::uint32_t, chain::ProvenBlock>& blocks() const { return blocks_; }
    /// The heights of those that were searched again.
    HeightRanges searched_again() const;

private:
    void count_ready();

    std::uint32_t applied_ = 0;  // the genesis block's coinbase can't be spent
    std::map<std::uint32_t, chain::ProvenBlock> blocks_;
    std::size_t searched_again_ = 0;  // those up to applied_
    std::uint32_t run_end_ = 0;       // all from applied_ up to this one are held
    std::size_t bytes_ = 0;
};

}  // namespace petal::net
