#include "net/regtest/chainstate.h"

#include <utility>

namespace petal::net {

Chainstate::Chainstate(Block genesis) {
    times_.add(genesis.header.time);
    tip_hash_ = genesis.header.hash();
    const auto entry = blocks_.emplace(tip_hash_, Entry{std::move(genesis), 0}).first;
    active_.push_back(&entry->second);
}

const Chainstate::Entry* Chainstate::find(const chain::BlockHash& hash) const {
    const auto found = blocks_.find(hash);
    return found == blocks_.end() ? nullptr : &found->second;
}

bool Chainstate::is_active(const Entry& entry) const {
    return entry.height < active_.size() && active_[entry.height] == &entry;
}

const Block& Chainstate::connect(Block block) {
    const std::uint32_t height = next_height();
    const auto hash = block.header.hash();
    Entry connected{std::move(block), height, blocks_.size()};
    const Entry& entry = blocks_.emplace(hash, std::move(connected)).first->second;
    put_on_tip(entry);
    return entry.block;
}

void Chainstate::reconnect(const Entry& entry) {
    put_on_tip(entry);
}

void Chainstate::put_on_tip(const Entry& entry) {
    tip_hash_ = entry.block.header.hash();
    active_.push_back(&entry);
    times_.add(entry.block.header.time);
    coins_.connect(entry.block.transactions, entry.block.txids, entry.height);
}

void Chainstate::unmark(const Entry& entry) {
    const auto is_on_line = [&](const chain::BlockHash& hash) {
        const Entry* high = find(hash);
        const Entry* low = &entry;
        if (high->height < low->height) std::swap(high, low);
        while (high->height > low->height) high = &parent(*high);
        return high == low;
    };
    std::erase_if(invalid_, is_on_line);
}

bool Chainstate::is_marked(const Entry& entry) const {
    const Entry* at = &entry;
    while (!is_active(*at) || at->height > 0) {
        if (invalid_.contains(at->block.header.hash())) return true;
        at = &parent(*at);
    }
    return false;
}

const Chainstate::Entry& Chainstate::best_tip() const {
    const Entry* best = active_.front();
    for (const auto& [hash, entry] : blocks_) {
        const bool is_better = entry.height > best->height ||
                               (entry.height == best->height && entry.order < best->order);
        if (is_better && !is_marked(entry)) best = &entry;
    }
    return *best;
}

const Chainstate::Entry& Chainstate::fork_point(const Entry& entry) const {
    const Entry* at = &entry;
    while (!is_active(*at)) at = &parent(*at);
    return *at;
}

/// The coins are counted anew from the first block on, which saves every block from remembering
/// what it spent.
std::vector<chain::Transaction> Chainstate::disconnect_down_to(std::uint32_t height) {
    std::vector<chain::Transaction> dropped;
    for (std::uint32_t above = height + 1; above < active_.size(); ++above) {
        const auto& transactions = at(above).block.transactions;
        dropped.insert(dropped.end(), transactions.begin() + 1, transactions.end());
    }
    active_.resize(height + 1);
    times_.truncate(height);
    tip_hash_ = tip().block.header.hash();
    coins_.clear();
    for (std::uint32_t below = 1; below <= height; ++below) {
        coins_.connect(at(below).block.transactions, at(below).block.txids, below);
    }
    return dropped;
}

}  // namespace petal::net
