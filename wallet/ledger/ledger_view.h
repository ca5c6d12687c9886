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

/// Answers queries about a ledger. The constructor resolves the conflicts. The ledger must outlive
/// the view and must not change while the view exists. Queries take time proportional to the number
/// of transactions.
class LedgerView {
public:
    explicit LedgerView(const Ledger& ledger);

    Balance balance() const;
    /// Unspent outputs without scripts, oldest first, unconfirmed last.
    std::vector<Coin> coins() const;
    /// The unspent outputs of one transaction, without scripts. Includes outputs of a transaction
    /// that does not count because of a claim.
    std::vector<Coin> coins_of(const chain::Txid& txid) const;
    /// The newest entries first: unconfirmed transactions in the order last seen, then confirmed
    /// transactions in the order of the chain. A conflicted transaction is placed by its first-seen
    /// time. A `limit` of 0 means no limit.
    std::vector<HistoryEntry> history(std::size_t limit) const;
    /// Empty if the transaction neither pays nor spends from the wallet.
    std::optional<HistoryEntry> entry(const chain::Txid& txid) const;
    /// The unconfirmed transactions that spend from the wallet, in the order last seen.
    std::vector<HistoryEntry> own_unconfirmed() const;
    /// The user's unconfirmed payments that descend from undone transactions, in the order last
    /// seen. Their outputs do not count.
    std::vector<chain::Txid> own_payments_of_undone() const;
    /// The sum that each key received in transactions with at least `confirmations` confirmations,
    /// without conflicted and undone transactions.
    std::map<KeyPath, chain::Satoshis> received(std::uint32_t confirmations = 0) const;
    /// See chain::Watcher. Each list is in ascending order without duplicates.
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

/// The fee of a transaction, which need not be in the ledger. Negative if the outputs exceed the
/// inputs. Empty if not all inputs are the wallet's. Takes time proportional to the number of
/// inputs.
std::optional<chain::Satoshis> fee_of(const Ledger& ledger, const chain::Transaction& transaction);

}  // namespace petal::wallet
