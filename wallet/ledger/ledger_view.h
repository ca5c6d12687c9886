/// Balance, coins and history of a ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "chain/watcher.h"
#include "wallet/keys/key_path.h"
#include "wallet/ledger/conflicts.h"
#include "wallet/ledger/ledger.h"
#include "wallet/ledger/records.h"

namespace petal::wallet {

/// Answers queries of a ledger, whose conflicts it resolves once, when it is made. The ledger must
/// outlive it, and not change meanwhile. Answers take time in proportion to the transactions.
class LedgerView {
public:
    explicit LedgerView(const Ledger& ledger);

    Balance balance() const;
    /// Unspent outputs, oldest first, unconfirmed last. Without their scripts.
    std::vector<Coin> coins() const;
    /// Newest first: unconfirmed ones in the order last seen, then in the order of the chain. A
    /// conflicted transaction is placed by its first-seen time. `limit` 0 for all.
    std::vector<HistoryEntry> history(std::size_t limit) const;
    /// Nothing for a transaction that neither pays nor spends from the wallet.
    std::optional<HistoryEntry> entry(const chain::Txid& txid) const;
    /// The unconfirmed transactions that spend from the wallet, in the order last seen.
    std::vector<HistoryEntry> own_unconfirmed() const;
    /// The sum that each key received in transactions with at least `confirmations` confirmations;
    /// conflicted ones do not count.
    std::map<KeyPath, chain::Satoshis> received(std::uint32_t confirmations = 0) const;
    /// As chain::Watcher says, each once in either list, in ascending order.
    chain::WatchedOutpoints watched_outpoints() const;

private:
    const LedgerTransaction* spender(const chain::Outpoint& outpoint) const;
    bool may_be_spent_unseen(const LedgerTransaction& transaction, const Credit& credit) const;
    bool concerns_wallet(const LedgerTransaction& transaction) const;
    bool is_settled(const LedgerTransaction* transaction) const;
    std::uint32_t confirmations(const LedgerTransaction& transaction) const;
    bool is_mature(const LedgerTransaction& transaction) const;
    std::int64_t time_of(const LedgerTransaction& transaction) const;
    Coin make_coin(const LedgerTransaction& transaction, const Credit& credit) const;
    HistoryEntry make_entry(const LedgerTransaction& transaction) const;

    const Ledger& ledger_;
    Conflicts conflicts_;
};

/// The fee of a transaction, known or not, negative if its outputs exceed its inputs; empty if not
/// all inputs are the wallet's. In proportion to them.
std::optional<chain::Satoshis> fee_of(const Ledger& ledger, const chain::Transaction& transaction);

}  // namespace petal::wallet
