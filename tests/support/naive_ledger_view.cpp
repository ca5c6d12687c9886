// The parts of naive_ledger.h that answer questions.
#include <algorithm>
#include <tuple>

#include "tests/support/naive_ledger.h"

namespace petal::test {

using chain::Outpoint;
using chain::Satoshis;

/// The index of the transaction that replaced transaction `i`. Nothing if transaction `i` only lost
/// the block.
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

/// The transactions with outputs that do not count: conflicted transactions, undone transactions,
/// and the unconfirmed descendants of both.
NaiveLedger::Indexes NaiveLedger::without_outputs() const {
    Indexes undone;
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (known_[i].is_undone()) undone.insert(i);
    }
    Indexes result = conflicted();
    result.merge(with_descendants(undone));
    return result;
}

std::optional<std::size_t> NaiveLedger::spender(const Outpoint& outpoint,
                                                const Indexes& out) const {
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (out.contains(i) || known_[i].is_undone()) continue;
        for (const auto& input : known_[i].transaction.inputs) {
            if (input.prevout == outpoint) return i;
        }
    }
    return std::nullopt;
}

std::uint32_t NaiveLedger::confirmations(const Known& known) const {
    if (!known.block) return 0;
    std::uint32_t tip = synced_ ? synced_->height : 0;
    for (const Known& other : known_) {
        if (other.block) tip = std::max(tip, other.block->block.height);
    }
    return tip - known.block->block.height + 1;
}

/// Whether a sync would have found a spend of this confirmed output.
bool NaiveLedger::is_searched(const Known& known, wallet::KeyPath path) const {
    if (known.awaits_search) return false;
    return path.descriptor < first_imported_ ||
           (synced_ && known.block->block.height <= synced_->height);
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
    const Indexes uncounted = without_outputs();
    std::vector<wallet::Coin> coins;
    for_each_output_of_ours([&](std::size_t i, const Outpoint& outpoint, wallet::KeyPath path) {
        if (uncounted.contains(i) || spender(outpoint, out)) return;
        wallet::Coin coin;
        coin.outpoint = outpoint;
        coin.value = value_of(outpoint);
        coin.path = path;
        coin.coinbase = known_[i].transaction.is_coinbase();
        if (known_[i].block && is_searched(known_[i], path)) {
            coin.height = known_[i].block->block.height;
            coin.confirmations = confirmations(known_[i]);
        }
        coin.spendable = coin.confirmations >= (coin.coinbase ? 100U : 1U);
        coins.push_back(coin);
    });
    return coins;
}

bool NaiveLedger::is_certain(std::optional<std::size_t> winner) const {
    if (!winner) return true;
    const Known& known = known_[*winner];
    return known.block || is_own_spend(known.transaction);
}

std::vector<wallet::HistoryEntry> NaiveLedger::history() const {
    const Indexes out = conflicted();
    const Indexes uncounted = without_outputs();
    std::vector<wallet::HistoryEntry> history;   // oldest first
    std::vector<wallet::HistoryEntry> replaced;  // in the order in which the transactions were seen
    for (const std::size_t i : oldest_first()) {
        const Known& known = known_[i];
        if (!is_of_wallet(known)) continue;
        wallet::HistoryEntry entry;
        entry.txid = known.txid;
        entry.time = known.seen_time;
        entry.confirmations = confirmations(known);
        entry.coinbase = known.transaction.is_coinbase();
        entry.undone = known.is_undone();
        if (known.block) {
            entry.height = known.block->block.height;
            entry.block_hash = known.block->block.hash;
            entry.time = known.block->header.time;
        }
        Satoshis all = 0;
        for (const auto& output : known.transaction.outputs) {
            all += output.value;
            if (!owner_(output.script_pubkey)) continue;
            entry.received += output.value;
            if (!uncounted.contains(i)) entry.net += output.value;
        }
        const bool counts = !out.contains(i) && !known.is_undone();
        bool only_ours = true;
        for (const auto& input : known.transaction.inputs) {
            const bool ours = owner_of(input.prevout).has_value();
            if (ours) entry.sent += value_of(input.prevout);
            if (ours && counts && !uncounted.contains(*index_of(input.prevout.txid))) {
                entry.net -= value_of(input.prevout);
            }
            only_ours = only_ours && ours;
        }
        if (only_ours) entry.fee = entry.sent - all;
        if (out.contains(i)) {
            const auto winner = winner_over(i, out);
            entry.replaced_by = winner ? known_[*winner].txid : chain::Txid{};
            entry.is_replaced_for_certain = is_certain(winner);
            if (!is_certain(winner)) entry.conflicts_with = {*entry.replaced_by};
        } else if (!known.block && !known.is_undone() && !is_own_spend(known.transaction)) {
            for (const std::size_t j : unconfirmed_by_order()) {
                const bool is_claim = share_input(i, j) && out.contains(j);
                if (!is_claim || is_certain(winner_over(j, out))) continue;
                if (entry.conflicts_with.size() == wallet::kMaxConflictsShown) break;
                entry.conflicts_with.push_back(known_[j].txid);
            }
        }
        (out.contains(i) ? replaced : history).push_back(entry);
    }
    const auto later = [](const auto& a, const auto& b) { return a.time > b.time; };
    std::stable_sort(replaced.rbegin(), replaced.rend(), later);
    // From the last entry on, each entry is inserted before the first entry that is not older.
    for (auto entry = replaced.rbegin(); entry != replaced.rend(); ++entry) {
        const auto place = std::find_if(
            history.begin(), history.end(),
            [&](const wallet::HistoryEntry& other) { return other.time >= entry->time; });
        history.insert(place, *entry);
    }
    std::reverse(history.begin(), history.end());
    return history;
}

std::map<wallet::KeyPath, Satoshis> NaiveLedger::received(std::uint32_t min_confirmations) const {
    const Indexes uncounted = without_outputs();
    std::map<wallet::KeyPath, Satoshis> received;
    for_each_output_of_ours([&](std::size_t i, const Outpoint& outpoint, wallet::KeyPath path) {
        const bool counts = !uncounted.contains(i) && confirmations(known_[i]) >= min_confirmations;
        received[path] += counts ? value_of(outpoint) : 0;
    });
    return received;
}

chain::WatchedOutpoints NaiveLedger::watched_outpoints() const {
    const Indexes out = conflicted();
    const auto settled = [&](std::optional<std::size_t> i) {
        return i && confirmations(known_[*i]) >= 144;
    };
    const Indexes uncounted = without_outputs();
    std::set<Outpoint> confirmed;
    std::set<Outpoint> unconfirmed;
    for_each_output_of_ours([&](std::size_t i, const Outpoint& outpoint, wallet::KeyPath) {
        if (uncounted.contains(i) || settled(spender(outpoint, out))) return;
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
