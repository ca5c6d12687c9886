// Transactions in, coins and history out.
#include "wallet/ledger/ledger.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "wallet/ledger/conflicts.h"

namespace petal::wallet {

using chain::Outpoint;
using chain::Satoshis;
using chain::Txid;

namespace {

/// Whether `a` comes before `b`: by place in the chain, then the unconfirmed ones by their sight.
bool is_older(const LedgerTransaction& a, const LedgerTransaction& b) {
    const auto key = [](const LedgerTransaction& transaction) {
        return std::tuple(!transaction.placement.has_value(),
                          transaction.placement.value_or(Placement{}), transaction.seen_order);
    };
    return key(a) < key(b);
}

/// A transaction, and the time at which the history shows it.
struct TimedTransaction {
    std::int64_t time = 0;
    const LedgerTransaction* transaction = nullptr;
};

}  // namespace

bool Ledger::restore(const LedgerBlock& block) {
    return blocks_.emplace(block.ref.height, block).second;
}

bool Ledger::restore(LedgerTransaction transaction) {
    if (transaction.seen_order < next_order_ || find(transaction.txid) != nullptr) return false;
    if (transaction.placement && !blocks_.contains(transaction.placement->height)) return false;
    next_order_ = transaction.seen_order + 1;
    add(std::move(transaction));
    return true;
}

bool Ledger::touches(const chain::Transaction& transaction) const {
    return std::any_of(
        transaction.inputs.begin(), transaction.inputs.end(), [this](const auto& input) {
            return credit(input.prevout) != nullptr || !unconfirmed_spenders(input.prevout).empty();
        });
}

const LedgerTransaction* Ledger::find(const Txid& txid) const {
    const auto found = transactions_.find(txid);
    return found == transactions_.end() ? nullptr : &found->second;
}

bool Ledger::contradicts(const chain::BlockRef& block) const {
    const auto known = blocks_.find(block.height);
    return known != blocks_.end() && known->second.ref != block;
}

const LedgerTransaction* Ledger::confirm(LedgerTransaction transaction, const LedgerBlock& block,
                                         std::uint32_t position) {
    assert(!contradicts(block.ref));
    const Placement placement{block.ref.height, position};
    const auto known = transactions_.find(transaction.txid);
    if (known != transactions_.end() && known->second.placement == placement) return nullptr;

    blocks_.emplace(block.ref.height, block);
    transaction.placement = placement;
    // The chain has seen it last: where a reorganisation takes it out of the chain, it stands
    // before those that it had replaced.
    transaction.seen_order = next_order_++;
    if (known == transactions_.end()) {
        transaction.seen_time = block.time;
        return &add(std::move(transaction));
    }
    LedgerTransaction& stored = known->second;
    take_out_of_indexes(stored);
    stored.placement = placement;
    stored.seen_order = transaction.seen_order;
    stored.stored_bytes = transaction.stored_bytes;
    put_into_indexes(stored);
    return &stored;
}

const LedgerTransaction* Ledger::see(LedgerTransaction transaction) {
    if (transaction.coinbase || has_confirmed_rival(transaction)) return nullptr;
    const auto known = transactions_.find(transaction.txid);
    if (known == transactions_.end()) {
        transaction.seen_order = next_order_++;
        transaction.placement.reset();
        return &add(std::move(transaction));
    }
    LedgerTransaction& stored = known->second;
    if (stored.placement || !conflicts().contains(stored.txid)) return nullptr;
    take_out_of_indexes(stored);
    stored.seen_order = next_order_++;
    put_into_indexes(stored);
    return &stored;
}

void Ledger::set_announced(const Txid& txid) {
    LedgerTransaction& stored = transactions_.at(txid);
    take_out_of_indexes(stored);
    stored.announced = true;
    put_into_indexes(stored);
}

std::vector<Txid> Ledger::with_descendants(const Txid& txid) const {
    std::vector<Txid> result{txid};
    std::unordered_set<Txid> found{txid};
    for (std::size_t i = 0; i < result.size(); ++i) {
        for (const LedgerTransaction* child : spends_.unconfirmed_children(result[i])) {
            if (found.insert(child->txid).second) result.push_back(child->txid);
        }
    }
    return result;
}

std::vector<Txid> Ledger::unconfirmed_since(std::int64_t time) const {
    std::unordered_set<const LedgerTransaction*> kept;
    std::vector<const LedgerTransaction*> work;
    for (const auto& [order, transaction] : unconfirmed_) {
        if (transaction->announced) work.push_back(transaction);
    }
    while (!work.empty()) {
        const LedgerTransaction* transaction = work.back();
        work.pop_back();
        if (transaction->placement || !kept.insert(transaction).second) continue;
        for (const Outpoint& input : transaction->inputs) {
            if (const auto* parent = find(input.txid)) work.push_back(parent);
        }
    }
    std::vector<Txid> result;
    std::unordered_set<Txid> found;
    for (const auto& [order, transaction] : unconfirmed_) {
        if (transaction->seen_time > time || kept.contains(transaction)) continue;
        if (found.contains(transaction->txid)) continue;
        for (const Txid& txid : with_descendants(transaction->txid)) {
            if (found.insert(txid).second) result.push_back(txid);
        }
    }
    return result;
}

std::vector<Txid> Ledger::not_needed_by_announced() const {
    std::unordered_set<Txid> needed;
    std::vector<const LedgerTransaction*> work;
    for (const auto& [order, transaction] : unconfirmed_) {
        if (transaction->announced) work.push_back(transaction);
    }
    while (!work.empty()) {
        const LedgerTransaction* transaction = work.back();
        work.pop_back();
        if (!needed.insert(transaction->txid).second) continue;
        for (const Outpoint& input : transaction->inputs) {
            if (const auto* parent = find(input.txid)) work.push_back(parent);
        }
    }
    std::vector<Txid> result;
    for (const auto& [txid, transaction] : transactions_) {
        if (!needed.contains(txid)) result.push_back(txid);
    }
    return result;
}

void Ledger::forget(const Txid& txid) {
    const auto known = transactions_.find(txid);
    assert(known != transactions_.end() && !known->second.placement);
    take_out_of_indexes(known->second);
    transactions_.erase(known);
}

void Ledger::set_credits(const Txid& txid, std::vector<Credit> credits) {
    const auto known = transactions_.find(txid);
    assert(known != transactions_.end());
    known->second.credits = std::move(credits);
}

void Ledger::undo_to(std::uint32_t height) {
    for (auto& [txid, transaction] : transactions_) {
        if (!transaction.placement || transaction.placement->height <= height) continue;
        const std::int64_t block_time = blocks_.at(transaction.placement->height).time;
        take_out_of_indexes(transaction);
        transaction.placement.reset();
        transaction.seen_time = std::max(transaction.seen_time, block_time);
        put_into_indexes(transaction);
    }
    blocks_.erase(blocks_.upper_bound(height), blocks_.end());
}

LedgerTransaction& Ledger::add(LedgerTransaction transaction) {
    const Txid txid = transaction.txid;
    LedgerTransaction& stored = transactions_.emplace(txid, std::move(transaction)).first->second;
    put_into_indexes(stored);
    return stored;
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

Balance Ledger::balance() const {
    Balance result;
    const Conflicts known_conflicts = conflicts();
    for (const auto& [txid, transaction] : transactions_) {
        if (known_conflicts.contains(txid)) continue;
        for (const Credit& credit : transaction.credits) {
            Satoshis* part = !is_mature(transaction) ? &result.immature
                             : transaction.placement ? &result.confirmed
                                                     : &result.pending;
            if (const auto* spent_by = spender({txid, credit.index}, known_conflicts)) {
                if (!transaction.placement || spent_by->placement) continue;
                part = &result.unconfirmed_spent;
            }
            *part = add_amounts(*part, credit.value);
        }
    }
    return result;
}

std::vector<Coin> Ledger::coins() const {
    std::vector<std::pair<const LedgerTransaction*, const Credit*>> unspent;
    const Conflicts known_conflicts = conflicts();
    for (const auto& [txid, transaction] : transactions_) {
        if (known_conflicts.contains(txid)) continue;
        for (const Credit& credit : transaction.credits) {
            if (spender({txid, credit.index}, known_conflicts) != nullptr) continue;
            unspent.emplace_back(&transaction, &credit);
        }
    }
    std::sort(unspent.begin(), unspent.end(), [](const auto& a, const auto& b) {
        if (a.first != b.first) return is_older(*a.first, *b.first);
        return a.second->index < b.second->index;
    });
    std::vector<Coin> result;
    result.reserve(unspent.size());
    for (const auto& [transaction, credit] : unspent) {
        result.push_back(make_coin(*transaction, *credit));
    }
    return result;
}

std::vector<HistoryEntry> Ledger::history(std::size_t limit) const {
    const Conflicts known_conflicts = conflicts();
    std::vector<TimedTransaction> effective;
    std::vector<TimedTransaction> conflicted;
    for (const auto& [txid, transaction] : transactions_) {
        if (!concerns_wallet(transaction)) continue;
        auto& list = known_conflicts.contains(txid) ? conflicted : effective;
        list.push_back({time_of(transaction), &transaction});
    }
    std::ranges::sort(effective, [](const auto& a, const auto& b) {
        return is_older(*a.transaction, *b.transaction);
    });
    // Block times may run backwards by two hours; the order of blocks is the stronger one.
    for (std::size_t i = 1; i < effective.size(); ++i) {
        effective[i].time = std::max(effective[i].time, effective[i - 1].time);
    }
    std::ranges::sort(conflicted, [](const auto& a, const auto& b) {
        return std::pair(a.time, a.transaction->seen_order) <
               std::pair(b.time, b.transaction->seen_order);
    });
    std::vector<TimedTransaction> oldest_first;
    std::merge(conflicted.begin(), conflicted.end(), effective.begin(), effective.end(),
               std::back_inserter(oldest_first),
               [](const auto& a, const auto& b) { return a.time < b.time; });

    std::size_t count = oldest_first.size();
    if (limit != 0) count = std::min(count, limit);
    std::vector<HistoryEntry> result;
    result.reserve(count);
    for (auto timed = oldest_first.rbegin(); result.size() < count; ++timed) {
        result.push_back(make_entry(*timed->transaction, known_conflicts));
    }
    return result;
}

std::optional<HistoryEntry> Ledger::entry(const Txid& txid) const {
    const LedgerTransaction* transaction = find(txid);
    if (transaction == nullptr || !concerns_wallet(*transaction)) return std::nullopt;
    return make_entry(*transaction, conflicts());
}

std::map<KeyPath, Satoshis> Ledger::received(std::uint32_t min_confirmations) const {
    const Conflicts known_conflicts = conflicts();
    std::map<KeyPath, Satoshis> result;
    for (const auto& [txid, transaction] : transactions_) {
        const bool counts =
            confirmations(transaction) >= min_confirmations && !known_conflicts.contains(txid);
        for (const Credit& credit : transaction.credits) {
            Satoshis& sum = result[credit.path];
            if (counts) sum = add_amounts(sum, credit.value);
        }
    }
    return result;
}

std::vector<HistoryEntry> Ledger::own_unconfirmed() const {
    const Conflicts known_conflicts = conflicts();
    std::vector<HistoryEntry> result;
    for (const auto& [order, transaction] : unconfirmed_) {
        HistoryEntry entry = make_entry(*transaction, known_conflicts);
        if (entry.sent > 0) result.push_back(std::move(entry));
    }
    return result;
}

std::optional<Satoshis> Ledger::fee_of(const chain::Transaction& transaction) const {
    Satoshis fee = 0;
    for (const chain::TxInput& input : transaction.inputs) {
        const Credit* own = credit(input.prevout);
        if (own == nullptr) return std::nullopt;
        fee = add_amounts(fee, own->value);
    }
    for (const chain::TxOutput& output : transaction.outputs) fee = add_amounts(fee, -output.value);
    return fee;
}

chain::WatchList Ledger::watched_outpoints() const {
    const Conflicts known_conflicts = conflicts();
    chain::WatchList list;
    for (const auto& [txid, transaction] : transactions_) {
        if (known_conflicts.contains(txid)) continue;
        for (const Credit& credit : transaction.credits) {
            const Outpoint outpoint{txid, credit.index};
            if (is_settled(spender(outpoint, known_conflicts))) continue;
            (transaction.placement ? list.outpoints : list.unconfirmed).push_back(outpoint);
        }
    }
    for (const auto& [order, transaction] : unconfirmed_) {
        const auto winner = known_conflicts.find(transaction->txid);
        if (winner != known_conflicts.end() && is_settled(find(winner->second))) continue;
        list.unconfirmed.insert(list.unconfirmed.end(), transaction->inputs.begin(),
                                transaction->inputs.end());
    }
    std::ranges::sort(list.outpoints);
    std::ranges::sort(list.unconfirmed);
    list.unconfirmed.erase(std::unique(list.unconfirmed.begin(), list.unconfirmed.end()),
                           list.unconfirmed.end());
    return list;
}

Ledger::Conflicts Ledger::conflicts() const {
    SpendIndex::Transactions contenders = spends_.contenders();
    std::erase_if(contenders, [this](const LedgerTransaction* transaction) {
        return is_unsearched_coinbase(*transaction);
    });
    return find_conflicts(
        contenders,
        [this](const LedgerTransaction& transaction) { return is_own_spend(transaction); },
        [this](const Outpoint& outpoint) { return confirmed_spender(outpoint); });
}

bool Ledger::has_confirmed_rival(const LedgerTransaction& transaction) const {
    return std::any_of(transaction.inputs.begin(), transaction.inputs.end(),
                       [&](const Outpoint& input) {
                           const LedgerTransaction* rival = confirmed_spender(input);
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

/// The transaction by which an output counts as spent; null for none.
const LedgerTransaction* Ledger::spender(const Outpoint& outpoint,
                                         const Conflicts& conflicts) const {
    if (const LedgerTransaction* confirmed = confirmed_spender(outpoint)) return confirmed;
    const auto& unconfirmed = unconfirmed_spenders(outpoint);
    const auto found = std::find_if(unconfirmed.begin(), unconfirmed.end(),
                                    [&](const LedgerTransaction* transaction) {
                                        return !conflicts.contains(transaction->txid);
                                    });
    return found == unconfirmed.end() ? nullptr : *found;
}

/// Whether a coinbase without a block may yet be found in one, as in a rescan.
bool Ledger::is_unsearched_coinbase(const LedgerTransaction& transaction) const {
    if (!transaction.coinbase || transaction.placement) return false;
    return !synced_ ||
           (transaction.coinbase_height && *transaction.coinbase_height > synced_->height);
}

/// Others are kept only because they replace one that does.
bool Ledger::concerns_wallet(const LedgerTransaction& transaction) const {
    return !transaction.credits.empty() || is_own_spend(transaction);
}

bool Ledger::is_own_spend(const LedgerTransaction& transaction) const {
    return std::ranges::any_of(transaction.inputs,
                               [this](const Outpoint& input) { return credit(input) != nullptr; });
}

/// Whether a spend is so deep in the chain that no reorganisation is expected to undo it.
bool Ledger::is_settled(const LedgerTransaction* transaction) const {
    return transaction != nullptr && confirmations(*transaction) >= chain::kReorganisationReach;
}

std::uint32_t Ledger::confirmations(const LedgerTransaction& transaction) const {
    if (!transaction.placement) return 0;
    // The block that made the watch list grow is known, but not yet counted as synced.
    const std::uint32_t height = transaction.placement->height;
    const std::uint32_t tip = synced_ ? std::max(synced_->height, height) : height;
    return tip - height + 1;
}

bool Ledger::is_mature(const LedgerTransaction& transaction) const {
    return !transaction.coinbase || confirmations(transaction) >= kCoinbaseMaturity;
}

std::int64_t Ledger::time_of(const LedgerTransaction& transaction) const {
    return transaction.placement ? blocks_.at(transaction.placement->height).time
                                 : transaction.seen_time;
}

Coin Ledger::make_coin(const LedgerTransaction& transaction, const Credit& credit) const {
    Coin coin;
    coin.outpoint = {transaction.txid, credit.index};
    coin.value = credit.value;
    coin.path = credit.path;
    if (transaction.placement) coin.height = transaction.placement->height;
    coin.confirmations = confirmations(transaction);
    coin.coinbase = transaction.coinbase;
    coin.spendable = transaction.placement && is_mature(transaction);
    return coin;
}

HistoryEntry Ledger::make_entry(const LedgerTransaction& transaction,
                                const Conflicts& conflicts) const {
    HistoryEntry entry;
    entry.txid = transaction.txid;
    entry.time = time_of(transaction);
    entry.confirmations = confirmations(transaction);
    entry.coinbase = transaction.coinbase;
    if (transaction.placement) {
        const LedgerBlock& block = blocks_.at(transaction.placement->height);
        entry.height = block.ref.height;
        entry.block_hash = block.ref.hash;
    }
    for (const Credit& received : transaction.credits) {
        entry.received = add_amounts(entry.received, received.value);
    }
    bool all_inputs_own = !transaction.coinbase;
    for (const Outpoint& input : transaction.inputs) {
        const Credit* own = credit(input);
        if (own == nullptr) {
            all_inputs_own = false;
        } else {
            entry.sent = add_amounts(entry.sent, own->value);
        }
    }
    if (all_inputs_own) entry.fee = entry.sent - transaction.output_total;
    if (const auto winner = conflicts.find(transaction.txid); winner != conflicts.end()) {
        entry.replaced_by = winner->second;
    }
    return entry;
}

}  // namespace petal::wallet
