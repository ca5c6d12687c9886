#include "wallet/ledger/ledger_view.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "chain/transaction_rules.h"

namespace petal::wallet {

using chain::Outpoint;
using chain::Satoshis;
using chain::Txid;

namespace {

/// Whether `a` comes before `b`: by position in the chain, then unconfirmed transactions in the
/// order seen.
bool is_older(const LedgerTransaction& a, const LedgerTransaction& b) {
    const auto key = [](const LedgerTransaction& transaction) {
        return std::tuple(!transaction.placement.has_value(),
                          transaction.placement.value_or(Placement{}), transaction.seen_order);
    };
    return key(a) < key(b);
}

/// A transaction and its time in the history.
struct TimedTransaction {
    std::int64_t time = 0;
    const LedgerTransaction* transaction = nullptr;
};

}  // namespace

LedgerView::LedgerView(const Ledger& ledger) : ledger_(ledger), conflicts_(find_conflicts(ledger)) {
    std::vector<Txid> work;
    for (const auto& [order, transaction] : ledger.undone()) work.push_back(transaction->txid);
    while (!work.empty()) {
        const Txid parent = work.back();
        work.pop_back();
        for (const LedgerTransaction* child : ledger.spends().unconfirmed_children(parent)) {
            if (descendants_of_undone_.insert(child->txid).second) work.push_back(child->txid);
        }
    }
}

Balance LedgerView::balance() const {
    Balance result;
    for (const LedgerTransaction& transaction : ledger_.transactions()) {
        if (!are_outputs_counted(transaction)) continue;
        for (const Credit& credit : transaction.credits) {
            const bool is_confirmed = transaction.placement && is_mature(transaction) &&
                                      !may_be_spent_unseen(transaction, credit);
            Satoshis* part = is_confirmed                ? &result.confirmed
                             : transaction.is_coinbase() ? &result.immature
                                                         : &result.pending;
            if (const auto* spent_by = spender({transaction.txid, credit.index})) {
                if (!transaction.placement || spent_by->placement) continue;
                part = &result.unconfirmed_spent;
            }
            *part = add_amounts(*part, credit.value);
        }
    }
    return result;
}

std::vector<Coin> LedgerView::coins() const {
    std::vector<std::pair<const LedgerTransaction*, const Credit*>> unspent;
    for (const LedgerTransaction& transaction : ledger_.transactions()) {
        if (!are_outputs_counted(transaction)) continue;
        for (const Credit& credit : transaction.credits) {
            if (spender({transaction.txid, credit.index}) != nullptr) continue;
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

std::vector<Coin> LedgerView::coins_of(const Txid& txid) const {
    const LedgerTransaction* const known = ledger_.find(txid);
    if (known == nullptr || known->is_undone() || descendants_of_undone_.contains(txid)) return {};
    const auto winner = conflicts_.find(txid);
    if (winner != conflicts_.end() && is_certain(winner->second)) return {};
    std::vector<Coin> result;
    for (const Credit& credit : known->credits) {
        if (spender({txid, credit.index}) == nullptr) result.push_back(make_coin(*known, credit));
    }
    return result;
}

std::vector<HistoryEntry> LedgerView::history(std::size_t limit) const {
    std::vector<TimedTransaction> effective;
    std::vector<TimedTransaction> conflicted;
    for (const LedgerTransaction& transaction : ledger_.transactions()) {
        if (!concerns_wallet(transaction)) continue;
        auto& list = conflicts_.contains(transaction.txid) ? conflicted : effective;
        list.push_back({time_of(transaction), &transaction});
    }
    std::ranges::sort(effective, [](const auto& a, const auto& b) {
        return is_older(*a.transaction, *b.transaction);
    });
    // Block times may decrease by up to two hours. The order of blocks takes precedence.
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
        result.push_back(make_entry(*timed->transaction));
    }
    return result;
}

std::optional<HistoryEntry> LedgerView::entry(const Txid& txid) const {
    const LedgerTransaction* transaction = ledger_.find(txid);
    if (transaction == nullptr || !concerns_wallet(*transaction)) return std::nullopt;
    return make_entry(*transaction);
}

std::map<KeyPath, Satoshis> LedgerView::received(std::uint32_t min_confirmations) const {
    std::map<KeyPath, Satoshis> result;
    for (const LedgerTransaction& transaction : ledger_.transactions()) {
        const bool counts =
            confirmations(transaction) >= min_confirmations && are_outputs_counted(transaction);
        for (const Credit& credit : transaction.credits) {
            Satoshis& sum = result[credit.path];
            if (counts) sum = add_amounts(sum, credit.value);
        }
    }
    return result;
}

std::vector<HistoryEntry> LedgerView::own_unconfirmed() const {
    std::vector<HistoryEntry> result;
    for (const auto& [order, transaction] : ledger_.unconfirmed()) {
        HistoryEntry entry = make_entry(*transaction);
        if (entry.sent > 0) result.push_back(std::move(entry));
    }
    return result;
}

std::vector<Txid> LedgerView::own_payments_of_undone() const {
    std::vector<Txid> result;
    for (const auto& [order, transaction] : ledger_.unconfirmed()) {
        const bool is_one = transaction->announced && !conflicts_.contains(transaction->txid) &&
                            descendants_of_undone_.contains(transaction->txid);
        if (is_one) result.push_back(transaction->txid);
    }
    return result;
}

chain::WatchedOutpoints LedgerView::watched_outpoints() const {
    chain::WatchedOutpoints watched;
    for (const LedgerTransaction& transaction : ledger_.transactions()) {
        if (!are_outputs_counted(transaction)) continue;
        for (const Credit& credit : transaction.credits) {
            const Outpoint outpoint{transaction.txid, credit.index};
            if (is_settled(spender(outpoint))) continue;
            (transaction.placement ? watched.confirmed : watched.unconfirmed).push_back(outpoint);
        }
    }
    for (const auto& [order, transaction] : ledger_.unconfirmed()) {
        const auto winner = conflicts_.find(transaction->txid);
        if (winner != conflicts_.end() && is_settled(ledger_.find(winner->second))) continue;
        watched.unconfirmed.insert(watched.unconfirmed.end(), transaction->inputs.begin(),
                                   transaction->inputs.end());
    }
    std::ranges::sort(watched.confirmed);
    std::ranges::sort(watched.unconfirmed);
    watched.unconfirmed.erase(std::unique(watched.unconfirmed.begin(), watched.unconfirmed.end()),
                              watched.unconfirmed.end());
    return watched;
}

/// The transaction by which an output counts as spent, or null.
const LedgerTransaction* LedgerView::spender(const Outpoint& outpoint) const {
    if (const LedgerTransaction* confirmed = ledger_.spends().confirmed_spender(outpoint))
        return confirmed;
    const auto& unconfirmed = ledger_.spends().unconfirmed_spenders(outpoint);
    const auto found = std::find_if(unconfirmed.begin(), unconfirmed.end(),
                                    [this](const LedgerTransaction* transaction) {
                                        return !conflicts_.contains(transaction->txid);
                                    });
    return found == unconfirmed.end() ? nullptr : *found;
}

/// Whether the output's block and later blocks are yet to be searched for spends of the output: all
/// outputs during a rescan, outputs of imported descriptors after an import.
bool LedgerView::may_be_spent_unseen(const LedgerTransaction& transaction,
                                     const Credit& credit) const {
    if (!transaction.placement || transaction.awaits_search) return transaction.awaits_search;
    const auto& synced = ledger_.synced();
    return credit.path.descriptor >= ledger_.first_imported() &&
           (!synced || transaction.placement->height > synced->height);
}

/// Transactions that do not concern the wallet are stored only for their conflicts.
bool LedgerView::concerns_wallet(const LedgerTransaction& transaction) const {
    return !transaction.credits.empty() || is_own_spend(ledger_, transaction);
}

/// An unconfirmed transaction can confirm only with its parents, so outputs of a descendant of an
/// undone transaction do not count. The inputs still count as spent.
bool LedgerView::are_outputs_counted(const LedgerTransaction& transaction) const {
    return !transaction.is_undone() && !conflicts_.contains(transaction.txid) &&
           !descendants_of_undone_.contains(transaction.txid);
}

/// Whether a spend is so deep that no reorganisation is expected to undo it.
bool LedgerView::is_settled(const LedgerTransaction* transaction) const {
    return transaction != nullptr && confirmations(*transaction) >= chain::kReorganisationReach;
}

std::uint32_t LedgerView::confirmations(const LedgerTransaction& transaction) const {
    if (!transaction.placement) return 0;
    // After the watch list grew, or after an import, blocks above the synced block are known.
    const std::uint32_t known = ledger_.blocks().highest().value_or(0);
    const std::uint32_t tip = ledger_.synced() ? std::max(ledger_.synced()->height, known) : known;
    return tip - transaction.placement->height + 1;
}

bool LedgerView::is_mature(const LedgerTransaction& transaction) const {
    return !transaction.is_coinbase() || confirmations(transaction) >= chain::kCoinbaseMaturity;
}

std::int64_t LedgerView::time_of(const LedgerTransaction& transaction) const {
    return transaction.placement ? ledger_.blocks().at(transaction.placement->height).time
                                 : transaction.seen_time;
}

Coin LedgerView::make_coin(const LedgerTransaction& transaction, const Credit& credit) const {
    Coin coin;
    coin.outpoint = {transaction.txid, credit.index};
    coin.value = credit.value;
    coin.path = credit.path;
    coin.coinbase = transaction.is_coinbase();
    if (!transaction.placement || may_be_spent_unseen(transaction, credit)) return coin;
    coin.height = transaction.placement->height;
    coin.confirmations = confirmations(transaction);
    coin.spendable = is_mature(transaction);
    return coin;
}

HistoryEntry LedgerView::make_entry(const LedgerTransaction& transaction) const {
    HistoryEntry entry;
    entry.txid = transaction.txid;
    entry.time = time_of(transaction);
    entry.confirmations = confirmations(transaction);
    entry.coinbase = transaction.is_coinbase();
    entry.undone = transaction.is_undone();
    if (transaction.placement) {
        const LedgerBlock& block = ledger_.blocks().at(transaction.placement->height);
        entry.height = block.ref.height;
        entry.block_hash = block.ref.hash;
    }
    const bool counts = !transaction.is_undone() && !conflicts_.contains(transaction.txid);
    const bool are_outputs_in_net = are_outputs_counted(transaction);
    for (const Credit& received : transaction.credits) {
        entry.received = add_amounts(entry.received, received.value);
        if (are_outputs_in_net) entry.net = add_amounts(entry.net, received.value);
    }
    for (const Outpoint& input : transaction.inputs) {
        const Credit* own = ledger_.credit(input);
        if (own == nullptr) continue;
        entry.sent = add_amounts(entry.sent, own->value);
        const bool is_in_net = counts && are_outputs_counted(*ledger_.find(input.txid));
        if (is_in_net) entry.net = add_amounts(entry.net, -own->value);
    }
    entry.fee = known_fee(ledger_, transaction);
    if (const auto winner = conflicts_.find(transaction.txid); winner != conflicts_.end()) {
        entry.replaced_by = winner->second;
        entry.is_replaced_for_certain = is_certain(winner->second);
        if (!entry.is_replaced_for_certain) entry.conflicts_with = {winner->second};
    } else if (!transaction.placement && !transaction.is_undone() &&
               !is_own_spend(ledger_, transaction)) {
        entry.conflicts_with = claims_against(transaction);
    }
    return entry;
}

/// Whether a winner is confirmed or a verified spend, and so more than a claim.
bool LedgerView::is_certain(const Txid& winner) const {
    const LedgerTransaction* known = ledger_.find(winner);
    return known == nullptr || known->placement || is_own_spend(ledger_, *known);
}

/// The claims that conflict with this transaction, which counts, in the order seen.
std::vector<Txid> LedgerView::claims_against(const LedgerTransaction& transaction) const {
    std::map<std::uint64_t, Txid> claims;
    for (const Outpoint& input : transaction.inputs) {
        for (const auto* rival : ledger_.spends().unconfirmed_spenders(input)) {
            const auto winner = conflicts_.find(rival->txid);
            if (winner == conflicts_.end() || is_certain(winner->second)) continue;
            claims.emplace(rival->seen_order, rival->txid);
        }
    }
    std::vector<Txid> result;
    for (const auto& [order, txid] : claims) {
        if (result.size() < kMaxConflictsShown) result.push_back(txid);
    }
    return result;
}

std::optional<Satoshis> fee_of(const Ledger& ledger, const chain::Transaction& transaction) {
    Satoshis fee = 0;
    for (const chain::TxInput& input : transaction.inputs) {
        const Credit* own = ledger.credit(input.prevout);
        if (own == nullptr) return std::nullopt;
        fee = add_amounts(fee, own->value);
    }
    for (const chain::TxOutput& output : transaction.outputs) fee = add_amounts(fee, -output.value);
    return fee;
}

}  // namespace petal::wallet
