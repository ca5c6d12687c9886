/// A watcher for fuzz targets that knows one script and one transaction of its own.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chain/watcher.h"

namespace petal::fuzz {

class OneElementWatcher : public chain::Watcher {
public:
    static chain::Bytes element() { return chain::Bytes(20, 7); }

    std::vector<chain::Bytes> watched_elements(std::size_t first) const override {
        std::vector<chain::Bytes> elements;
        if (first == 0) elements.push_back(element());
        return elements;
    }
    std::size_t watched_count() const override { return 1; }
    std::vector<chain::Bytes> watched_scripts() const override {
        return {chain::Bytes{0, 20, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}};
    }
    chain::WatchedOutpoints watched_outpoints() const override { return {}; }
    chain::FilterPadding filter_padding() const override { return {{}, 1}; }
    chain::Birthday birthday() const override { return {}; }
    chain::SyncState sync_state() const override { return state_; }
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::StateAfter& state_after) override {
        for (std::size_t i = 1; i < blocks.size(); ++i) {
            assert(blocks[i].block.height > blocks[i - 1].block.height);
        }
        const chain::ApplyResult result{blocks.size(), false, 0};
        state_ = state_after(result);
        return result;
    }
    std::vector<chain::BlockRef> blocks_above(std::uint32_t) const override { return {}; }
    void undo_to(const chain::BlockRef& fork) override { state_.synced = fork; }
    bool apply_unconfirmed(std::span<const chain::UnconfirmedTransaction>,
                           std::span<const chain::PresentSources>,
                           const chain::SyncState& state) override {
        state_ = state;
        return false;
    }
    std::vector<chain::OwnTransaction> own_unconfirmed() const override {
        return {{chain::Transaction{}, std::nullopt}};
    }

private:
    chain::SyncState state_;
};

}  // namespace petal::fuzz
