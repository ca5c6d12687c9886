#include "net/sync/blocks/checkpoint_keeper.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>
#include <utility>

#include "net/sync/filters/privacy.h"

namespace petal::net {

CheckpointKeeper::CheckpointKeeper(const chain::HeaderChain& chain, chain::Watcher& watcher,
                                   std::optional<double> rate, std::size_t bytes)
    : chain_(chain), watcher_(watcher), base_(watcher, bytes), unconfirmed_(checkpoint_, base_) {
    const chain::SyncState state = watcher.sync_state();
    static_cast<void>(watcher.take_unsearched_from());  // the state accounts for it
    // Without a usable checkpoint, the filter lacks the outpoints of false positives, and blocks
    // above the covered height are searched again. No coin of the watcher is missed.
    checkpoint_.rate = rate_of(Privacy::fast);
    if (auto stored = decode_sync_checkpoint(state.sync_checkpoint)) {
        checkpoint_ = *std::move(stored);
    }
    has_new_rate_ = rate.value_or(checkpoint_.rate) != checkpoint_.rate;
    checkpoint_.rate = rate.value_or(checkpoint_.rate);
    base_.set_rate(checkpoint_.rate);
    // Blocks were undone, or the list has grown since: only the watcher's own state is reliable.
    const bool grew = checkpoint_.watched_elements != watcher.watched_count();
    if (state.synced != checkpoint_.covered || grew) rely_on(state.synced);
    checkpoint_.uncompared.remove_above(checkpoint_.applied ? checkpoint_.applied->height : 0);
    HeightRanges unsearched;
    unsearched.add(0, chain_.root().height);
    checkpoint_.uncompared.remove(unsearched);
}

void CheckpointKeeper::rely_on(const std::optional<chain::BlockRef>& synced) {
    checkpoint_.applied = synced;
    checkpoint_.covered = synced;
    checkpoint_.coverage = {};
    mark_undone();
}

std::vector<chain::Outpoint> CheckpointKeeper::add_found(const Delivery& delivery,
                                                         const HeightRanges& missed) {
    std::vector<chain::Outpoint> found;
    if (delivery.inserted.empty()) return found;
    std::vector<MatchedOutput> unknown;
    const std::uint32_t height = delivery.block.block.height;
    for (const MatchedOutput& output : matched_by_base(delivery)) {
        const chain::Outpoint& outpoint = output.outpoint;
        const auto spent_at = checkpoint_.outpoints.forget_unexplained_spend(outpoint, height);
        if (!checkpoint_.outpoints.add(output) && !spent_at) continue;
        HeightRanges of_spend;
        if (spent_at) of_spend.add(*spent_at);
        checkpoint_.coverage.add_found(outpoint, height, spent_at ? of_spend : missed);
        found.push_back(outpoint);
        if (checkpoint_.unconfirmed.find(outpoint.txid) == nullptr) unknown.push_back(output);
    }
    unconfirmed_.add_found_outputs(unknown);
    return found;
}

// An output that matches only through outpoints the server inserted is a false positive.
// Re-inserting its outpoint would saturate the filter and make it depend on which peers served
// which blocks.
std::vector<MatchedOutput> CheckpointKeeper::matched_by_base(const Delivery& delivery) {
    const std::unordered_set<chain::Outpoint> inserted(delivery.inserted.begin(),
                                                       delivery.inserted.end());
    std::vector<MatchedOutput> matched;
    for (const chain::ProvenTransaction& proven : delivery.block.transactions) {
        for (const MatchedOutput& coin : base_.coins_of(proven.transaction, proven.txid)) {
            if (inserted.contains(coin.outpoint)) matched.push_back(coin);
        }
    }
    return matched;
}

void CheckpointKeeper::distrust(const HeightRanges& blocks, std::uint32_t last) {
    checkpoint_.coverage.distrust(blocks);
    checkpoint_.coverage.drop_above(last);
}

void CheckpointKeeper::roll_back_to(const chain::BlockRef& block) {
    checkpoint_.undo_to(block.height);
    if (!checkpoint_.applied || checkpoint_.applied->height <= block.height) return;
    mark_undone();
    checkpoint_.applied = block;
    checkpoint_.covered = covered_by(checkpoint_.coverage);
    is_rolled_back_ = true;
}

void CheckpointKeeper::store_rolled_back(const HeightRanges& searched_again) {
    if (std::exchange(is_rolled_back_, false)) store(searched_again);
}

chain::ApplyResult CheckpointKeeper::apply(std::span<const chain::ProvenBlock> blocks,
                                           std::uint32_t applied_height,
                                           std::uint32_t lowest_in_flight) {
    // Before the watcher reads changes by other processes, for which nothing was searched.
    checkpoint_.watched_elements = base_.watched_elements();
    const auto result = watcher_.apply(blocks, [&](const chain::ApplyResult& taken) {
        assert(taken.grew ? taken.applied > 0 : taken.applied == blocks.size());
        // A block that made the list grow is searched again.
        const auto searched = blocks.first(taken.grew ? taken.applied - 1 : taken.applied);
        remember(searched, applied_height, lowest_in_flight);
        has_compared_ = has_compared_ && taken.grew;  // if the list grew, this state is not stored
        return chain::SyncState{checkpoint_.covered, checkpoint_.encode()};
    });
    if (!result.grew) return result;
    // A block that is searched again may lie below others that the checkpoint counts as applied.
    start_again_above(blocks[result.applied - 1].block.height - 1);
    on_grown();
    return result;
}

void CheckpointKeeper::on_grown() {
    base_.on_grown();
    const auto unsearched_from = watcher_.take_unsearched_from();
    if (!unsearched_from || !checkpoint_.applied) return;
    const std::uint32_t below = std::max(*unsearched_from, chain_.root().height + 1) - 1;
    if (below < checkpoint_.applied->height) start_again_above(below);
}

void CheckpointKeeper::on_grown_before_scan() {
    base_.on_grown();
    rely_on(watcher_.sync_state().synced);
    static_cast<void>(watcher_.take_unsearched_from());
    if (!false_positives_from_) return;
    checkpoint_.without_false_positives_from = false_positives_from_;
    search_again_for_false_positives();
}

void CheckpointKeeper::start_again_above(std::uint32_t height) {
    checkpoint_.applied = chain::BlockRef{height, chain_.hash_at(height)};
    checkpoint_.undo_to(height);
    mark_undone();
    checkpoint_.covered = covered_by(checkpoint_.coverage);
}

// `applied_height` is the height before these blocks were applied. A block that is searched again
// may be below this height. A later block may make the watch list grow.
void CheckpointKeeper::remember(std::span<const chain::ProvenBlock> blocks,
                                std::uint32_t applied_height, std::uint32_t lowest_in_flight) {
    const std::uint32_t tip = chain_.tip().height;
    checkpoint_.unconfirmed.forget_settled(applied_height);
    for (const chain::ProvenBlock& block : blocks) {
        checkpoint_.outpoints.on_block(block, std::max(applied_height, block.block.height));
        // No reorganisation makes the transactions of a deep block unconfirmed.
        const bool is_deep = block.block.height + chain::kReorganisationReach <= tip;
        if (!is_deep) unconfirmed_.remember_confirmed(block);
        checkpoint_.unconfirmed.on_block(block);
        for (const chain::ProvenTransaction& proven : block.transactions) {
            for (const auto& input : proven.transaction.inputs) {
                checkpoint_.coverage.on_spent(input.prevout, block.block.height);
            }
        }
    }
    checkpoint_.coverage.forget_spent(tip - std::min(tip, chain::kReorganisationReach));
    checkpoint_.unconfirmed.keep_last_confirmed();
    if (!blocks.empty() && blocks.back().block.height > applied_height) {
        checkpoint_.applied = blocks.back().block;
        checkpoint_.locator = chain_.locator(checkpoint_.applied->height);
    }
    checkpoint_.covered = covered_by(checkpoint_.coverage);
    // Outpoints above the lowest block in flight stay: otherwise that block would add a forgotten
    // one again as unspent.
    if (checkpoint_.covered) {
        checkpoint_.outpoints.forget_settled_below(
            std::min({checkpoint_.covered->height, lowest_in_flight - 1, applied_height}));
    }
}

std::optional<chain::BlockRef> CheckpointKeeper::covered_by(const Coverage& coverage) const {
    if (!checkpoint_.applied) return std::nullopt;
    const auto open = coverage.open().lowest();
    if (!open || *open > checkpoint_.applied->height) return checkpoint_.applied;
    return chain::BlockRef{*open - 1, chain_.hash_at(*open - 1)};
}

void CheckpointKeeper::store_new_rate() {
    if (std::exchange(has_new_rate_, false) && checkpoint_.applied) store({});
}

CheckpointKeeper::StoredUnconfirmed CheckpointKeeper::store_unconfirmed(
    std::span<const chain::PresentSources> sources, const HeightRanges& searched_again) {
    auto [transactions, found] = unconfirmed_.take_batch();
    return {std::move(found),
            watcher_.apply_unconfirmed(transactions, sources, state_to_store(searched_again))};
}

void CheckpointKeeper::forget_undone(const HeightRanges& searched_again) {
    checkpoint_.may_have_undone = false;
    checkpoint_.unconfirmed.forget_undone();
    if (!checkpoint_.applied) return;  // no block was ever searched
    watcher_.forget_undone(state_to_store(searched_again));
}

void CheckpointKeeper::mark_without_false_positives(std::uint32_t height) {
    auto& from = checkpoint_.without_false_positives_from;
    from = std::min(from.value_or(height), height);
}

void CheckpointKeeper::mark_uncompared(const HeightRanges& blocks) {
    if (blocks.empty()) return;
    checkpoint_.uncompared.add(blocks);
    has_compared_ = true;
}

void CheckpointKeeper::mark_compared(const HeightRanges& blocks) {
    if (blocks.empty()) return;
    checkpoint_.uncompared.remove(blocks);
    has_compared_ = true;
}

void CheckpointKeeper::mark_compared(std::uint32_t height) {
    if (!checkpoint_.uncompared.contains(height)) return;
    checkpoint_.uncompared.remove(height);
    has_compared_ = true;
}

void CheckpointKeeper::search_again_for_false_positives() {
    const auto from = std::exchange(checkpoint_.without_false_positives_from, std::nullopt);
    false_positives_from_ = from;
    if (!from || !checkpoint_.applied || *from > checkpoint_.applied->height) return;
    const std::uint32_t below = std::max(*from, chain_.root().height + 1) - 1;
    again_from_ = below + 1;
    if (below <= chain_.tip().height) {
        start_again_above(below);
    } else {
        rely_on(std::nullopt);  // the stored headers are lost
    }
    // The next filter would hold their outpoints. The blocks that have them are searched again.
    checkpoint_.unconfirmed.forget_undone();
}

// Applies no block. Blocks that are held for the next batch are stored as still to be searched, in
// case the process ends now.
void CheckpointKeeper::store(const HeightRanges& searched_again) {
    watcher_.apply({}, state_to_store(searched_again));
}

chain::SyncState CheckpointKeeper::state_to_store(const HeightRanges& searched_again) {
    SyncCheckpoint stored = checkpoint_;
    stored.coverage.distrust(searched_again);
    checkpoint_.covered = stored.covered = covered_by(stored.coverage);
    has_compared_ = false;
    return {stored.covered, stored.encode()};
}

// Only the watcher knows which of the outpoints are its own.
void CheckpointKeeper::forget_irrelevant(const HeldBlocks& held) {
    auto& outpoints = checkpoint_.outpoints;
    const bool too_many = outpoints.is_full() || outpoints.has_too_many_settled();
    if (checkpoint_.coverage.empty() && !too_many) return;
    const auto [confirmed, unconfirmed] = watcher_.watched_outpoints();
    std::unordered_set<chain::Outpoint> relevant(confirmed.begin(), confirmed.end());
    relevant.insert(unconfirmed.begin(), unconfirmed.end());
    checkpoint_.coverage.keep_only(relevant, held.applied());
    if (!too_many) return;
    // The watcher does not know yet which outputs of these blocks are its own.
    for (const auto& [height, block] : held.blocks()) {
        for (const chain::ProvenTransaction& proven : block.transactions) {
            for (std::uint32_t i = 0; i < proven.transaction.outputs.size(); ++i)
                relevant.insert({proven.txid, i});
        }
    }
    if (outpoints.has_too_many_settled()) outpoints.keep_settled(relevant);
    if (outpoints.is_full()) outpoints.keep_only(relevant);
}

}  // namespace petal::net
