#include "net/regtest/chain/orphan_pool.h"

#include <algorithm>
#include <iterator>

namespace petal::net {

OrphanPool::Outcome OrphanPool::offer(const chain::Transaction& transaction,
                                      const MempoolPolicy& policy) {
    const auto taken = chain_.offer(transaction, policy);
    if (!taken) {
        if (taken.error().reason != RejectReason::missing_input) return {};
        keep(transaction);
        return {false, missing_parents_of(transaction)};
    }
    std::vector<chain::Txid> accepted{*taken};
    while (!accepted.empty()) {
        const chain::Txid parent = accepted.back();
        accepted.pop_back();
        for (const auto& child : take_children_of(parent)) {
            const auto result = chain_.offer(child, policy);
            if (result) {
                accepted.push_back(*result);
            } else if (result.error().reason == RejectReason::missing_input) {
                keep(child);  // another parent of it is missing
            }
        }
    }
    return {true, {}};
}

std::vector<chain::Txid> OrphanPool::missing_parents_of(
    const chain::Transaction& transaction) const {
    std::vector<chain::Txid> parents;
    for (const auto& input : transaction.inputs) {
        const chain::Txid& parent = input.prevout.txid;
        const bool is_missing = chain_.mempool().layer().output(input.prevout) == nullptr &&
                                !chain_.mempool().find(parent);
        const bool is_new = std::ranges::find(parents, parent) == parents.end();
        if (is_missing && is_new) parents.push_back(parent);
    }
    return parents;
}

void OrphanPool::keep(const chain::Transaction& transaction) {
    const std::size_t weight = transaction.weight();
    const bool is_there = std::ranges::find(orphans_, transaction) != orphans_.end();
    if (is_there || weight > kMaxWeight) return;
    while (orphans_.size() >= kMaxOrphans || weight_ + weight > kMaxWeight) {
        weight_ -= orphans_.front().weight();
        orphans_.pop_front();
    }
    weight_ += weight;
    orphans_.push_back(transaction);
}

/// They are in the pool no longer.
std::vector<chain::Transaction> OrphanPool::take_children_of(const chain::Txid& txid) {
    const auto is_other = [&txid](const chain::Transaction& orphan) {
        return std::ranges::none_of(
            orphan.inputs, [&txid](const auto& input) { return input.prevout.txid == txid; });
    };
    const auto first = std::stable_partition(orphans_.begin(), orphans_.end(), is_other);
    std::vector<chain::Transaction> children(std::make_move_iterator(first),
                                             std::make_move_iterator(orphans_.end()));
    orphans_.erase(first, orphans_.end());
    for (const auto& child : children) weight_ -= child.weight();
    return children;
}

}  // namespace petal::net
