/// The wallet's bookkeeping, without keys, disk or clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "chain/watcher.h"
#include "wallet/keys/key_path.h"
#include "wallet/ledger/ledger_transaction.h"
#include "wallet/ledger/records.h"
#include "wallet/ledger/spend_index.h"

namespace petal::wallet {

/// The number of confirmations from which a coinbase output can be spent in the next block (Bitcoin
/// Core: COINBASE_MATURITY).
inline constexpr std::uint32_t kCoinbaseMaturity = 100;

/// The transactions of a wallet. Balances, coins and conflicts are computed at each call from the
/// transactions, their blocks and the order in which they were last seen; no result is stored.
///
/// Of two unconfirmed transactions with a common input the one seen last wins, but a spend of the
/// wallet's coins, and what it descends from, loses to another such spend alone; a confirmed one
/// wins over all. Spends of the wallet's coins must be verified before they are given to it. The
/// loser and its descendants are conflicted: they count nowhere, but stay in the history, and come
/// back where a reorganisation takes the winner away. A transaction that comes after a confirmed
/// one with a common input is not taken at all.
///
/// Not thread-safe. Answers take time in proportion to the transactions, unless said otherwise.
class Ledger {
public:
    /// The last block up to which the wallet is synced; confirmations are counted from it.
    const std::optional<chain::BlockRef>& synced() const { return synced_; }
    void set_synced(std::optional<chain::BlockRef> synced) { synced_ = synced; }

    /// Puts back what an earlier run had stored: blocks, then transactions in the order of their
    /// sight. Nothing happens, and false is returned, where it contradicts what is there already.
    bool restore(const LedgerBlock& block);
    bool restore(LedgerTransaction transaction);

    /// Whether a transaction spends an output of the wallet's, or an input of an unconfirmed one of
    /// its transactions, which it may replace. In proportion to its inputs.
    bool touches(const chain::Transaction& transaction) const;

    /// The transaction with this txid; null if it is not known. In constant time.
    const LedgerTransaction* find(const chain::Txid& txid) const;

    /// Whether another block is known where this one is. In constant time.
    bool contradicts(const chain::BlockRef& block) const;
    /// The time of the highest known block; empty if none is known. In constant time.
    std::optional<std::int64_t> last_block_time() const {
        if (blocks_.empty()) return std::nullopt;
        return blocks_.rbegin()->second.time;
    }

    /// Adds a transaction that a block of the best chain confirms. Returns it as it is now, or null
    /// if nothing changed. The block must not contradict a known one.
    const LedgerTransaction* confirm(LedgerTransaction transaction, const LedgerBlock& block,
                                     std::uint32_t position);

    /// Adds an unconfirmed transaction, unless a confirmed one spends any of its inputs. Returns it
    /// as it is now, or null if nothing changed. A conflicted one that is seen again is the last
    /// seen. A new one takes time in proportion to its inputs, a known one to all conflicts.
    const LedgerTransaction* see(LedgerTransaction transaction);

    /// Notes that the user broadcast a known transaction.
    void set_announced(const chain::Txid& txid);

    /// A known transaction, followed by its unconfirmed descendants.
    std::vector<chain::Txid> with_descendants(const chain::Txid& txid) const;
    /// The unconfirmed transactions that were first seen at `time` or before, with their
    /// descendants; without transactions that the user broadcast, and their ancestors.
    std::vector<chain::Txid> unconfirmed_since(std::int64_t time) const;
    /// All transactions but the unconfirmed ones that the user broadcast, and their ancestors.
    std::vector<chain::Txid> not_needed_by_announced() const;
    /// Forgets a known unconfirmed transaction, as if it had never been seen.
    void forget(const chain::Txid& txid);

    /// The confirmed transaction that spends an output; null if none is known. In constant time.
    const LedgerTransaction* confirmed_spender(const chain::Outpoint& outpoint) const {
        return spends_.confirmed_spender(outpoint);
    }
    /// The unconfirmed transactions that spend an output, in no order. In constant time.
    const SpendIndex::Transactions& unconfirmed_spenders(const chain::Outpoint& outpoint) const {
        return spends_.unconfirmed_spenders(outpoint);
    }
    /// The output of the wallet's that an outpoint names; null for any other. In logarithmic time.
    const Credit* credit(const chain::Outpoint& outpoint) const;

    /// The number and bytes of the unconfirmed transactions that the user did not broadcast.
    struct UnconfirmedLoad {
        std::size_t count = 0;
        std::size_t bytes = 0;
    };
    const UnconfirmedLoad& unconfirmed_load() const { return unconfirmed_load_; }

    /// Replaces the credits of a known transaction, after the wallet learnt of further own scripts.
    void set_credits(const chain::Txid& txid, std::vector<Credit> credits);

    /// Forgets the blocks above `height`. Their transactions are unconfirmed, in their former
    /// order; their coinbases are immature until synced() reaches the block's height, and
    /// conflicted if they are not found by then. synced() stays.
    void undo_to(std::uint32_t height);
    /// Whether there are transactions in blocks above `height`.
    bool has_blocks_above(std::uint32_t height) const {
        return blocks_.upper_bound(height) != blocks_.end();
    }

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
    /// The fee of a transaction, known or not, negative if its outputs exceed its inputs; empty if
    /// not all inputs are the wallet's. In proportion to them.
    std::optional<chain::Satoshis> fee_of(const chain::Transaction& transaction) const;
    /// The sum that each key received in transactions with at least `confirmations` confirmations;
    /// conflicted ones do not count.
    std::map<KeyPath, chain::Satoshis> received(std::uint32_t confirmations = 0) const;
    /// The outpoints of a chain::WatchList, each once in either list, in ascending order.
    chain::WatchList watched_outpoints() const;

private:
    /// Conflicted transactions, each with the winner.
    using Conflicts = std::unordered_map<chain::Txid, chain::Txid>;

    LedgerTransaction& add(LedgerTransaction transaction);
    void put_into_indexes(LedgerTransaction& transaction);
    void take_out_of_indexes(LedgerTransaction& transaction);

    Conflicts conflicts() const;
    bool has_confirmed_rival(const LedgerTransaction& transaction) const;
    const LedgerTransaction* spender(const chain::Outpoint& outpoint,
                                     const Conflicts& conflicts) const;
    bool is_unsearched_coinbase(const LedgerTransaction& transaction) const;
    bool concerns_wallet(const LedgerTransaction& transaction) const;
    bool is_own_spend(const LedgerTransaction& transaction) const;
    bool is_settled(const LedgerTransaction* transaction) const;
    std::uint32_t confirmations(const LedgerTransaction& transaction) const;
    std::int64_t time_of(const LedgerTransaction& transaction) const;
    bool is_mature(const LedgerTransaction& transaction) const;
    Coin make_coin(const LedgerTransaction& transaction, const Credit& credit) const;
    HistoryEntry make_entry(const LedgerTransaction& transaction, const Conflicts& conflicts) const;

    std::optional<chain::BlockRef> synced_;
    std::map<std::uint32_t, LedgerBlock> blocks_;
    std::unordered_map<chain::Txid, LedgerTransaction> transactions_;
    /// By every input of every transaction, foreign ones included.
    SpendIndex spends_;
    /// The unconfirmed transactions, the last seen last.
    std::map<std::uint64_t, const LedgerTransaction*> unconfirmed_;
    UnconfirmedLoad unconfirmed_load_;
    std::uint64_t next_order_ = 1;
};

}  // namespace petal::wallet
