#include "regtest/mempool/regtest_mempool.h"

#include <algorithm>
#include <iterator>

#include "regtest/mempool/standard_policy.h"
#include "regtest/mempool/truc.h"

namespace petal::regtest {

chain::Expected<void, RejectReason> RegtestMempool::submit(chain::Transaction transaction,
                                                           const chain::Txid& txid,
                                                           const MempoolArrival& arrival) {
    const auto fee = layer_.check(transaction, TransactionLayer::Conflicts::ignored);
    if (!fee) return chain::Unexpected(fee.error());
    const Positions evicted = with_descendants(replaced_by(transaction));
    for (const std::size_t parent : parents_of(transaction)) {
        if (evicted.contains(parent)) return chain::Unexpected(RejectReason::missing_input);
    }
    remove(evicted);
    append_new(std::move(transaction), txid, *fee, arrival);
    return {};
}

RegtestMempool RegtestMempool::revalidated(TransactionLayer empty_layer,
                                           std::vector<chain::Transaction> returned,
                                           const MempoolArrival& now, const Judge& may_return,
                                           const Judge& may_stay) && {
    RegtestMempool result(std::move(empty_layer));
    for (auto& transaction : returned) {
        const MempoolEntry entry{transaction.txid(), 0, now, 0, 0};
        if (!may_return(result, transaction, entry)) continue;
        const auto fee = result.layer_.check(transaction);
        if (fee) result.append_new(std::move(transaction), entry.txid, *fee, now);
    }
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
        auto& transaction = transactions_[i];
        if (!returned.empty() && !may_stay(result, transaction, entries_[i])) continue;
        // A transaction that a block confirmed is invalid, too: its inputs are spent.
        const bool is_valid = result.layer_.check(transaction).has_value();
        if (is_valid) result.append(std::move(transaction), entries_[i]);
    }
    return result;
}

std::optional<std::size_t> RegtestMempool::find(const chain::Txid& txid) const {
    const auto found = positions_.find(txid);
    if (found == positions_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::size_t> RegtestMempool::find(const chain::Wtxid& wtxid) const {
    const auto found = positions_by_wtxid_.find(wtxid);
    if (found == positions_by_wtxid_.end()) return std::nullopt;
    return found->second;
}

const chain::Transaction* RegtestMempool::transaction(const chain::Txid& txid) const {
    const auto position = find(txid);
    return position ? &transactions_[*position] : nullptr;
}

void RegtestMempool::drop(const chain::Txid& txid) {
    if (const auto position = find(txid)) remove(with_descendants({*position}));
}

void RegtestMempool::remove(const Positions& positions) {
    if (positions.empty()) return;
    std::size_t end = 0;  // end of the remaining transactions
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
        const MempoolEntry& entry = entries_[i];
        if (positions.contains(i)) {
            totals_.fee -= entry.fee;
            totals_.size -= entry.size;
            totals_.bytes -= entry.bytes;
            layer_.remove(transactions_[i], entry.txid);
            positions_.erase(entry.txid);
            positions_by_wtxid_.erase(entry.wtxid);
            continue;
        }
        if (end != i) {
            positions_[entry.txid] = end;
            positions_by_wtxid_[entry.wtxid] = end;
            transactions_[end] = std::move(transactions_[i]);
            entries_[end] = entry;
        }
        ++end;
    }
    transactions_.resize(end);
    entries_.resize(end);
}

void RegtestMempool::append_new(chain::Transaction transaction, const chain::Txid& txid,
                                chain::Satoshis fee, const MempoolArrival& arrival) {
    const auto sigops = sigop_cost(transaction, layer_.spent_outputs(transaction));
    const MempoolEntry entry{txid,
                             fee,
                             arrival,
                             relayed_size(transaction, sigops),
                             sigops,
                             transaction.wtxid(),
                             transaction.total_size()};
    append(std::move(transaction), entry);
}

void RegtestMempool::append(chain::Transaction transaction, const MempoolEntry& entry) {
    totals_.fee += entry.fee;
    totals_.size += entry.size;
    totals_.bytes += entry.bytes;
    layer_.add(transaction, entry.txid);
    positions_.emplace(entry.txid, transactions_.size());
    positions_by_wtxid_.emplace(entry.wtxid, transactions_.size());
    entries_.push_back(entry);
    transactions_.push_back(std::move(transaction));
}

void RegtestMempool::add_children(std::size_t position, std::vector<std::size_t>& found) const {
    const auto count = static_cast<std::uint32_t>(transactions_[position].outputs.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto* const spender = layer_.spender({entries_[position].txid, i});
        if (spender != nullptr) found.push_back(*find(*spender));
    }
}

RegtestMempool::Positions RegtestMempool::with_descendants(Positions positions) const {
    std::vector<std::size_t> open(positions.begin(), positions.end());
    while (!open.empty()) {
        const std::size_t position = open.back();
        open.pop_back();
        std::vector<std::size_t> children;
        add_children(position, children);
        for (const std::size_t child : children) {
            if (positions.insert(child).second) open.push_back(child);
        }
    }
    return positions;
}

RegtestMempool::Positions RegtestMempool::with_ancestors(Positions positions) const {
    std::vector<std::size_t> open(positions.begin(), positions.end());
    while (!open.empty()) {
        const auto& transaction = transactions_[open.back()];
        open.pop_back();
        for (const std::size_t parent : parents_of(transaction)) {
            if (positions.insert(parent).second) open.push_back(parent);
        }
    }
    return positions;
}

RegtestMempool::Positions RegtestMempool::parents_of(const chain::Transaction& transaction) const {
    Positions parents;
    for (const auto& input : transaction.inputs) {
        if (const auto parent = find(input.prevout.txid)) parents.insert(*parent);
    }
    return parents;
}

RegtestMempool::Positions RegtestMempool::conflicts_of(
    const chain::Transaction& transaction) const {
    Positions conflicts;
    for (const auto& input : transaction.inputs) {
        const auto* const spender = layer_.spender(input.prevout);
        if (spender != nullptr) conflicts.insert(*find(*spender));
    }
    return conflicts;
}

RegtestMempool::Positions RegtestMempool::connected_with(const Positions& positions,
                                                         const Positions& without) const {
    Positions connected;
    std::vector<std::size_t> open(positions.begin(), positions.end());
    while (!open.empty()) {
        const std::size_t position = open.back();
        open.pop_back();
        if (without.contains(position) || !connected.insert(position).second) continue;
        std::ranges::copy(parents_of(transactions_[position]), std::back_inserter(open));
        add_children(position, open);
    }
    return connected;
}

RegtestMempool::Positions RegtestMempool::replaced_by(const chain::Transaction& transaction) const {
    Positions replaced = conflicts_of(transaction);
    if (const auto sibling = truc_sibling(*this, transaction)) replaced.insert(*sibling);
    return replaced;
}

}  // namespace petal::regtest
