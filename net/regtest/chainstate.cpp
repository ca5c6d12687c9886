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
    tip_hash_ = block.header.hash();
    const Entry& entry = blocks_.emplace(tip_hash_, Entry{std::move(block), height}).first->second;
    active_.push_back(&entry);
    times_.add(entry.block.header.time);
    coins_.connect(entry.block.transactions, entry.block.txids, height);
    return entry.block;
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
