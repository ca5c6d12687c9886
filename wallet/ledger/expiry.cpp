#include "wallet/ledger/expiry.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "wallet/ledger/conflicts.h"

namespace petal::wallet {

using chain::Outpoint;
using chain::Txid;

namespace {

enum class Ancestors : std::uint8_t {
    unconfirmed,
    unconfirmed_own,  ///< only ancestors whose spent outputs are the wallet's
    all,
};

/// The unconfirmed transactions that the user broadcast.
std::vector<const LedgerTransaction*> announced_by_user(const Ledger& ledger) {
    std::vector<const LedgerTransaction*> result;
    for (const auto& [order, transaction] : ledger.unconfirmed()) {
        if (transaction->announced) result.push_back(transaction);
    }
    return result;
}

std::unordered_set<Txid> with_ancestors(const Ledger& ledger,
                                        std::vector<const LedgerTransaction*> work,
                                        Ancestors ancestors) {
    std::unordered_set<Txid> needed;
    while (!work.empty()) {
        const LedgerTransaction* transaction = work.back();
        work.pop_back();
        if (ancestors != Ancestors::all && transaction->placement) continue;
        if (!needed.insert(transaction->txid).second) continue;
        for (const Outpoint& input : transaction->inputs) {
            const bool is_own = ledger.credit(input) != nullptr;
            if (ancestors == Ancestors::unconfirmed_own && !is_own) continue;
            if (const auto* parent = ledger.find(input.txid)) work.push_back(parent);
        }
    }
    return needed;
}

}  // namespace

std::vector<Txid> with_descendants(const Ledger& ledger, const Txid& txid) {
    std::vector<Txid> result{txid};
    std::unordered_set<Txid> found{txid};
    for (std::size_t i = 0; i < result.size(); ++i) {
        for (const LedgerTransaction* child : ledger.spends().unconfirmed_children(result[i])) {
            if (found.insert(child->txid).second) result.push_back(child->txid);
        }
    }
    return result;
}

std::vector<Txid> unconfirmed_since(const Ledger& ledger, std::int64_t time) {
    const std::unordered_set<Txid> kept =
        with_ancestors(ledger, announced_by_user(ledger), Ancestors::unconfirmed);
    std::vector<Txid> result;
    std::unordered_set<Txid> found;
    for (const auto& [order, transaction] : ledger.unconfirmed()) {
        if (transaction->seen_time > time || kept.contains(transaction->txid)) continue;
        if (found.contains(transaction->txid)) continue;
        for (const Txid& txid : with_descendants(ledger, transaction->txid)) {
            if (found.insert(txid).second) result.push_back(txid);
        }
    }
    return result;
}

std::vector<Txid> left_by_undone_blocks(const Ledger& ledger) {
    std::vector<Txid> result;
    std::vector<const LedgerTransaction*> spends;
    for (const auto& [order, transaction] : ledger.undone()) result.push_back(transaction->txid);
    for (const auto& [order, transaction] : ledger.unconfirmed()) {
        if (transaction->is_orphaned()) result.push_back(transaction->txid);
        if (is_own_spend(ledger, *transaction)) spends.push_back(transaction);
    }
    if (result.empty()) return result;
    const auto kept = with_ancestors(ledger, std::move(spends), Ancestors::unconfirmed_own);
    std::erase_if(result, [&kept](const Txid& txid) { return kept.contains(txid); });
    return result;
}

std::vector<Txid> not_needed_by_announced(const Ledger& ledger) {
    const auto has_confirmed_rival = [&](const Txid& txid) {
        return std::ranges::any_of(ledger.find(txid)->inputs, [&](const Outpoint& input) {
            return ledger.spends().confirmed_spender(input) != nullptr;
        });
    };
    std::vector<const LedgerTransaction*> announced = announced_by_user(ledger);
    std::erase_if(announced, [&](const LedgerTransaction* transaction) {
        return std::ranges::any_of(with_ancestors(ledger, {transaction}, Ancestors::unconfirmed),
                                   has_confirmed_rival);
    });
    const std::unordered_set<Txid> needed =
        with_ancestors(ledger, std::move(announced), Ancestors::all);
    std::vector<Txid> result;
    for (const LedgerTransaction& transaction : ledger.transactions()) {
        if (!needed.contains(transaction.txid)) result.push_back(transaction.txid);
    }
    return result;
}

}  // namespace petal::wallet
