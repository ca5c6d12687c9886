#include "client/sync/wallet_changes.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace petal::client {

WalletChanges::WalletChanges(const wallet::Wallet& wallet, const chain::HeaderChain& chain,
                             const net::SyncEngine& engine)
    : wallet_(wallet), chain_(chain), engine_(engine) {
    for (const auto& entry : wallet_.history(0)) {
        known_[entry.txid] = known_of(entry);
        if (!entry.height) unconfirmed_.push_back(entry.txid);
    }
}

WalletChanges::Known WalletChanges::known_of(const wallet::HistoryEntry& entry) const {
    const std::size_t seen_from = entry.height ? 0 : engine_.seen_from(entry.txid);
    return {entry.block_hash,
            entry.undone,
            entry.replaced_by.has_value(),
            entry.is_replaced_for_certain,
            !entry.conflicts_with.empty(),
            seen_from};
}

WalletChanges::Counters WalletChanges::counters() const {
    const net::SyncStatus& status = engine_.status();
    Counters now{status.counts.transactions + status.counts.stored_batches, status.synced_height,
                 status.counts.reorgs, 0, wallet_.changes_of_others()};
    for (const chain::Txid& txid : unconfirmed_) now.unconfirmed_from += engine_.seen_from(txid);
    return now;
}

HistoryChanges WalletChanges::take_history() {
    const Counters now = counters();
    if (std::exchange(counters_, now) == now) return {};
    const auto history = wallet_.history(0);
    HistoryChanges changes{take_forgotten(history), {}};
    unconfirmed_.clear();
    for (auto entry = history.rbegin(); entry != history.rend(); ++entry) {  // oldest first
        Known known = known_of(*entry);
        // The engine forgets old announcements.
        if (!entry->height && known_.contains(entry->txid)) {
            known.seen_from = std::max(known.seen_from, known_.at(entry->txid).seen_from);
        }
        if (!entry->height && !entry->replaced_by) unconfirmed_.push_back(entry->txid);
        const auto [before, is_new] = known_.try_emplace(entry->txid, known);
        if (!is_new && std::exchange(before->second, known) == known) continue;
        changes.transactions.push_back({*entry, known.seen_from});
    }
    return changes;
}

std::vector<HistoryChanges::Forgotten> WalletChanges::take_forgotten(
    const std::vector<wallet::HistoryEntry>& history) {
    std::unordered_set<chain::Txid> present;
    for (const wallet::HistoryEntry& entry : history) present.insert(entry.txid);
    std::vector<HistoryChanges::Forgotten> forgotten;
    for (const auto& [txid, known] : known_) {
        if (!present.contains(txid)) forgotten.push_back({txid, known.undone});
    }
    for (const auto& [txid, undone] : forgotten) known_.erase(txid);
    return forgotten;
}

// The wallet undoes blocks once the first block of the new branch has arrived. A branch without
// blocks undoes nothing.
std::vector<chain::ChainMove> WalletChanges::take_reorganisations() {
    if (moves_.empty()) return {};
    const auto synced = wallet_.sync_state().synced;
    if (synced && !chain_.is_on_best_chain(synced->hash)) return {};
    std::erase_if(moves_, [this](const chain::ChainMove& move) {
        const chain::BlockHash& old_tip = move.old_tip.hash;
        return chain_.is_on_best_chain(old_tip) ||
               chain_.exclusion_of(old_tip) == chain::Exclusion::withheld;
    });
    return std::exchange(moves_, {});
}

}  // namespace petal::client
