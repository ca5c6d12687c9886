#include "net/sync/blocks/scan.h"

#include <algorithm>
#include <utility>

namespace petal::net {

namespace {

// For a watcher whose last block is unknown to the chain. Only locator blocks below `last_height`
// count. A known block at or above `last_height` means that the stored hash of the last block is
// damaged. The scan then starts lower and repairs the hash.
chain::BlockRef last_known_block(const std::vector<chain::BlockHash>& locator,
                                 std::uint32_t last_height, const chain::HeaderChain& chain) {
    for (const chain::BlockHash& hash : locator) {
        const auto fork = chain.fork_point(hash);
        if (fork && fork->height < last_height) return *fork;
    }
    return chain.root();
}

// The watcher may have blocks above the start of the search: it applied them before its list grew,
// or an import has the blocks searched again. Returns the move away from the lowest of these blocks
// that is not on the best chain. Blocks on the best chain stay proven.
std::optional<chain::ChainMove> move_from_disconnected(std::uint32_t height,
                                                       const chain::HeaderChain& chain,
                                                       const chain::Watcher& watcher) {
    for (const chain::BlockRef& block : watcher.blocks_above(height)) {
        if (chain.is_on_best_chain(block.hash)) continue;
        const std::uint32_t last = std::min(block.height - 1, chain.tip().height);
        return chain::ChainMove{block, {last, chain.hash_at(last)}, chain.tip()};
    }
    return std::nullopt;
}

// The requested blocks whose filters may lack an outpoint of this one.
HeightRanges missed_in(const Delivery& delivery, const BlockSchedule& schedule) {
    HeightRanges missed;
    const std::uint32_t height = delivery.block.block.height;
    if (delivery.inserted.empty() || height + 1 >= schedule.next()) return missed;
    missed.add(height + 1, schedule.next() - 1);
    // If another peer was asked for the block, too, its answer may be the first, without these
    // outpoints.
    HeightRanges surely_covered = delivery.covered;
    surely_covered.remove(schedule.requested_from_two());
    missed.remove(surely_covered);
    return missed;
}

}  // namespace

bool Scan::align(bool headers_complete) {
    if (aligned_) return true;
    aligned_ = keeper_.checkpoint().applied ? align_known_watcher(headers_complete)
                                            : align_new_watcher(headers_complete);
    if (!aligned_) return false;
    first_height_ = next_height();
    // Stored before a filter reveals the rate: no later sync may reveal another one unasked.
    keeper_.store_new_rate();
    return true;
}

bool Scan::align_new_watcher(bool headers_complete) {
    const chain::Birthday birthday = watcher_.birthday();
    const std::uint32_t tip = chain_.tip().height;
    std::uint32_t first = std::max({next_height(), birthday.height, chain_.root().height + 1,
                                    chain_.first_height_since(birthday.time)});
    while (first <= tip && chain_.header_at(first).time < birthday.time) ++first;
    // The birthday is after the last block: only that block is shown, so that the watcher's height
    // is stored.
    if (first > tip) {
        if (!headers_complete) return false;
        first = std::max(tip, chain_.root().height + 1);
    }
    // A rescan: filters lack outpoints that were spent long ago, and their spends must be found
    // again.
    keeper_.roll_back_to({first - 1, chain_.hash_at(first - 1)});
    skipped_up_to_ = first - 1;
    start_above(first - 1, headers_complete);
    if (!has_unknown_blocks_) {
        undo_above_ = first - 1;
        undo();
    }
    return true;
}

bool Scan::align_known_watcher(bool headers_complete) {
    const SyncCheckpoint& checkpoint = keeper_.checkpoint();
    const chain::BlockRef& applied = *checkpoint.applied;
    const auto fork = chain_.fork_point(applied.hash);
    // The stored headers are lost. A chain that is shorter than the scanned one is no proof of a
    // reorganisation: its sender may simply have no more headers.
    if (!fork && (!headers_complete || chain_.tip().height < applied.height)) return false;
    chain::BlockRef place =
        fork ? *fork : last_known_block(checkpoint.locator, applied.height, chain_);
    // The stored height or hash is damaged: searching above the lower block mends both.
    if (applied.height < place.height) {
        const std::uint32_t height = std::max(applied.height, chain_.root().height);
        place = {height, chain_.hash_at(height)};
    }
    const std::uint32_t old_height = applied.height;
    keeper_.roll_back_to(place);
    start_above(place.height, headers_complete);
    if (has_unknown_blocks_) {
        keeper_.store_rolled_back({});
    } else if (place.height >= old_height) {
        undo_above_ = place.height;
        undo();
    } else {
        undo_later_above(place.height, old_height);
    }
    return true;
}

void Scan::start_above(std::uint32_t height, bool headers_complete) {
    if (const auto move = move_from_disconnected(height, chain_, watcher_)) {
        has_unknown_blocks_ = !headers_complete && move->old_tip.height > chain_.tip().height;
        keeper_.mark_undone();
    }
    held_.set_applied(height);
    highest_taken_ = height;
    growth_.start_at(height);
    schedule_.start_at(height + 1);
}

std::optional<chain::ChainMove> Scan::take_missed_move() {
    if (!std::exchange(has_unknown_blocks_, false)) return std::nullopt;
    return move_from_disconnected(first_height_ - 1, chain_, watcher_);
}

void Scan::on_chain_moved(const chain::ChainMove& move) {
    if (!aligned_ || !move.is_reorganisation()) return;
    const chain::BlockRef& fork = move.fork;
    held_.drop_above(fork.height);
    keeper_.roll_back_to(fork);
    const bool is_invalid = chain_.exclusion_of(move.old_tip.hash) == chain::Exclusion::invalid;
    undo_later_above(fork.height, move.old_tip.height);
    if (is_invalid) undo();
    held_.set_applied(std::min(held_.applied(), fork.height));
    highest_taken_ = std::min(highest_taken_, fork.height);
    growth_.on_reorganised(fork.height);
    schedule_.restart_at(fork.height + 1);
    disputed_.remove_above(fork.height);
}

void Scan::undo_later_above(std::uint32_t height, std::uint32_t old_height) {
    undo_above_ = std::min(undo_above_.value_or(height), height);
    const bool is_deep = old_height > height + chain::kReorganisationReach;
    if (is_deep || chain_.tip().height <= height) undo();
}

// Below the fork, the chain has the watcher's own blocks, which may be searched again.
bool Scan::new_branch_has_begun() const {
    if (!undo_above_ || held_.lowest_missing() <= *undo_above_ + 1) return false;
    const auto move = move_from_disconnected(*undo_above_, chain_, watcher_);
    if (!move) return held_.lowest_missing() > chain_.tip().height;
    const auto fork = chain_.fork_point(move->old_tip.hash);
    return !fork || held_.lowest_missing() > fork->height + 1;
}

void Scan::undo() {
    const auto height = std::exchange(undo_above_, std::nullopt);
    if (!height) return;
    keeper_.store_rolled_back(held_.searched_again());
    if (const auto move = move_from_disconnected(*height, chain_, watcher_)) {
        watcher_.undo_to(move->fork);
    }
}

std::vector<chain::BlockRef> Scan::blocks_at(const std::vector<std::uint32_t>& heights) {
    std::vector<chain::BlockRef> blocks;
    blocks.reserve(heights.size());
    for (const std::uint32_t height : heights) {
        if (due_in_full_.contains(height)) {
            due_in_full_.remove(height);
        } else if (height <= highest_taken_) {
            ++counts_.refetched_blocks;
        }
        highest_taken_ = std::max(highest_taken_, height);
        blocks.push_back({height, chain_.hash_at(height)});
    }
    return blocks;
}

std::vector<chain::BlockRef> Scan::take(PeerId peer, std::size_t max, std::uint32_t last,
                                        const BlockSchedule::MayTake& may_take, Milliseconds now) {
    if (!aligned_) return {};
    // Open blocks are searched again once, at the end: most of the outputs that they were searched
    // without are then known to be spent elsewhere.
    const bool at_end = held_.applied() >= chain_.tip().height && schedule_.open() == 0;
    const Coverage& coverage = keeper_.checkpoint().coverage;
    if (at_end && !coverage.empty()) {
        HeightRanges again = coverage.open();
        again.remove(disputed_);
        schedule_.add(again);
    }
    const auto highest =
        std::min<std::uint64_t>(chain_.tip().height, growth_.highest_to_request(held_.applied()));
    last = std::min(last, static_cast<std::uint32_t>(highest));
    return blocks_at(schedule_.take(peer, max, held_.last_to_request(last), may_take, now));
}

std::vector<chain::BlockRef> Scan::take_over(const BlockSchedule::Helper& helper, std::size_t max,
                                             Milliseconds now) {
    return blocks_at(schedule_.take_over(helper, max, now));
}

// Blocks that are to be searched again anyway need no dispute.
void Scan::dispute(const HeightRanges& blocks) {
    HeightRanges covered = blocks;
    covered.remove(keeper_.checkpoint().coverage.open());
    disputed_.add(covered);
    keeper_.distrust(blocks, schedule_.next() - 1);
}

void Scan::end_dispute(const HeightRanges& blocks) {
    HeightRanges others = disputed_;
    others.remove(blocks);
    disputed_.remove(others);
    keeper_.trust(disputed_);
    disputed_ = std::move(others);
}

std::vector<chain::Outpoint> Scan::deliver(Delivery delivery) {
    const std::uint32_t height = delivery.block.block.height;
    disputed_.remove(height);
    schedule_.on_arrived(height);
    keeper_.on_served(height, delivery.searched_for);
    return deliver_more(std::move(delivery));
}

std::vector<chain::Outpoint> Scan::deliver_more(Delivery delivery) {
    const std::uint32_t height = delivery.block.block.height;
    if (height > held_.applied() && schedule_.is_awaited(height)) return {};  // it was dropped
    auto found = keeper_.add_found(delivery, missed_in(delivery, schedule_));
    schedule_.add(held_.add(std::move(delivery.block)));
    return found;
}

void Scan::restart() {
    if (!aligned_) return keeper_.on_grown_before_scan();
    keeper_.on_grown();
    if (const auto& applied = keeper_.checkpoint().applied) held_.set_applied(applied->height);
    held_.drop_above(held_.applied());
    schedule_.restart_at(next_height());
    disputed_.remove_above(held_.applied());
}

Scan::Applied Scan::apply() {
    // Until it is aligned, the checkpoint may be above the chain.
    if (!aligned_) return {};
    const bool has_news = !undo_above_ && keeper_.has_news();
    if (held_.ready() == 0 && !has_news) return {};
    if (new_branch_has_begun()) undo();
    const auto blocks = held_.take_ready();
    const std::uint32_t lowest_open = schedule_.lowest_open().value_or(schedule_.next());
    const auto result = keeper_.apply(blocks, held_.applied(), lowest_open);

    std::size_t transactions = 0;
    for (std::size_t i = 0; i < result.applied; ++i) transactions += blocks[i].transactions.size();
    counts_.false_positives += transactions - result.relevant;

    if (const auto& applied = keeper_.checkpoint().applied) held_.set_applied(applied->height);
    if (result.grew) {
        growth_.on_grown(held_.applied());
        held_.drop_above(held_.applied());
        schedule_.restart_at(next_height());
        disputed_.remove_above(held_.applied());
    }
    keeper_.forget_irrelevant(held_);
    Applied applied{result.grew, result.invalid_blocks};
    // Above the synced block, the watcher may know blocks that have left the chain.
    std::erase_if(applied.invalid_blocks, [this](const chain::InvalidBlock& invalid) {
        return !chain_.is_on_best_chain(invalid.block.hash) ||
               !chain_.is_on_best_chain(invalid.earlier_block.hash);
    });
    return applied;
}

bool Scan::complete() const {
    const SyncCheckpoint& checkpoint = keeper_.checkpoint();
    return aligned_ && held_.empty() && held_.applied() >= chain_.tip().height &&
           schedule_.open() == 0 && checkpoint.coverage.empty() &&
           checkpoint.covered == checkpoint.applied;
}

bool Scan::is_complete_but_for_disputes() const {
    const bool has_all = held_.empty() && held_.applied() >= chain_.tip().height;
    if (!aligned_ || !has_all || schedule_.open() > 0) return false;
    return !keeper_.checkpoint().coverage.open().lowest_not_in(disputed_);
}

std::uint64_t Scan::scanned_blocks() const {
    if (!aligned_) return 0;
    const std::uint64_t handed_out = schedule_.next() - std::min(first_height_, schedule_.next());
    return handed_out - std::min<std::uint64_t>(handed_out, schedule_.open());
}

std::uint32_t Scan::served_height() const {
    std::uint32_t served = 0;
    if (aligned_) {
        served = std::min(held_.lowest_missing() - 1, chain_.tip().height);
    } else if (const auto& applied = keeper_.checkpoint().applied) {
        const auto fork = chain_.fork_point(applied->hash);
        if (fork) served = fork->height;
    }
    return served > skipped_up_to_ ? std::max(served, chain_.root().height) : chain_.root().height;
}

std::uint32_t Scan::synced_height() const {
    if (const auto& covered = keeper_.checkpoint().covered) return covered->height;
    return first_height_ == 0 ? 0 : first_height_ - 1;
}

}  // namespace petal::net
