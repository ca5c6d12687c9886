#include "wallet/ledger/ledger.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "wallet/ledger/conflicts.h"

namespace petal::wallet {

using chain::Outpoint;
using chain::Txid;

void Ledger::reserve(std::size_t transactions) {
    by_txid_.reserve(transactions);
    spends_.reserve(transactions);
}

bool Ledger::restore(const LedgerBlock& block) {
    return blocks_.add(block);
}

bool Ledger::restore(LedgerTransaction transaction) {
    if (transaction.seen_order < next_order_) return false;
    if (transaction.placement && !blocks_.contains(transaction.placement->height)) return false;
    const LedgerTransaction* const added = add(std::move(transaction));
    if (added == nullptr) return false;
    next_order_ = added->seen_order + 1;
    return true;
}

bool Ledger::touches(const chain::Transaction& transaction) const {
    return std::ranges::any_of(transaction.inputs, [this](const auto& input) {
        return credit(input.prevout) != nullptr ||
               !spends_.unconfirmed_spenders(input.prevout).empty();
    });
}

const LedgerTransaction* Ledger::find(const Txid& txid) const {
    return find_stored(txid);
}

const LedgerTransaction* Ledger::confirm(LedgerTransaction transaction, const LedgerBlock& block,
                                         std::uint32_t position) {
    assert(!blocks_.contradict(block.ref));
    const Placement placement{block.ref.height, position};
    LedgerTransaction* const known = find_stored(transaction.txid);
    if (known != nullptr && known->placement == placement) return nullptr;

    blocks_.add(block);
    transaction.placement = placement;
    // Its block is its last sight: if a reorganisation removes it from the chain, it precedes the
    // transactions that it had replaced.
    transaction.seen_order = next_order_++;
    if (known == nullptr) {
        transaction.seen_time = block.time;
        return add(std::move(transaction));
    }
    take_out_of_indexes(*known);
    known->placement = placement;
    known->seen_order = transaction.seen_order;
    known->stored_bytes = transaction.stored_bytes;
    put_into_indexes(*known);
    return known;
}

const LedgerTransaction* Ledger::see(LedgerTransaction transaction) {
    if (transaction.coinbase || has_confirmed_rival(transaction)) return nullptr;
    LedgerTransaction* const known = find_stored(transaction.txid);
    if (known == nullptr) {
        transaction.seen_order = next_order_++;
        transaction.placement.reset();
        return add(std::move(transaction));
    }
    if (known->placement) return nullptr;
    const Conflicts conflicts = find_conflicts(*this);
    if (!conflicts.contains(known->txid)) return nullptr;
    // A peer may go on sending a payment that was replaced; the user may want it.
    if (!transaction.announced && is_outbid(*this, *known, conflicts)) return nullptr;
    take_out_of_indexes(*known);
    known->seen_order = next_order_++;
    put_into_indexes(*known);
    return known;
}

void Ledger::set_announced(const Txid& txid) {
    LedgerTransaction& stored = *by_txid_.at(txid);
    take_out_of_indexes(stored);
    stored.announced = true;
    put_into_indexes(stored);
}

void Ledger::forget(const Txid& txid) {
    const auto known = by_txid_.find(txid);
    assert(known != by_txid_.end() && !known->second->placement);
    take_out_of_indexes(*known->second);
    transactions_.erase(known->second);
    by_txid_.erase(known);
}

void Ledger::set_credits(const Txid& txid, std::vector<Credit> credits) {
    by_txid_.at(txid)->credits = std::move(credits);
}

void Ledger::undo_to(std::uint32_t height) {
    for (LedgerTransaction& transaction : transactions_) {
        if (!transaction.placement || transaction.placement->height <= height) continue;
        const std::int64_t block_time = blocks_.at(transaction.placement->height).time;
        take_out_of_indexes(transaction);
        transaction.placement.reset();
        transaction.seen_time = std::max(transaction.seen_time, block_time);
        put_into_indexes(transaction);
    }
    blocks_.drop_above(height);
}

LedgerTransaction* Ledger::find_stored(const Txid& txid) const {
    const auto found = by_txid_.find(txid);
    return found == by_txid_.end() ? nullptr : &*found->second;
}

/// Null for a known transaction.
LedgerTransaction* Ledger::add(LedgerTransaction transaction) {
    const auto place = transactions_.insert(transactions_.end(), std::move(transaction));
    if (!by_txid_.try_emplace(place->txid, place).second) {
        transactions_.erase(place);
        return nullptr;
    }
    put_into_indexes(*place);
    return &*place;
}

void Ledger::put_into_indexes(LedgerTransaction& transaction) {
    spends_.add(transaction);
    if (transaction.placement) return;
    unconfirmed_.emplace(transaction.seen_order, &transaction);
    if (transaction.announced) return;
    ++unconfirmed_load_.count;
    unconfirmed_load_.bytes += transaction.stored_bytes;
}

void Ledger::take_out_of_indexes(LedgerTransaction& transaction) {
    spends_.remove(transaction);
    if (transaction.placement) return;
    unconfirmed_.erase(transaction.seen_order);
    if (transaction.announced) return;
    --unconfirmed_load_.count;
    unconfirmed_load_.bytes -= transaction.stored_bytes;
}

bool Ledger::has_confirmed_rival(const LedgerTransaction& transaction) const {
    return std::any_of(transaction.inputs.begin(), transaction.inputs.end(),
                       [&](const Outpoint& input) {
                           const LedgerTransaction* rival = spends_.confirmed_spender(input);
                           return rival != nullptr && rival->txid != transaction.txid;
                       });
}

const Credit* Ledger::credit(const Outpoint& outpoint) const {
    const LedgerTransaction* transaction = find(outpoint.txid);
    if (transaction == nullptr) return nullptr;
    const auto& credits = transaction->credits;
    const auto found = std::lower_bound(
        credits.begin(), credits.end(), outpoint.index,
        [](const Credit& item, std::uint32_t index) { return item.index < index; });
    return found != credits.end() && found->index == outpoint.index ? &*found : nullptr;
}

}  // namespace petal::wallet
