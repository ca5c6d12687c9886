#include "tests/support/naive_ledger.h"

#include <algorithm>
#include <tuple>

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
                if (!known.block && !known.transaction.is_coinbase() &&
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
    for (const auto& input : known.transaction.inputs) {
        if (owner_of(input.prevout)) return true;
    }
    return false;
}

void NaiveLedger::block(const chain::ProvenBlock& block) {
    chain::ProvenBlock bare{block.block, block.header, block.transaction_count, {}};
    bool any = false;
    for (const auto& [position, txid, transaction, branch] : block.transactions) {
        if (!concerns(transaction)) continue;
        any = true;
        auto i = index_of(txid);
        if (i && known_[*i].block) continue;
        if (!i) {
            i = known_.size();
            known_.push_back({txid, transaction, block.header.time, 0, {}, 0});
        }
        known_[*i].order = next_order_++;
        known_[*i].block = bare;
        known_[*i].mined_at = block.block.height;
        known_[*i].position = position;
    }
    if (any) adopt_orphans();
    if (!tip_ || tip_->height < block.block.height) tip_ = block.block;
}

void NaiveLedger::undo_to(const chain::BlockRef& fork) {
    for (Known& known : known_) {
        if (!known.block || known.block->block.height <= fork.height) continue;
        known.seen_time = std::max<std::int64_t>(known.seen_time, known.block->header.time);
        known.block.reset();
    }
    if (tip_ && tip_->height > fork.height) tip_ = fork;
}

void NaiveLedger::unconfirmed(const Transaction& transaction, std::int64_t time) {
    if (transaction.is_coinbase()) return;
    if (concerns(transaction)) {
        see(transaction, time);
        adopt_orphans();
    } else if (remember_orphans_) {
        orphans_.emplace_back(transaction, time);
    }
}

void NaiveLedger::forget(const chain::Txid& txid) {
    Indexes out{*index_of(txid)};
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t i : unconfirmed_by_order()) {
            for (const std::size_t parent : Indexes(out)) {
                if (is_parent(parent, i)) changed |= out.insert(i).second;
            }
        }
    }
    for (auto i = out.rbegin(); i != out.rend(); ++i) {
        known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(*i));
    }
}

void NaiveLedger::see(const Transaction& transaction, std::int64_t time) {
    const auto i = index_of(transaction.txid());
    for (const Known& known : known_) {
        if (!known.block || known.txid == transaction.txid()) continue;
        for (const auto& input : known.transaction.inputs) {
            for (const auto& other : transaction.inputs) {
                if (input.prevout == other.prevout) return;
            }
        }
    }
    if (!i) {
        known_.push_back({transaction.txid(), transaction, time, next_order_++, {}, 0});
    } else if (conflicted().contains(*i)) {
        known_[*i].order = next_order_++;
    }
}

void NaiveLedger::adopt_orphans() {
    for (std::size_t i = 0; i < orphans_.size(); ++i) {
        if (!concerns(orphans_[i].first)) continue;
        const auto [transaction, time] = orphans_[i];
        orphans_.erase(orphans_.begin() + static_cast<std::ptrdiff_t>(i));
        see(transaction, time);
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
        if (!known_[i].block) result.push_back(i);
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
            bool bad =
                known_[i].transaction.is_coinbase() && tip_ && known_[i].mined_at <= tip_->height;
            for (std::size_t j = 0; j < known_.size(); ++j) {
                bad |= known_[j].block && share_input(i, j);
                bad |= out.contains(j) && is_parent(j, i);
            }
            if (bad) changed |= out.insert(i).second;
        }
    }
    return out;
}

bool NaiveLedger::is_own_spend(std::size_t i) const {
    const auto& inputs = known_[i].transaction.inputs;
    return std::any_of(inputs.begin(), inputs.end(),
                       [this](const auto& input) { return owner_of(input.prevout).has_value(); });
}

/// The wallet's own spends that are not conflicted, and all of their ancestors.
NaiveLedger::Indexes NaiveLedger::vouched_for(const Indexes& out) const {
    Indexes result;
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t i : unconfirmed_by_order()) {
            bool vouched = is_own_spend(i) && !out.contains(i);
            for (const std::size_t child : Indexes(result)) vouched |= is_parent(i, child);
            if (vouched) changed |= result.insert(i).second;
        }
    }
    return result;
}

NaiveLedger::Indexes NaiveLedger::conflicted() const {
    const Indexes never = ruled_out();
    const auto losers = replay(vouched_for(never), {}, never);
    const auto first = vouched_for(losers);
    Indexes rest;
    for (const std::size_t i : unconfirmed_by_order()) {
        if (!first.contains(i)) rest.insert(i);
    }
    return replay(rest, first, never);
}

/// The conflicted transactions after `players` have arrived in order, while the transactions in
/// `first` stay in the mempool whatever arrives.
NaiveLedger::Indexes NaiveLedger::replay(const Indexes& players, const Indexes& first,
                                         const Indexes& never) const {
    const auto order = unconfirmed_by_order();
    Indexes pool = first;
    Indexes out = never;
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
        if (loses_to(i, first)) {
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

/// Nothing if no transaction replaced it but its block was disconnected.
std::optional<std::size_t> NaiveLedger::winner_over(std::size_t i, const Indexes& out) const {
    std::optional<std::size_t> latest;
    for (const auto& input : known_[i].transaction.inputs) {
        for (std::size_t j = 0; j < known_.size(); ++j) {
            if (!known_[j].block || input.prevout.is_null()) continue;
            for (const auto& other : known_[j].transaction.inputs) {
                if (other.prevout == input.prevout) return j;
            }
        }
    }
    for (const std::size_t j : unconfirmed_by_order()) {
        if (!out.contains(j) && share_input(i, j)) latest = j;
    }
    if (latest) return latest;
    for (const auto& input : known_[i].transaction.inputs) {
        const auto parent = index_of(input.prevout.txid);
        if (parent && out.contains(*parent)) return winner_over(*parent, out);
    }
    return std::nullopt;
}

std::optional<std::size_t> NaiveLedger::spender(const Outpoint& outpoint,
                                                const Indexes& out) const {
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (out.contains(i)) continue;
        for (const auto& input : known_[i].transaction.inputs) {
            if (input.prevout == outpoint) return i;
        }
    }
    return std::nullopt;
}

std::uint32_t NaiveLedger::confirmations(const Known& known) const {
    if (!known.block) return 0;
    return std::max(tip_->height, known.block->block.height) - known.block->block.height + 1;
}

template <typename Visit>
void NaiveLedger::for_each_output_of_ours(Visit visit) const {
    for (const std::size_t i : oldest_first()) {
        for (std::uint32_t j = 0; j < known_[i].transaction.outputs.size(); ++j) {
            if (const auto path = owner_(known_[i].transaction.outputs[j].script_pubkey)) {
                visit(i, Outpoint{known_[i].txid, j}, *path);
            }
        }
    }
}

std::vector<std::size_t> NaiveLedger::oldest_first() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < known_.size(); ++i) result.push_back(i);
    std::sort(result.begin(), result.end(), [this](auto a, auto b) {
        const auto key = [this](std::size_t i) {
            const Known& known = known_[i];
            return known.block ? std::tuple(0U, known.block->block.height, known.position)
                               : std::tuple(1U, static_cast<std::uint32_t>(known.order), 0U);
        };
        return key(a) < key(b);
    });
    return result;
}

wallet::Balance NaiveLedger::balance() const {
    wallet::Balance balance;
    for (const wallet::Coin& coin : coins()) {
        (coin.spendable                 ? balance.confirmed
         : coin.height || coin.coinbase ? balance.immature
                                        : balance.pending) += coin.value;
    }
    const Indexes out = conflicted();
    for_each_output_of_ours([&](std::size_t i, const Outpoint& outpoint, wallet::KeyPath) {
        const auto spent_by = spender(outpoint, out);
        if (!known_[i].block || !spent_by || known_[*spent_by].block) return;
        balance.unconfirmed_spent += value_of(outpoint);
    });
    return balance;
}

std::vector<wallet::Coin> NaiveLedger::coins() const {
    const Indexes out = conflicted();
    std::vector<wallet::Coin> coins;
    for_each_output_of_ours([&](std::size_t i, const Outpoint& outpoint, wallet::KeyPath path) {
        if (out.contains(i) || spender(outpoint, out)) return;
        wallet::Coin coin;
        coin.outpoint = outpoint;
        coin.value = value_of(outpoint);
        coin.path = path;
        if (known_[i].block) coin.height = known_[i].block->block.height;
        coin.confirmations = confirmations(known_[i]);
        coin.coinbase = known_[i].transaction.is_coinbase();
        coin.spendable = coin.confirmations >= (coin.coinbase ? 100U : 1U);
        coins.push_back(coin);
    });
    return coins;
}

std::vector<wallet::HistoryEntry> NaiveLedger::history() const {
    const Indexes out = conflicted();
    std::vector<wallet::HistoryEntry> history;   // oldest first
    std::vector<wallet::HistoryEntry> replaced;  // in the order in which they were seen
    for (const std::size_t i : oldest_first()) {
        const Known& known = known_[i];
        if (!is_of_wallet(known)) continue;
        wallet::HistoryEntry entry;
        entry.txid = known.txid;
        entry.time = known.seen_time;
        entry.confirmations = confirmations(known);
        entry.coinbase = known.transaction.is_coinbase();
        if (known.block) {
            entry.height = known.block->block.height;
            entry.block_hash = known.block->block.hash;
            entry.time = known.block->header.time;
        }
        Satoshis all = 0;
        for (const auto& output : known.transaction.outputs) {
            all += output.value;
            if (owner_(output.script_pubkey)) entry.received += output.value;
        }
        bool only_ours = true;
        for (const auto& input : known.transaction.inputs) {
            const bool ours = owner_of(input.prevout).has_value();
            if (ours) entry.sent += value_of(input.prevout);
            only_ours = only_ours && ours;
        }
        if (only_ours) entry.fee = entry.sent - all;
        if (out.contains(i)) {
            const auto winner = winner_over(i, out);
            entry.replaced_by = winner ? known_[*winner].txid : chain::Txid{};
        }
        (out.contains(i) ? replaced : history).push_back(entry);
    }
    const auto later = [](const auto& a, const auto& b) { return a.time > b.time; };
    std::stable_sort(replaced.rbegin(), replaced.rend(), later);
    // Starting with the last, each entry is inserted before the first entry that is not older.
    for (auto entry = replaced.rbegin(); entry != replaced.rend(); ++entry) {
        const auto place = std::find_if(
            history.begin(), history.end(),
            [&](const wallet::HistoryEntry& other) { return other.time >= entry->time; });
        history.insert(place, *entry);
    }
    std::reverse(history.begin(), history.end());
    return history;
}

std::map<wallet::KeyPath, Satoshis> NaiveLedger::received() const {
    const Indexes out = conflicted();
    std::map<wallet::KeyPath, Satoshis> received;
    for_each_output_of_ours([&](std::size_t i, const Outpoint& outpoint, wallet::KeyPath path) {
        received[path] += out.contains(i) ? 0 : value_of(outpoint);
    });
    return received;
}

chain::WatchedOutpoints NaiveLedger::watched_outpoints() const {
    const Indexes out = conflicted();
    const auto settled = [&](std::optional<std::size_t> i) {
        return i && confirmations(known_[*i]) >= 144;
    };
    std::set<Outpoint> confirmed;
    std::set<Outpoint> unconfirmed;
    for_each_output_of_ours([&](std::size_t i, const Outpoint& outpoint, wallet::KeyPath) {
        if (out.contains(i) || settled(spender(outpoint, out))) return;
        (known_[i].block ? confirmed : unconfirmed).insert(outpoint);
    });
    for (const std::size_t i : unconfirmed_by_order()) {
        if (known_[i].transaction.is_coinbase()) continue;
        if (out.contains(i) && settled(winner_over(i, out))) continue;
        for (const auto& input : known_[i].transaction.inputs) unconfirmed.insert(input.prevout);
    }
    return {.confirmed = {confirmed.begin(), confirmed.end()},
            .unconfirmed = {unconfirmed.begin(), unconfirmed.end()}};
}

}  // namespace petal::test
