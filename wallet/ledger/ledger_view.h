/// Balance, coins and history of a ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "chain/watcher.h"
#include "wallet/keys/key_path.h"
#include "wallet/ledger/conflicts.h"
#include "wallet/ledger/ledger.h"
#include "wallet/ledger/records.h"

namespace petal::wallet {

/// Answers queries about a ledger. Resolves its conflicts once, in the constructor. The ledger must
/// outlive the view, and not change meanwhile. Queries take time proportional to the number of
/// transactions.
class LedgerView {
public:
    explicit LedgerView(const Ledger& ledger);

    Balance balance() const;
    /// Unspent outputs, oldest first, unconfirmed last. Without their scripts.
    std::vector<Coin> coins() const;
    /// The unspent outputs of one transaction, even if it does not count because of a claim.
    /// Without their scripts.
    std::vector<Coin> coins_of(const chain::Txid& txid) const;
    /// Newest first: unconfirmed ones in the order last seen, then in the order of the chain. A
    /// conflicted transaction is placed by its first-seen time. `limit` 0 for all.
    std::vector<HistoryEntry> history(std::size_t limit) const;
    /// Empty for a transaction that neither pays the wallet nor spends from it.
    std::optional<HistoryEntry> entry(const chain::Txid& txid) const;
    /// The unconfirmed transactions that spend from the wallet, in the order last seen.
    std::vector<HistoryEntry> own_unconfirmed() const;
    /// The user's unconfirmed payments that spend outputs of undone transactions, also through
    /// other transactions, in the order last seen. Their outputs do not count.
    std::vector<chain::Txid> own_payments_of_undone() const;
    /// The sum that each key received in transactions with at least `confirmations` confirmations;
    /// conflicted ones do not count.
    std::map<KeyPath, chain::Satoshis> received(std::uint32_t confirmations = 0) const;
    /// See chain::Watcher; each once in either list, in ascending order.
    chain::WatchedOutpoints watched_outpoints() const;

private:
    const LedgerTransaction* spender(const chain::Outpoint& outpoint) const;
    bool may_be_spent_unseen(const LedgerTransaction& transaction, const Credit& credit) const;
    bool concerns_wallet(const LedgerTransaction& transaction) const;
    bool are_outputs_counted(const LedgerTransaction& transaction) const;
    bool is_settled(const LedgerTransaction* transaction) const;
    std::uint32_t confirmations(const LedgerTransaction& transaction) const;
    bool is_mature(const LedgerTransaction& transaction) const;
    std::int64_t time_of(const LedgerTransaction& transaction) const;
    Coin make_coin(const LedgerTransaction& transaction, const Credit& credit) const;
    HistoryEntry make_entry(const LedgerTransaction& transaction) const;
    bool is_certain(const chain::Txid& winner) const;
    std::vector<chain::Txid> claims_against(const LedgerTransaction& transaction) const;

    const Ledger& ledger_;
    Conflicts conflicts_;
    std::unordered_set<chain::Txid> descendants_of_undone_;
};

/// The fee of a transaction, known or not, negative if its outputs exceed its inputs; empty if not
/// all inputs are the wallet's. Takes time proportional to the inputs.
std::optional<chain::Satoshis> fee_of(const Ledger& ledger, const chain::Transaction& transaction);

}  // namespace petal::wallet
