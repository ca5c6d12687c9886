/// Delivered blocks that wait to be applied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "chain/watcher.h"
#include "net/sync/filters/height_ranges.h"

namespace petal::net {

/// The maximum size of the transactions of held blocks.
inline constexpr std::size_t kMaxHeldBytes = 24'000'000;

/// The approximate memory of a block's transactions.
std::size_t bytes_of(const chain::ProvenBlock& block);

/// Blocks arrive in any order and are applied in height order, without gaps above the last applied
/// block. Lower blocks, which were searched again, may be applied at any time.
class HeldBlocks {
public:
    /// max_bytes   see BlockOptions::max_held_bytes
    explicit HeldBlocks(std::size_t max_bytes = kMaxHeldBytes) : max_bytes_(max_bytes) {}

    /// All blocks up to this height have been applied.
    std::uint32_t applied() const { return applied_; }
    void set_applied(std::uint32_t height);

    /// Holds a block. If a block of this height is held, their transactions are united: both are
    /// proven. Beyond the limit of memory, drops the highest blocks that wait for lower ones, and
    /// returns their heights.
    HeightRanges add(chain::ProvenBlock block);
    /// The highest block to request, at most `last`: while there is no room for more, only blocks
    /// below all that wait.
    std::uint32_t last_to_request(std::uint32_t last) const;
    void drop_above(std::uint32_t height);
    /// The lowest block above applied() that is not held.
    std::uint32_t lowest_missing() const { return run_end_ + 1; }
    /// The number of blocks that may be applied now.
    std::size_t ready() const { return searched_again_ + (run_end_ - applied_); }
    /// Removes and returns the ready blocks, in height order.
    std::vector<chain::ProvenBlock> take_ready();

    bool empty() const { return blocks_.empty(); }
    /// The size of all held transactions.
    std::size_t bytes() const { return bytes_; }
    const std::map<std::uint32_t, chain::ProvenBlock>& blocks() const { return blocks_; }
    /// The heights of the held blocks that were searched again.
    HeightRanges searched_again() const;

private:
    HeightRanges make_room();
    void count_ready();

    std::size_t max_bytes_;
    std::uint32_t applied_ = 0;  // the genesis block's coinbase can't be spent
    std::map<std::uint32_t, chain::ProvenBlock> blocks_;
    std::size_t searched_again_ = 0;  // those up to applied_
    std::uint32_t run_end_ = 0;       // all blocks from applied_ up to this one are held
    std::size_t bytes_ = 0;
    std::uint32_t missing_at_last_drop_ = 0;  // lowest_missing() when there was no room last
};

}  // namespace petal::net
