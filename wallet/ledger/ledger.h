/// The transactions of a wallet, without keys, disk or clock.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"
#include "chain/watcher.h"
#include "wallet/keys/key_path.h"
#include "wallet/ledger/ledger_blocks.h"
#include "wallet/ledger/ledger_indexes.h"
#include "wallet/ledger/ledger_transaction.h"

namespace petal::wallet {

/// The transactions of a wallet, their blocks and the order in which they were last seen. Results
/// derived from them (conflicts, balances, coins) are computed on request: LedgerView.
///
/// Of two unconfirmed transactions with a common input the last seen wins. But a spend of the
/// wallet's coins, and its ancestors, lose only to another such spend. A claim wins only over
/// claims that were seen after it (PeerEvidence). A confirmed transaction always
/// wins. Spends of the wallet's coins must be verified before they are added. The loser and
/// its descendants are conflicted: they do not count, but stay in the history, and return if a
/// reorganisation removes the winner. A transaction with an input that a confirmed one has spent is
/// not added.
///
/// A transaction has one place on the chain, the lowest, and an output one spender, that in the
/// lowest place. After an undo, each transaction has the standing that it had before the block.
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
    /// Transactions whose block at or below this one was to be searched again, and that were not
    /// found, are undone. Returns whether there are any.
    bool set_synced(std::optional<chain::BlockRef> synced);
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
    using BySeenOrder = LedgerIndexes::BySeenOrder;
    /// The unconfirmed transactions, without those that are undone.
    const BySeenOrder& unconfirmed() const { return indexes_.unconfirmed(); }
    /// The transactions for which LedgerTransaction::is_undone() is true.
    const BySeenOrder& undone() const { return indexes_.undone(); }
    /// Maps outputs, foreign ones included, to the transactions that spend them. Without those that
    /// are undone.
    const SpendIndex& spends() const { return indexes_.spends(); }
    const LedgerIndexes& indexes() const { return indexes_; }

    /// The blocks that confirm transactions.
    const LedgerBlocks& blocks() const { return blocks_; }

    /// The result of confirm().
    struct Confirmed {
        const LedgerTransaction* record = nullptr;  ///< null if nothing changed
        std::vector<chain::InvalidBlock> invalid_blocks;
        /// Transactions that came too late, and lost their place in a higher block.
        std::vector<chain::Txid> displaced;
        bool any_left_block = false;  ///< one of these, or the transaction itself
    };
    /// Adds a transaction confirmed by a block of the best chain, unless an earlier place has the
    /// same transaction, or one that spends the same output: then the block is invalid (BIP30). A
    /// later place is given up. The block must not contradict a known one. A coinbase that is
    /// repeated proves nothing: two blocks of mainnet did so before BIP30.
    Confirmed confirm(LedgerTransaction transaction, const LedgerBlock& block,
                      std::uint32_t position);

    /// Adds an unconfirmed transaction, unless a confirmed one spends any of its inputs. Returns
    /// its present record, or null if nothing changed. A claim or a conflicted transaction that is
    /// seen again becomes the last seen, unless it is seen as a claim, or it is outbid
    /// (is_outbid()) and the user did not announce it just now. A new one takes time proportional
    /// to its inputs, a known one to all conflicts. One that only blocks had so far gets the bytes
    /// and the time of the given one.
    const LedgerTransaction* see(LedgerTransaction transaction);
    /// A known unconfirmed transaction becomes the last seen, and is no claim any more. Returns its
    /// record.
    const LedgerTransaction* see(const chain::Txid& txid);

    /// Notes that the user broadcast a known transaction, which is `shown`.
    void set_announced(const chain::Txid& txid);
    /// Sets LedgerTransaction::shown of a known confirmed transaction. Without it, the user did not
    /// announce the transaction either.
    void set_shown(const chain::Txid& txid, bool is_shown);
    /// Replaces the sources of a known transaction (PeerEvidence). Returns its record.
    const LedgerTransaction* set_sources(const chain::Txid& txid,
                                         std::vector<chain::TxSource> sources);

    /// Sets LedgerTransaction::stored_bytes of a known transaction.
    void set_stored_bytes(const chain::Txid& txid, std::size_t bytes);

    /// Forgets a known unconfirmed transaction, as if it had never been seen.
    void forget(const chain::Txid& txid);

    /// Replaces the credits of a known transaction, after the wallet learnt of further own scripts.
    void set_credits(const chain::Txid& txid, std::vector<Credit> credits);

    /// Forgets the blocks above `height`. Their transactions are unconfirmed, in their former
    /// order, if they were `shown`. The others are undone or, if the blocks are only to be searched
    /// again, unconfirmed until synced() reaches the block's height. Coinbases without a block are
    /// orphaned, or immature until then. synced() stays.
    void undo_to(std::uint32_t height, UndoCause cause);

private:
    LedgerTransaction* find_stored(const chain::Txid& txid) const;
    LedgerTransaction* add(LedgerTransaction transaction);
    template <typename Change>
    void change(LedgerTransaction& transaction, Change make);

    std::optional<chain::BlockRef> synced_;
    DescriptorNumber first_imported_{std::numeric_limits<std::uint32_t>::max()};
    LedgerBlocks blocks_;
    Transactions transactions_;
    boost::unordered_flat_map<chain::Txid, Transactions::iterator, std::hash<chain::Txid>> by_txid_;
    LedgerIndexes indexes_;
    std::uint64_t next_order_ = 1;
};

}  // namespace petal::wallet
