/// The transactions of a wallet, without keys, disk or clock.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "wallet/keys/key_path.h"
#include "wallet/ledger/ledger_blocks.h"
#include "wallet/ledger/ledger_transaction.h"
#include "wallet/ledger/spend_index.h"

namespace petal::wallet {

/// The transactions of a wallet, their blocks and the order in which they were last seen. Results
/// derived from them (conflicts, balances, coins) are computed on request: LedgerView.
///
/// Of two unconfirmed transactions with a common input the last seen wins. But a spend of the
/// wallet's coins, and its ancestors, lose only to another such spend. A confirmed transaction
/// always wins. Spends of the wallet's coins must be verified before they are added. The loser and
/// its descendants are conflicted: they do not count, but stay in the history, and return if a
/// reorganisation removes the winner. A transaction with an input that a confirmed one has spent is
/// not added.
///
/// Not thread-safe. Queries take logarithmic time at most, unless stated otherwise.
class Ledger {
public:
    Ledger() = default;
    Ledger(Ledger&&) noexcept = default;  // no copy: the indexes refer to the list
    Ledger& operator=(Ledger&&) noexcept = default;

    /// The last block up to which the wallet is synced; confirmations are counted from it, or from
    /// the highest known block if that is above.
    const std::optional<chain::BlockRef>& synced() const { return synced_; }
    void set_synced(std::optional<chain::BlockRef> synced) { synced_ = synced; }
    /// The descriptors from this number on may have been added to a synced wallet: their outputs in
    /// blocks above synced() may be spent there, and count as unconfirmed. For descriptors before
    /// it, an earlier sync has found the spends.
    void set_first_imported(DescriptorNumber number) { first_imported_ = number; }
    DescriptorNumber first_imported() const { return first_imported_; }

    /// Makes room for this many transactions, before they are put back.
    void reserve(std::size_t transactions);
    /// Restores stored data: blocks, then transactions in the order in which they were seen.
    /// Returns false, without effect, for data that contradicts the present content.
    bool restore(const LedgerBlock& block);
    bool restore(LedgerTransaction transaction);

    /// Whether a transaction spends an output of the wallet, or an input of an unconfirmed
    /// transaction of the ledger, which it may replace. Takes time proportional to its inputs.
    bool touches(const chain::Transaction& transaction) const;

    /// The transaction with this txid; null if it is not known.
    const LedgerTransaction* find(const chain::Txid& txid) const;

    /// The wallet's output at an outpoint; null if there is none.
    const Credit* credit(const chain::Outpoint& outpoint) const;
    using Transactions = std::list<LedgerTransaction>;
    /// All transactions, in the order of their first sight, or as they were restored.
    const Transactions& transactions() const { return transactions_; }
    /// The unconfirmed transactions in order of LedgerTransaction::seen_order.
    const std::map<std::uint64_t, const LedgerTransaction*>& unconfirmed() const {
        return unconfirmed_;
    }
    /// Maps outputs, foreign ones included, to the transactions that spend them.
    const SpendIndex& spends() const { return spends_; }
    /// The number and bytes of the unconfirmed transactions that the user did not broadcast.
    struct UnconfirmedLoad {
        std::size_t count = 0;
        std::size_t bytes = 0;
    };
    const UnconfirmedLoad& unconfirmed_load() const { return unconfirmed_load_; }

    /// The blocks that confirm transactions.
    const LedgerBlocks& blocks() const { return blocks_; }

    /// Adds a transaction confirmed by a block of the best chain. Returns its present record, or
    /// null if nothing changed. The block must not contradict a known one.
    const LedgerTransaction* confirm(LedgerTransaction transaction, const LedgerBlock& block,
                                     std::uint32_t position);

    /// Adds an unconfirmed transaction, unless a confirmed one spends any of its inputs. Returns
    /// its present record, or null if nothing changed. A conflicted transaction that is seen again
    /// becomes the last seen, unless it is outbid (is_outbid()) and the user did not announce it
    /// just now. A new one takes time proportional to its inputs, a known one to all conflicts.
    const LedgerTransaction* see(LedgerTransaction transaction);

    /// Notes that the user broadcast a known transaction.
    void set_announced(const chain::Txid& txid);

    /// Forgets a known unconfirmed transaction, as if it had never been seen.
    void forget(const chain::Txid& txid);

    /// Replaces the credits of a known transaction, after the wallet learnt of further own scripts.
    void set_credits(const chain::Txid& txid, std::vector<Credit> credits);

    /// Forgets the blocks above `height`. Their transactions are unconfirmed, in their former
    /// order; their coinbases are immature until synced() reaches the block's height, and
    /// conflicted if they are not found before. synced() stays.
    void undo_to(std::uint32_t height);

private:
    LedgerTransaction* find_stored(const chain::Txid& txid) const;
    LedgerTransaction* add(LedgerTransaction transaction);
    void put_into_indexes(LedgerTransaction& transaction);
    void take_out_of_indexes(LedgerTransaction& transaction);
    bool has_confirmed_rival(const LedgerTransaction& transaction) const;

    std::optional<chain::BlockRef> synced_;
    DescriptorNumber first_imported_{std::numeric_limits<std::uint32_t>::max()};
    LedgerBlocks blocks_;
    Transactions transactions_;
    boost::unordered_flat_map<chain::Txid, Transactions::iterator, std::hash<chain::Txid>> by_txid_;
    SpendIndex spends_;
    std::map<std::uint64_t, const LedgerTransaction*> unconfirmed_;
    UnconfirmedLoad unconfirmed_load_;
    std::uint64_t next_order_ = 1;
};

}  // namespace petal::wallet
