/// The blocks that confirm a wallet's transactions.
#pragma once

#include <cassert>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "chain/block_header.h"
#include "wallet/ledger/ledger_transaction.h"

namespace petal::wallet {

/// The known blocks, at most one at each height.
class LedgerBlocks {
public:
    /// Adds a block. Returns false, and adds nothing, if a block is known at this height.
    bool add(const LedgerBlock& block) { return blocks_.emplace(block.ref.height, block).second; }
    /// Forgets the blocks above `height`.
    void drop_above(std::uint32_t height) {
        blocks_.erase(blocks_.upper_bound(height), blocks_.end());
    }

    /// Forgets all blocks except at these heights.
    void keep_only(const std::set<std::uint32_t>& heights) {
        std::erase_if(blocks_, [&](const auto& block) { return !heights.contains(block.first); });
    }

    bool contains(std::uint32_t height) const { return blocks_.contains(height); }
    /// The known block at this height.
    const LedgerBlock& at(std::uint32_t height) const {
        const auto known = blocks_.find(height);
        assert(known != blocks_.end());
        return known->second;
    }
    /// Whether a different block is known at this height.
    bool contradict(const chain::BlockRef& block) const {
        const auto known = blocks_.find(block.height);
        return known != blocks_.end() && known->second.ref != block;
    }
    bool any_above(std::uint32_t height) const {
        return blocks_.upper_bound(height) != blocks_.end();
    }
    /// The height of the highest known block. Empty if no block is known.
    std::optional<std::uint32_t> highest() const {
        if (blocks_.empty()) return std::nullopt;
        return blocks_.rbegin()->first;
    }
    /// The known blocks above `height`, in height order.
    std::vector<chain::BlockRef> above(std::uint32_t height) const {
        std::vector<chain::BlockRef> result;
        for (auto next = blocks_.upper_bound(height); next != blocks_.end(); ++next) {
            result.push_back(next->second.ref);
        }
        return result;
    }
    /// The highest known block below `height`. Empty if there is none.
    std::optional<chain::BlockRef> last_below(std::uint32_t height) const {
        const auto next = blocks_.lower_bound(height);
        if (next == blocks_.begin()) return std::nullopt;
        return std::prev(next)->second.ref;
    }
    /// The time of the highest known block. Empty if no block is known.
    std::optional<std::int64_t> last_time() const {
        if (blocks_.empty()) return std::nullopt;
        return blocks_.rbegin()->second.time;
    }

private:
    std::map<std::uint32_t, LedgerBlock> blocks_;  // by height
};

}  // namespace petal::wallet
