/// Which blocks a watcher still has to be shown, and those that are on their way to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chain/header_chain.h"
#include "chain/watcher.h"
#include "net/sync/block_download.h"
#include "net/sync/engine_memory.h"

namespace petal::net {

/// The watcher's side of a sync: walks the best chain from where the watcher stands to the tip, collects what
/// peers deliver, and hands it over in batches, in height order. Exceptions of the watcher pass through.
class Scan {
public:
    /// Both must outlive the scan.
    /// fresh_tweak   for the filters of a watcher that has none yet
    Scan(chain::HeaderChain& chain, chain::Watcher& watcher, std::uint32_t fresh_tweak);

    /// Finds the watcher's place on the chain; undoes what a reorganisation took from it meanwhile. May have to
    /// wait for headers: until it returns true there is nothing to scan.
    /// headers_complete   no more headers are to be expected
    bool align(bool headers_complete);

    /// The best chain has moved.
    void on_chain_moved(const chain::ChainMove& move);

    /// The next blocks to ask for, at most so many, in height order. Each is given once, until it is
    /// rewound.
    std::vector<chain::BlockRef> take_next(std::size_t max);

    /// Takes a delivered block: the next one in height order.
    void deliver(Delivery delivery);

    /// What was asked for and not delivered is to be asked for again.
    void rewind();

    /// Hands over what was delivered. Returns whether the watch list grew: then all from next_height() on is
    /// to be searched again, by a filter that knows what is new.
    bool apply();

    /// Delivered and not yet handed over: in blocks, and in bytes of their transactions.
    std::size_t held_blocks() const { return held_.size(); }
    std::size_t held_bytes() const { return held_bytes_; }

    /// Every block up to the tip was handed over, and none is to be searched again.
    bool complete() const;

    /// The next block that take_next() will give.
    std::uint32_t next_height() const { return next_height_; }
    /// Up to where the watcher is covered; the block before the scan's first where it has seen none.
    std::uint32_t synced_height() const;
    /// Where the scan of this run began.
    std::uint32_t first_height() const { return first_height_; }
    std::uint64_t refetched_blocks() const { return refetched_; }
    std::uint64_t false_positives() const { return false_positives_; }

    EngineMemory& memory() { return memory_; }

private:
    bool align_new_watcher(bool headers_complete);
    bool align_known_watcher(bool headers_complete);
    chain::BlockRef last_known_block() const;
    void undo_to(const chain::BlockRef& fork);
    void drop_held_above(std::uint32_t height);

    chain::HeaderChain& chain_;
    chain::Watcher& watcher_;
    EngineMemory memory_;
    std::optional<chain::BlockRef> synced_;
    bool aligned_ = false;
    std::uint32_t first_height_ = 0;
    std::uint32_t next_height_ = 1;       // the genesis block pays nobody
    std::uint32_t highest_taken_ = 0;     // on the present best chain
    std::vector<chain::ProvenBlock> held_;
    std::size_t held_bytes_ = 0;
    std::uint64_t refetched_ = 0;
    std::uint64_t false_positives_ = 0;
};

}  // namespace petal::net
