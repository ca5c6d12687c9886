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

/// The transactions of a wallet, their blocks and the order in which they were last seen.
/// LedgerView computes conflicts, balances and coins on request.
///
/// Which of two transactions with a common input counts:
/// - A confirmed transaction always counts. A transaction whose input a confirmed transaction has
///   spent is not added.
/// - Of two unconfirmed transactions, the transaction last seen counts. Exceptions: a spend of the
///   wallet's coins, and its ancestors, lose only to another spend of the wallet's coins. A claim
///   wins only over claims that were seen later (PeerEvidence).
///
/// Spends of the wallet's coins must be verified before they are added. The losing transaction and
/// its descendants are conflicted. A conflicted transaction stays in the history but does not
/// count, until a reorganisation removes the winner.
///
/// Only the lowest place of a transaction on the chain counts, and only the spender of an output in
/// the lowest place. After an undo, each transaction has the same standing as before the block.
///
/// Not thread-safe. Queries take at most logarithmic time, unless stated otherwise.
class Ledger {
public:
    Ledger() = default;
    Ledger(Ledger&&) noexcept = default;  // no copy, since the indexes refer to the list
    Ledger& operator=(Ledger&&) noexcept = default;

    /// The last block up to which the wallet is synced. Confirmations are counted from this block
    /// or from the highest known block, whichever is higher.
    const std::optional<chain::BlockRef>& synced() const { return synced_; }
    /// Undoes the transactions whose block was searched again up to `synced` without finding them.
    /// Returns whether there are any.
    bool set_synced(std::optional<chain::BlockRef> synced);
    /// Descriptors from this number on may have been added to a synced wallet. Their outputs in
    /// blocks above synced() may already be spent in these blocks, and count as unconfirmed. For
    /// descriptors below this number, an earlier sync has found the spends.
    void set_first_imported(DescriptorNumber number) { first_imported_ = number; }
    DescriptorNumber first_imported() const { return first_imported_; }

    /// Allocates memory for this number of transactions, before restore().
    void reserve(std::size_t transactions);
    /// Restores stored data: first blocks, then transactions in the order in which they were seen.
    /// Returns false, without effect, if the data contradicts the content of the ledger.
    bool restore(const LedgerBlock& block);
    bool restore(LedgerTransaction transaction);

    /// Whether a transaction spends an output of the wallet, or conflicts with an unconfirmed
    /// transaction of the ledger. Takes time proportional to the number of inputs.
    bool touches(const chain::Transaction& transaction) const;

    /// Null for an unknown transaction.
    const LedgerTransaction* find(const chain::Txid& txid) const;

    /// The wallet's output at an outpoint. Null if there is none.
    const Credit* credit(const chain::Outpoint& outpoint) const;
    using Transactions = std::list<LedgerTransaction>;
    /// All transactions, in the order in which they were first seen or restored.
    const Transactions& transactions() const { return transactions_; }
    using BySeenOrder = LedgerIndexes::BySeenOrder;
    /// The unconfirmed transactions, without undone transactions.
    const BySeenOrder& unconfirmed() const { return indexes_.unconfirmed(); }
    /// The undone transactions (LedgerTransaction::is_undone()).
    const BySeenOrder& undone() const { return indexes_.undone(); }
    /// Maps outputs, including foreign outputs, to the transactions that spend them. Without undone
    /// transactions.
    const SpendIndex& spends() const { return indexes_.spends(); }
    const LedgerIndexes& indexes() const { return indexes_; }

    /// The blocks that confirm transactions.
    const LedgerBlocks& blocks() const { return blocks_; }

    /// The result of confirm().
    struct Confirmed {
        const LedgerTransaction* record = nullptr;  ///< null if nothing changed
        std::vector<chain::InvalidBlock> invalid_blocks;
        /// Transactions that lost their place in a higher block.
        std::vector<chain::Txid> displaced;
        bool any_left_block = false;  ///< a displaced transaction or the transaction itself
    };
    /// Adds a transaction confirmed by a block of the best chain, which must not contradict a known
    /// block. The chain may already have the same transaction, or a transaction that spends the
    /// same output:
    /// - in an earlier place: the block is invalid (BIP30), and nothing is added.
    /// - in a later place: the later transaction loses its place, and the later block is invalid.
    ///
    /// A repeated coinbase does not make a block invalid, because two blocks of mainnet repeat a
    /// coinbase.
    Confirmed confirm(LedgerTransaction transaction, const LedgerBlock& block,
                      std::uint32_t position);

    /// Adds an unconfirmed transaction, unless a confirmed transaction spends one of its inputs.
    /// Returns the record, or null if nothing changed.
    ///
    /// A known transaction becomes the last seen if it is conflicted or a claim. Exceptions: it is
    /// seen as a claim now, or it is outbid (is_outbid()) and the user does not broadcast it now. A
    /// transaction that only blocks had until now gets the bytes and the time of `transaction`.
    ///
    /// Takes time proportional to the inputs of a new transaction, or to all conflicts for a known
    /// transaction.
    const LedgerTransaction* see(LedgerTransaction transaction);
    /// Makes a known unconfirmed transaction the last seen, and no longer a claim. Returns the
    /// record.
    const LedgerTransaction* see(const chain::Txid& txid);

    /// Marks a known transaction, which must be `shown`, as broadcast by the user.
    void set_announced(const chain::Txid& txid);
    /// Sets LedgerTransaction::shown of a known confirmed transaction. `false` also clears
    /// `announced`.
    void set_shown(const chain::Txid& txid, bool is_shown);
    /// Replaces the sources of a known transaction (PeerEvidence). Returns the record.
    const LedgerTransaction* set_sources(const chain::Txid& txid,
                                         std::vector<chain::TxSource> sources);

    /// Sets LedgerTransaction::stored_bytes of a known transaction.
    void set_stored_bytes(const chain::Txid& txid, std::size_t bytes);

    /// Forgets a known unconfirmed transaction, as if it had never been seen.
    void forget(const chain::Txid& txid);

    /// Replaces the credits of a known transaction, after the wallet derived further scripts.
    void set_credits(const chain::Txid& txid, std::vector<Credit> credits);

    /// Forgets the blocks above `height`, which left the best chain. synced() stays. What happens
    /// to their transactions:
    /// - `shown`: unconfirmed again, in the former order
    /// - not `shown`: undone. A coinbase is orphaned.
    void undo_to(std::uint32_t height);
    /// Marks the transactions of the blocks above `height` as awaits_search, until synced() reaches
    /// their blocks. The blocks stay known.
    void search_again_above(std::uint32_t height);

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
