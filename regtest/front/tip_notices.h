/// The tips that -blocknotify reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "chain/block_header.h"
#include "regtest/serve/node_events.h"

namespace petal::regtest::front {

/// Reports new tips as Bitcoin Core does (ActivateBestChain, InvalidateBlock): each block with more
/// work than the tip before, and the tip that invalidateblock has left. A reorganisation does not
/// report the blocks up to the height of the old tip.
class TipNotices {
public:
    /// notify   called with the hash of each tip
    explicit TipNotices(std::function<void(const chain::BlockHash&)> notify)
        : notify_(std::move(notify)) {}

    /// Sets the initial state without reporting it.
    void begin(const RegtestChain& chain) { records_ = chain.history().records().size(); }
    /// The chain has changed. Call this before the events of the change.
    void on_change(const RegtestChain& chain);
    void on_event(const NodeEvent& event);

private:
    std::function<void(const chain::BlockHash&)> notify_;
    std::size_t records_ = 0;
    bool was_invalidated_ = false;     // a block, by the last change
    std::uint32_t unreported_to_ = 0;  // the height of the tip before the last reorganisation
};

}  // namespace petal::regtest::front
