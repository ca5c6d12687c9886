#include "net/sync/scan.h"

#include <algorithm>
#include <cassert>

namespace petal::net {

namespace {

std::size_t size_of(const chain::ProvenBlock& block) {
    std::size_t bytes = sizeof block;
    for (const auto& proven : block.transactions) {
        bytes += sizeof proven + proven.transaction.weight() / 4;
    }
    return bytes;
}

}  // namespace

Scan::Scan(chain::HeaderChain& chain, chain::Watcher& watcher, std::uint32_t fresh_tweak)
    : chain_(chain), watcher_(watcher) {
    const chain::SyncState state = watcher.sync_state();
    synced_ = state.synced;
    // A memory of another version, or none, costs a filter with false outpoints less: no coin of the
    // watcher's depends on it.
    if (auto memory = decode_engine_memory(state.engine_memory)) {
        memory_ = *std::move(memory);
    } else {
        memory_.tweak = fresh_tweak;
    }
}

bool Scan::align(bool headers_complete) {
    if (aligned_) return true;
    aligned_ = synced_ ? align_known_watcher(headers_complete) : align_new_watcher(headers_complete);
    if (aligned_) first_height_ = next_height_;
    return aligned_;
}

bool Scan::align_new_watcher(bool headers_complete) {
    const chain::Birthday birthday = watcher_.birthday();
    const std::uint32_t tip = chain_.tip().height;
    next_height_ = std::max(next_height_, birthday.height);
    while (next_height_ <= tip && chain_.header_at(next_height_).time < birthday.time) ++next_height_;
    if (next_height_ <= tip) return true;
    if (!headers_complete) return false;
    // Born after the last block: that one alone is shown, so that the watcher's place is on record.
    next_height_ = std::max(tip, std::uint32_t{1});
    return true;
}

bool Scan::align_known_watcher(bool headers_complete) {
    const auto fork = chain_.fork_point(synced_->hash);
    if (!fork && !headers_complete) return false;
    const chain::BlockRef place = fork ? *fork : last_known_block();
    if (place != *synced_) undo_to(place);
    next_height_ = place.height + 1;
    return true;
}

// For a watcher whose headers are lost, and whose last block the chain does not know at all.
chain::BlockRef Scan::last_known_block() const {
    for (const chain::BlockHash& hash : memory_.locator) {
        if (const auto fork = chain_.fork_point(hash)) return *fork;
    }
    return {0, chain_.hash_at(0)};
}

void Scan::on_chain_moved(const chain::ChainMove& move) {
    if (!aligned_ || !move.is_reorganisation()) return;
    drop_held_above(move.fork.height);
    if (synced_ && synced_->height > move.fork.height) undo_to(move.fork);
    next_height_ = std::min(next_height_, move.fork.height + 1);
    highest_taken_ = std::min(highest_taken_, move.fork.height);
    memory_.outpoints.undo_to(move.fork.height);
}

void Scan::undo_to(const chain::BlockRef& fork) {
    watcher_.undo_to(fork);
    memory_.outpoints.undo_to(fork.height);
    synced_ = fork;
}

void Scan::drop_held_above(std::uint32_t height) {
    while (!held_.empty() && held_.back().block.height > height) {
        held_bytes_ -= size_of(held_.back());
        held_.pop_back();
    }
}

std::vector<chain::BlockRef> Scan::take_next(std::size_t max) {
    std::vector<chain::BlockRef> blocks;
    if (!aligned_) return blocks;
    const std::uint32_t tip = chain_.tip().height;
    while (blocks.size() < max && next_height_ <= tip) {
        if (next_height_ <= highest_taken_) ++refetched_;
        blocks.push_back({next_height_, chain_.hash_at(next_height_)});
        ++next_height_;
    }
    if (!blocks.empty()) highest_taken_ = std::max(highest_taken_, blocks.back().height);
    return blocks;
}

void Scan::deliver(Delivery delivery) {
    assert(held_.empty() || held_.back().block.height + 1 == delivery.block.block.height);
    memory_.outpoints.on_block(delivery.block, delivery.inserted);
    held_bytes_ += size_of(delivery.block);
    held_.push_back(std::move(delivery.block));
}

void Scan::rewind() {
    if (!held_.empty()) {
        next_height_ = held_.back().block.height + 1;
    } else if (synced_) {
        next_height_ = synced_->height + 1;
    } else if (aligned_) {
        next_height_ = first_height_;
    }
}

bool Scan::apply() {
    if (held_.empty()) return false;
    memory_.locator = chain_.locator(held_.back().block.height);
    const chain::ApplyResult result = watcher_.apply(held_, memory_.encode());
    assert(result.applied > 0 && (result.grew || result.applied == held_.size()));

    std::size_t transactions = 0;
    for (std::size_t i = 0; i < result.applied; ++i) transactions += held_[i].transactions.size();
    false_positives_ += transactions - result.relevant;

    const chain::BlockRef last = held_[result.applied - 1].block;
    held_.clear();
    held_bytes_ = 0;
    if (!result.grew) {
        synced_ = last;
        return false;
    }
    synced_ = chain::BlockRef{last.height - 1, chain_.hash_at(last.height - 1)};
    next_height_ = last.height;
    return true;
}

bool Scan::complete() const {
    return aligned_ && held_.empty() && next_height_ > chain_.tip().height;
}

std::uint32_t Scan::synced_height() const {
    if (synced_) return synced_->height;
    return first_height_ == 0 ? 0 : first_height_ - 1;
}

}  // namespace petal::net
