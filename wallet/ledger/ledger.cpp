#include "wallet/ledger/ledger.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <set>
#include <utility>

#include "wallet/ledger/conflicts.h"

namespace petal::wallet {

using chain::Outpoint;
using chain::Txid;

namespace {

/// The confirmed transactions that exclude this transaction from the chain, without duplicates:
/// itself in another place, and spenders of its inputs.
std::vector<const LedgerTransaction*> confirmed_rivals(const Ledger& ledger,
                                                       const LedgerTransaction& transaction) {
    std::vector<const LedgerTransaction*> rivals;
    const LedgerTransaction* const itself = ledger.find(transaction.txid);
    if (itself != nullptr && itself->placement) rivals.push_back(itself);
    for (const Outpoint& input : transaction.inputs) {
        const LedgerTransaction* const spender = ledger.spends().confirmed_spender(input);
        if (spender != nullptr && std::ranges::find(rivals, spender) == rivals.end()) {
            rivals.push_back(spender);
        }
    }
    return rivals;
}

std::set<std::uint32_t> heights_of(const Ledger::Transactions& transactions) {
    std::set<std::uint32_t> heights;
    for (const LedgerTransaction& transaction : transactions) {
        if (transaction.placement) heights.insert(transaction.placement->height);
    }
    return heights;
}

void leave_block(LedgerTransaction& transaction, const LedgerBlock& block) {
    transaction.placement.reset();
    transaction.awaits_search = false;
    transaction.seen_time = std::max(transaction.seen_time, block.time);
}

}  // namespace

void Ledger::reserve(std::size_t transactions) {
    by_txid_.reserve(transactions);
    indexes_.reserve(transactions);
}

bool Ledger::restore(const LedgerBlock& block) {
    return blocks_.add(block);
}

bool Ledger::restore(LedgerTransaction transaction) {
    if (transaction.seen_order < next_order_) return false;
    if (transaction.placement && !blocks_.contains(transaction.placement->height)) return false;
    if (transaction.awaits_search && !transaction.placement) return false;
    if (transaction.announced && !transaction.shown) return false;
    const LedgerTransaction* const added = add(std::move(transaction));
    if (added == nullptr) return false;
    next_order_ = added->seen_order + 1;
    return true;
}

bool Ledger::touches(const chain::Transaction& transaction) const {
    return std::ranges::any_of(transaction.inputs, [this](const auto& input) {
        return credit(input.prevout) != nullptr ||
               !spends().unconfirmed_spenders(input.prevout).empty();
    });
}

const LedgerTransaction* Ledger::find(const Txid& txid) const {
    return find_stored(txid);
}

bool Ledger::set_synced(std::optional<chain::BlockRef> synced) {
    synced_ = synced;
    bool any_searched = false;
    while (const LedgerTransaction* const next = indexes_.first_awaiting_search()) {
        if (!synced || next->placement->height > synced->height) break;
        change(*find_stored(next->txid),
               [](LedgerTransaction& searched) { searched.awaits_search = false; });
        any_searched = true;
    }
    return any_searched;
}

Ledger::Confirmed Ledger::confirm(LedgerTransaction transaction, const LedgerBlock& block,
                                  std::uint32_t position) {
    assert(!blocks_.contradict(block.ref));
    const Placement placement{block.ref.height, position};
    LedgerTransaction* const known = find_stored(transaction.txid);
    if (known != nullptr && known->placement == placement) return {};

    Confirmed result;
    bool is_first = true;
    const auto rivals = confirmed_rivals(*this, transaction);
    for (const LedgerTransaction* rival : rivals) {
        if (*rival->placement > placement) continue;
        is_first = false;
        if (transaction.is_coinbase()) continue;
        result.invalid_blocks.push_back(
            {block.ref, transaction.txid, blocks_.at(rival->placement->height).ref, rival->txid});
    }
    if (!is_first) return result;
    blocks_.add(block);
    for (const LedgerTransaction* rival : rivals) {
        if (!transaction.is_coinbase()) {
            result.invalid_blocks.push_back({blocks_.at(rival->placement->height).ref, rival->txid,
                                             block.ref, transaction.txid});
        }
        if (rival->txid == transaction.txid) continue;
        const LedgerBlock& later = blocks_.at(rival->placement->height);
        change(*find_stored(rival->txid),
               [&later](LedgerTransaction& displaced) { leave_block(displaced, later); });
        result.displaced.push_back(rival->txid);
    }
    transaction.placement = placement;
    if (known == nullptr) {
        transaction.seen_order = next_order_++;
        transaction.seen_time = block.time;
        result.record = add(std::move(transaction));
    } else {
        // The order stays, so that conflicts are decided as before if the block is undone.
        change(*known, [&](LedgerTransaction& stored) {
            stored.placement = placement;
            stored.awaits_search = false;
            stored.stored_bytes = transaction.stored_bytes;
        });
        result.record = known;
    }
    result.any_left_block = !rivals.empty();
    if (result.any_left_block) blocks_.keep_only(heights_of(transactions_));
    return result;
}

const LedgerTransaction* Ledger::see(LedgerTransaction transaction) {
    LedgerTransaction* const known = find_stored(transaction.txid);
    if (transaction.is_coinbase() || (known != nullptr && known->placement)) return nullptr;
    if (!confirmed_rivals(*this, transaction).empty()) return nullptr;
    if (known == nullptr) {
        transaction.seen_order = next_order_++;
        transaction.placement.reset();
        transaction.shown = true;
        return add(std::move(transaction));
    }
    const bool is_first_sight = !known->shown;
    if (!is_first_sight) {
        if (transaction.evidence.is_claim) return nullptr;
        const Conflicts conflicts = find_conflicts(*this);
        if (!conflicts.contains(known->txid) && !known->evidence.is_claim) return nullptr;
        // A peer may still send a payment that the user has replaced. Only the user can bring it
        // back.
        if (!transaction.announced && is_outbid(*this, *known, conflicts)) return nullptr;
    }
    change(*known, [&](LedgerTransaction& stored) {
        stored.seen_order = next_order_++;
        stored.evidence.is_claim = transaction.evidence.is_claim;
        if (!is_first_sight) return;
        stored.shown = true;
        stored.seen_time = std::max(stored.seen_time, transaction.seen_time);
        stored.stored_bytes = transaction.stored_bytes;
    });
    return known;
}

const LedgerTransaction* Ledger::see(const Txid& txid) {
    LedgerTransaction& known = *by_txid_.at(txid);
    assert(!known.placement && !known.is_undone());
    change(known, [this](LedgerTransaction& stored) {
        stored.seen_order = next_order_++;
        stored.evidence.is_claim = false;
    });
    return &known;
}

void Ledger::set_announced(const Txid& txid) {
    change(*by_txid_.at(txid), [](LedgerTransaction& stored) {
        assert(stored.shown);
        stored.announced = true;
    });
}

void Ledger::set_shown(const Txid& txid, bool is_shown) {
    LedgerTransaction& stored = *by_txid_.at(txid);
    assert(stored.placement);
    stored.shown = is_shown;
    stored.announced = stored.announced && is_shown;
}

const LedgerTransaction* Ledger::set_sources(const Txid& txid,
                                             std::vector<chain::TxSource> sources) {
    LedgerTransaction& stored = *by_txid_.at(txid);
    stored.evidence.sources = std::move(sources);
    return &stored;
}

void Ledger::set_stored_bytes(const Txid& txid, std::size_t bytes) {
    change(*by_txid_.at(txid), [bytes](LedgerTransaction& stored) { stored.stored_bytes = bytes; });
}

void Ledger::forget(const Txid& txid) {
    const auto known = by_txid_.find(txid);
    assert(known != by_txid_.end() && !known->second->placement);
    indexes_.remove(*known->second);
    transactions_.erase(known->second);
    by_txid_.erase(known);
}

void Ledger::set_credits(const Txid& txid, std::vector<Credit> credits) {
    by_txid_.at(txid)->credits = std::move(credits);
}

void Ledger::undo_to(std::uint32_t height) {
    for (LedgerTransaction& transaction : transactions_) {
        if (!transaction.placement || transaction.placement->height <= height) continue;
        const LedgerBlock& block = blocks_.at(transaction.placement->height);
        change(transaction, [&](LedgerTransaction& undone) { leave_block(undone, block); });
    }
    blocks_.drop_above(height);
}

void Ledger::search_again_above(std::uint32_t height) {
    for (LedgerTransaction& transaction : transactions_) {
        if (!transaction.placement || transaction.placement->height <= height) continue;
        change(transaction, [](LedgerTransaction& unsearched) { unsearched.awaits_search = true; });
    }
}

LedgerTransaction* Ledger::find_stored(const Txid& txid) const {
    const auto found = by_txid_.find(txid);
    return found == by_txid_.end() ? nullptr : &*found->second;
}

/// Null if the transaction is already known.
LedgerTransaction* Ledger::add(LedgerTransaction transaction) {
    const auto place = transactions_.insert(transactions_.end(), std::move(transaction));
    if (!by_txid_.try_emplace(place->txid, place).second) {
        transactions_.erase(place);
        return nullptr;
    }
    indexes_.add(*place);
    return &*place;
}

template <typename Change>
void Ledger::change(LedgerTransaction& transaction, Change make) {
    indexes_.remove(transaction);
    make(transaction);
    indexes_.add(transaction);
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
