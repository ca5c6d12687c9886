#include "wallet/ledger/spend_index.h"

#include <algorithm>

#include "wallet/ledger/ledger_transaction.h"

namespace petal::wallet {

using chain::Outpoint;
using chain::Txid;

namespace {

const SpendIndex::Transactions kNoTransactions;

template <typename Map, typename Key>
const SpendIndex::Transactions& transactions_at(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? kNoTransactions : found->second;
}

template <typename Map, typename Key>
void erase_transaction(Map& map, const Key& key, const LedgerTransaction* transaction) {
    const auto found = map.find(key);
    if (found == map.end()) return;
    std::erase(found->second, transaction);
    if (found->second.empty()) map.erase(found);
}

}  // namespace

void SpendIndex::add(const LedgerTransaction& transaction) {
    if (transaction.placement) {
        for (const Outpoint& input : transaction.inputs) {
            const bool is_first = confirmed_.emplace(input, &transaction).second;
            if (!is_first) also_confirmed_.emplace(input, &transaction);
            update_contested(input);
        }
        return;
    }
    if (transaction.is_orphaned()) orphaned_coinbases_.insert(&transaction);
    for (const Outpoint& input : transaction.inputs) {
        unconfirmed_[input].push_back(&transaction);
        update_contested(input);
        // A child may spend several outputs of its parent.
        Transactions& children = children_[input.txid];
        if (children.empty() || children.back() != &transaction) children.push_back(&transaction);
    }
}

void SpendIndex::remove(const LedgerTransaction& transaction) {
    orphaned_coinbases_.erase(&transaction);
    for (const Outpoint& input : transaction.inputs) {
        if (transaction.placement) {
            remove_confirmed(input, &transaction);
        } else {
            erase_transaction(unconfirmed_, input, &transaction);
            erase_transaction(children_, input.txid, &transaction);
        }
        update_contested(input);
    }
}

const LedgerTransaction* SpendIndex::confirmed_spender(const Outpoint& outpoint) const {
    const auto found = confirmed_.find(outpoint);
    return found == confirmed_.end() ? nullptr : found->second;
}

const SpendIndex::Transactions& SpendIndex::unconfirmed_spenders(const Outpoint& outpoint) const {
    return transactions_at(unconfirmed_, outpoint);
}

const SpendIndex::Transactions& SpendIndex::unconfirmed_children(const Txid& txid) const {
    return transactions_at(children_, txid);
}

bool SpendIndex::is_contested(const LedgerTransaction& transaction) const {
    return std::ranges::any_of(
        transaction.inputs, [this](const Outpoint& input) { return contested_.contains(input); });
}

SpendIndex::Transactions SpendIndex::contenders() const {
    Transactions result(orphaned_coinbases_.begin(), orphaned_coinbases_.end());
    std::unordered_set<const LedgerTransaction*> found = orphaned_coinbases_;
    const auto collect = [&](const Transactions& transactions) {
        for (const LedgerTransaction* transaction : transactions) {
            if (found.insert(transaction).second) result.push_back(transaction);
        }
    };
    for (const Outpoint& outpoint : contested_) collect(unconfirmed_spenders(outpoint));
    for (std::size_t i = 0; i < result.size(); ++i) collect(unconfirmed_children(result[i]->txid));
    std::ranges::sort(result, {}, &LedgerTransaction::seen_order);
    return result;
}

void SpendIndex::remove_confirmed(const Outpoint& outpoint, const LedgerTransaction* transaction) {
    const auto first = confirmed_.find(outpoint);
    const auto [others, end] = also_confirmed_.equal_range(outpoint);
    if (first->second != transaction) {
        also_confirmed_.erase(std::find_if(
            others, end, [&](const auto& item) { return item.second == transaction; }));
    } else if (others != end) {
        first->second = others->second;
        also_confirmed_.erase(others);
    } else {
        confirmed_.erase(first);
    }
}

void SpendIndex::update_contested(const Outpoint& outpoint) {
    const std::size_t unconfirmed = unconfirmed_spenders(outpoint).size();
    if (unconfirmed > 1 || (unconfirmed == 1 && confirmed_.contains(outpoint))) {
        contested_.insert(outpoint);
    } else {
        contested_.erase(outpoint);
    }
}

}  // namespace petal::wallet
