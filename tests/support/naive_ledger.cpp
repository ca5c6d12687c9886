#include "tests/support/naive_ledger.h"

#include <algorithm>

namespace petal::test {

using chain::Outpoint;
using chain::Satoshis;
using chain::Transaction;

std::optional<std::size_t> NaiveLedger::index_of(const chain::Txid& txid) const {
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (known_[i].txid == txid) return i;
    }
    return std::nullopt;
}

std::optional<wallet::KeyPath> NaiveLedger::owner_of(const Outpoint& outpoint) const {
    const auto i = index_of(outpoint.txid);
    if (!i || outpoint.index >= known_[*i].transaction.outputs.size()) return std::nullopt;
    return owner_(known_[*i].transaction.outputs[outpoint.index].script_pubkey);
}

Satoshis NaiveLedger::value_of(const Outpoint& outpoint) const {
    return known_[*index_of(outpoint.txid)].transaction.outputs[outpoint.index].value;
}

bool NaiveLedger::concerns(const Transaction& transaction) const {
    for (const auto& output : transaction.outputs) {
        if (owner_(output.script_pubkey)) return true;
    }
    for (const auto& input : transaction.inputs) {
        if (owner_of(input.prevout)) return true;
        for (const Known& known : known_) {
            for (const auto& other : known.transaction.inputs) {
                if (!known.block && !known.is_undone() && !known.transaction.is_coinbase() &&
                    other.prevout == input.prevout) {
                    return true;
                }
            }
        }
    }
    return false;
}

bool NaiveLedger::is_of_wallet(const Known& known) const {
    for (const auto& output : known.transaction.outputs) {
        if (owner_(output.script_pubkey)) return true;
    }
    return is_own_spend(known.transaction);
}

bool NaiveLedger::is_own_spend(const Transaction& transaction) const {
    const auto& inputs = transaction.inputs;
    return std::any_of(inputs.begin(), inputs.end(),
                       [this](const auto& input) { return owner_of(input.prevout).has_value(); });
}

void NaiveLedger::block(const chain::ProvenBlock& block) {
    const chain::ProvenBlock bare{block.block, block.header, block.transaction_count, {}};
    bool any = false;
    for (const auto& proven : block.transactions) {
        if (!concerns(proven.transaction)) continue;
        any = true;
        if (!claim_place(block, proven)) continue;
        if (!index_of(proven.txid)) {
            known_.push_back({proven.txid, proven.transaction, block.header.time, next_order_++});
        }
        Known& known = known_[*index_of(proven.txid)];
        known.block = bare;
        known.position = proven.position;
        known.awaits_search = false;
    }
    if (any) adopt_orphans();
    if (!synced_ || synced_->height < block.block.height) set_synced(block.block);
}

/// Whether the transaction gets this place in the chain: no place before has the same transaction,
/// or a transaction with a common input. Such transactions in places behind lose their places.
bool NaiveLedger::claim_place(const chain::ProvenBlock& block,
                              const chain::ProvenTransaction& proven) {
    const auto excludes = [&](const Known& other) {
        if (!other.block || other.txid == proven.txid) return other.block.has_value();
        for (const auto& one : other.transaction.inputs) {
            for (const auto& another : proven.transaction.inputs) {
                if (one.prevout == another.prevout && !one.prevout.is_null()) return true;
            }
        }
        return false;
    };
    std::set<chain::Txid> behind;
    for (const Known& other : known_) {
        if (!excludes(other)) continue;
        const auto place = std::pair(other.block->block.height, other.position);
        if (place <= std::pair(block.block.height, proven.position)) return false;
        behind.insert(other.txid);
    }
    behind.erase(proven.txid);
    for (const chain::Txid& loser : behind) {
        const std::size_t i = *index_of(loser);
        leave_block(known_[i]);
        if (known_[i].is_undone()) erase({i});
    }
    return true;
}

void NaiveLedger::leave_block(Known& known) {
    known.seen_time = std::max<std::int64_t>(known.seen_time, known.block->header.time);
    known.block.reset();
    known.awaits_search = false;
}

void NaiveLedger::undo_to(const std::optional<chain::BlockRef>& fork) {
    undo_blocks_above(fork);
    forget_orphaned_coinbases();
}

void NaiveLedger::undo_blocks_above(const std::optional<chain::BlockRef>& fork) {
    const auto is_above = [&](std::uint32_t height) { return !fork || height > fork->height; };
    for (Known& known : known_) {
        if (known.block && is_above(known.block->block.height)) leave_block(known);
    }
    if (synced_ && is_above(synced_->height)) synced_ = fork;
}

void NaiveLedger::search_again_above(const std::optional<chain::BlockRef>& before) {
    const auto is_above = [&](std::uint32_t height) { return !before || height > before->height; };
    for (Known& known : known_) {
        if (known.block && is_above(known.block->block.height)) known.awaits_search = true;
    }
    if (synced_ && is_above(synced_->height)) synced_ = before;
}

void NaiveLedger::set_synced(const std::optional<chain::BlockRef>& synced) {
    synced_ = synced;
    for (Known& known : known_) {
        const bool is_passed = synced && known.block && known.block->block.height <= synced->height;
        if (is_passed) known.awaits_search = false;
    }
}

/// The transactions that only undone blocks had, without the transactions that pay the coins of the
/// wallet's unconfirmed spends.
NaiveLedger::Indexes NaiveLedger::left_by_undone_blocks() const {
    Indexes left;
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (known_[i].has_lost_block()) left.insert(i);
    }
    Indexes spends;
    for (const std::size_t i : unconfirmed_by_order()) {
        if (is_own_spend(known_[i].transaction)) spends.insert(i);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t i : Indexes(spends)) {
            left.erase(i);
            for (const auto& input : known_[i].transaction.inputs) {
                if (!owner_of(input.prevout)) continue;
                const std::size_t payment = *index_of(input.prevout.txid);
                if (!known_[payment].block) changed |= spends.insert(payment).second;
            }
        }
    }
    return left;
}

void NaiveLedger::forget_undone() {
    erase(left_by_undone_blocks());
}

void NaiveLedger::forget_orphaned_coinbases() {
    Indexes coinbases;
    for (const std::size_t i : left_by_undone_blocks()) {
        if (known_[i].transaction.is_coinbase()) coinbases.insert(i);
    }
    erase(coinbases);
}

void NaiveLedger::unconfirmed(const Transaction& transaction, std::int64_t time) {
    if (concerns(transaction)) {
        see(transaction, time, Sender::peer);
    } else {
        const bool is_there =
            std::any_of(orphans_.begin(), orphans_.end(),
                        [&](const auto& orphan) { return orphan.first == transaction; });
        if (!is_there) orphans_.emplace_back(transaction, time);
    }
    adopt_orphans();
}

void NaiveLedger::broadcast(const Transaction& transaction, std::int64_t time) {
    if (!concerns(transaction)) return unconfirmed(transaction, time);
    see(transaction, time, Sender::user);
    const auto i = index_of(transaction.txid());
    if (is_own_spend(transaction) && i && !known_[*i].is_undone()) {
        known_[*i].is_shown = known_[*i].is_shown || known_[*i].block;
        known_[*i].is_broadcast = known_[*i].is_shown;
    }
    adopt_orphans();
}

void NaiveLedger::prefer(const chain::Txid& txid) {
    Known& known = known_[*index_of(txid)];
    known.order = next_order_++;
    known.is_claim = false;
}

void NaiveLedger::forget(const chain::Txid& txid) {
    erase(with_descendants({*index_of(txid)}));
}

void NaiveLedger::expire(std::int64_t time) {
    Indexes kept;
    for (const std::size_t i : unconfirmed_by_order()) {
        if (known_[i].is_broadcast) kept.merge(with_ancestors(i, /*with_confirmed=*/false));
    }
    Indexes expired;
    for (const std::size_t i : unconfirmed_by_order()) {
        if (known_[i].seen_time <= time && !kept.contains(i)) expired.insert(i);
    }
    erase(with_descendants(expired));
}

void NaiveLedger::forget_blocks() {
    Indexes forgotten;
    for (std::size_t i = 0; i < known_.size(); ++i) forgotten.insert(i);
    for (const std::size_t i : unconfirmed_by_order()) {
        const Indexes family = with_ancestors(i, /*with_confirmed=*/false);
        const bool is_replaced = std::any_of(family.begin(), family.end(), [&](std::size_t member) {
            for (std::size_t j = 0; j < known_.size(); ++j) {
                if (known_[j].block && share_input(member, j)) return true;
            }
            return false;
        });
        if (!known_[i].is_broadcast || is_replaced) continue;
        for (const std::size_t needed : with_ancestors(i, /*with_confirmed=*/true)) {
            forgotten.erase(needed);
        }
    }
    undo_blocks_above(std::nullopt);
    erase(forgotten);
    forget_orphans();
}

NaiveLedger::Indexes NaiveLedger::with_ancestors(std::size_t i, bool with_confirmed) const {
    Indexes result{i};
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t j = 0; j < known_.size(); ++j) {
            if (known_[j].block && !with_confirmed) continue;
            for (const std::size_t child : Indexes(result)) {
                if (is_parent(j, child)) changed |= result.insert(j).second;
            }
        }
    }
    return result;
}

/// Adds the unconfirmed descendants.
NaiveLedger::Indexes NaiveLedger::with_descendants(Indexes indexes) const {
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t i : unconfirmed_by_order()) {
            for (const std::size_t parent : Indexes(indexes)) {
                if (is_parent(parent, i)) changed |= indexes.insert(i).second;
            }
        }
    }
    return indexes;
}

void NaiveLedger::erase(const Indexes& indexes) {
    for (auto i = indexes.rbegin(); i != indexes.rend(); ++i) {
        known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(*i));
    }
}

void NaiveLedger::see(const Transaction& transaction, std::int64_t time, Sender sender) {
    if (transaction.is_coinbase()) return;
    const auto i = index_of(transaction.txid());
    for (const Known& known : known_) {
        if (!known.block || known.txid == transaction.txid()) continue;
        for (const auto& input : known.transaction.inputs) {
            for (const auto& other : transaction.inputs) {
                if (input.prevout == other.prevout) return;
            }
        }
    }
    const bool is_own = is_own_spend(transaction);
    const bool is_claim = sender == Sender::peer && !is_own;
    if (!i) {
        known_.push_back({transaction.txid(), transaction, time, next_order_++});
        known_.back().is_shown = true;
        known_.back().is_claim = is_claim;
        return;
    }
    Known& known = known_[*i];
    if (known.block) return;
    if (!known.is_shown) {
        known.is_shown = true;
        known.is_claim = is_claim;
        known.order = next_order_++;
        known.seen_time = std::max(known.seen_time, time);
        return;
    }
    if (is_claim) return;
    const Indexes out = conflicted();
    if (!out.contains(*i) && !known_[*i].is_claim) return;
    const bool is_announced = sender == Sender::user && is_own;
    if (!is_announced && is_outbid(*i, out)) return;
    prefer(transaction.txid());
}

std::optional<Satoshis> NaiveLedger::fee_of(std::size_t i) const {
    Satoshis fee = 0;
    for (const auto& input : known_[i].transaction.inputs) {
        if (!owner_of(input.prevout)) return std::nullopt;
        fee += value_of(input.prevout);
    }
    for (const auto& output : known_[i].transaction.outputs) fee -= output.value;
    return fee;
}

/// Whether the user replaced the transaction, or a conflicted ancestor, and pays a higher fee.
bool NaiveLedger::is_outbid(std::size_t i, const Indexes& out) const {
    for (const std::size_t j : unconfirmed_by_order()) {
        const bool is_winner = known_[j].is_broadcast && !out.contains(j) && share_input(i, j);
        if (is_winner && fee_of(i) && fee_of(j) && *fee_of(j) > *fee_of(i)) return true;
        if (out.contains(j) && is_parent(j, i) && is_outbid(j, out)) return true;
    }
    return false;
}

void NaiveLedger::adopt_orphans() {
    for (std::size_t i = 0; i < orphans_.size(); ++i) {
        if (!concerns(orphans_[i].first)) continue;
        const auto [transaction, time] = orphans_[i];
        orphans_.erase(orphans_.begin() + static_cast<std::ptrdiff_t>(i));
        see(transaction, time, Sender::peer);
        adopt_orphans();
        return;
    }
}

bool NaiveLedger::share_input(std::size_t a, std::size_t b) const {
    if (a == b || known_[a].transaction.is_coinbase()) return false;
    for (const auto& input : known_[a].transaction.inputs) {
        for (const auto& other : known_[b].transaction.inputs) {
            if (input.prevout == other.prevout) return true;
        }
    }
    return false;
}

bool NaiveLedger::is_parent(std::size_t parent, std::size_t child) const {
    for (const auto& input : known_[child].transaction.inputs) {
        if (input.prevout.txid == known_[parent].txid) return true;
    }
    return false;
}

std::vector<std::size_t> NaiveLedger::unconfirmed_by_order() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (!known_[i].block && !known_[i].is_undone()) result.push_back(i);
    }
    std::sort(result.begin(), result.end(),
              [this](auto a, auto b) { return known_[a].order < known_[b].order; });
    return result;
}

NaiveLedger::Indexes NaiveLedger::ruled_out() const {
    Indexes out;
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t i : unconfirmed_by_order()) {
            bool bad = known_[i].has_lost_block() && known_[i].transaction.is_coinbase();
            for (std::size_t j = 0; j < known_.size(); ++j) {
                bad |= known_[j].block && share_input(i, j);
                bad |= out.contains(j) && is_parent(j, i);
            }
            if (bad) changed |= out.insert(i).second;
        }
    }
    return out;
}

/// The wallet's own spends that are not conflicted, and all ancestors of these spends.
NaiveLedger::Indexes NaiveLedger::vouched_for(const Indexes& out) const {
    Indexes result;
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t i : unconfirmed_by_order()) {
            bool vouched = is_own_spend(known_[i].transaction) && !out.contains(i);
            for (const std::size_t child : Indexes(result)) vouched |= is_parent(i, child);
            if (vouched) changed |= result.insert(i).second;
        }
    }
    return result;
}

NaiveLedger::Indexes NaiveLedger::conflicted() const {
    const Indexes never = ruled_out();
    const auto losers = replay(vouched_for(never), {}, never);
    Indexes pool = vouched_for(losers);
    Indexes others;
    Indexes claims;
    for (const std::size_t i : unconfirmed_by_order()) {
        if (!pool.contains(i)) (known_[i].is_claim ? claims : others).insert(i);
    }
    const Indexes out = replay(others, pool, never);
    for (const std::size_t i : others) {
        if (!out.contains(i)) pool.insert(i);
    }
    return replay(claims, pool, never, Strength::gives_way, out);
}

/// The conflicted transactions after `players` have arrived in order, while the transactions in
/// `first` stay in the mempool whatever arrives. Transactions that give way do not evict each
/// other.
/// out   conflicted before
NaiveLedger::Indexes NaiveLedger::replay(const Indexes& players, const Indexes& first,
                                         const Indexes& never, Strength strength,
                                         Indexes out) const {
    const auto order = unconfirmed_by_order();
    Indexes pool = first;
    out.insert(never.begin(), never.end());
    const auto parent_is_out = [&](std::size_t i) {
        return std::any_of(out.begin(), out.end(),
                           [&](std::size_t parent) { return is_parent(parent, i); });
    };
    const auto loses_to = [&](std::size_t i, const Indexes& others) {
        return std::any_of(others.begin(), others.end(),
                           [&](std::size_t j) { return share_input(i, j); });
    };
    const auto drop_orphans = [&] {
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::size_t i : Indexes(pool)) {
                if (!parent_is_out(i)) continue;
                pool.erase(i);
                out.insert(i);
                changed = true;
            }
        }
    };
    for (const std::size_t i : order) {
        if (never.contains(i) || !players.contains(i)) continue;
        if (loses_to(i, strength == Strength::gives_way ? pool : first)) {
            out.insert(i);
            drop_orphans();
            continue;
        }
        if (!parent_is_out(i)) {
            for (const std::size_t j : Indexes(pool)) {
                if (!share_input(i, j)) continue;
                pool.erase(j);
                out.insert(j);
            }
        }
        drop_orphans();
        (parent_is_out(i) ? out : pool).insert(i);
        drop_orphans();
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (auto i = order.rbegin(); i != order.rend(); ++i) {
            if (never.contains(*i) || !out.contains(*i) || parent_is_out(*i)) continue;
            if (loses_to(*i, pool)) continue;
            out.erase(*i);
            pool.insert(*i);
            changed = true;
        }
    }
    return out;
}

}  // namespace petal::test
