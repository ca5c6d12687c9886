/// The interface between sync and wallet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "chain/block_header.h"
#include "chain/bytes.h"
#include "chain/merkle_proof.h"
#include "chain/transaction.h"

namespace petal::chain {

/// The number of confirmations after which no reorganisation is expected to undo a spend, so that
/// the spent outpoint is no longer watched: a day of blocks.
inline constexpr std::uint32_t kReorganisationReach = 144;

/// The outpoints whose spends a watcher looks for.
struct WatchedOutpoints {
    /// The watcher's confirmed coins, spent or unspent. A spent coin leaves the list when the spend
    /// has kReorganisationReach confirmations.
    std::vector<Outpoint> confirmed;
    /// The watcher's coins of unconfirmed transactions, and all outpoints that these transactions
    /// spend, including outpoints in `confirmed`. Any peer may have fabricated an unconfirmed
    /// transaction. Therefore a filter may include these outpoints only under the conditions that
    /// apply to outpoints of false positives.
    std::vector<Outpoint> unconfirmed;

    friend bool operator==(const WatchedOutpoints&, const WatchedOutpoints&) = default;
};

/// The padding of a watcher's filters. Must never change, not even when the watcher is restored
/// from keys: the intersection of two filters with different padding reveals the watched elements.
struct FilterPadding {
    /// Known only to the watcher. The decoys and the filter's tweak are derived from this secret.
    std::array<Byte, 32> secret{};
    /// The length of the initial watch list. The decoys pad a filter of this length, so that the
    /// decoys stay the same when the list grows.
    std::size_t first_elements = 0;
};

/// A transaction that a merkle proof shows to be in its block.
struct ProvenTransaction {
    std::uint32_t position = 0;  ///< in the block, the coinbase being 0
    Txid txid;
    Transaction transaction;
    MerkleBranch branch = {};  ///< from the transaction to the block's merkle root
};

/// A block of the best chain and the transactions that matched. All transactions of the block were
/// searched with a filter of the watch list.
struct ProvenBlock {
    BlockRef block;
    BlockHeader header;
    std::uint32_t transaction_count = 0;
    std::vector<ProvenTransaction> transactions;  ///< in block order
};

/// Where a watcher's search starts: at the first block whose height is at least `height` and whose
/// header has a time of at least `time`.
struct Birthday {
    std::uint32_t height = 0;
    std::int64_t time = 0;  ///< Unix seconds, safety margin included
};

/// How far a watcher is synced, and the sync engine's state at that point.
struct SyncState {
    /// The last block up to which the chain was searched for the whole watch list. Empty before the
    /// first block.
    std::optional<BlockRef> synced;
    /// The engine's state, opaque to the watcher, which stores both members together.
    Bytes sync_checkpoint;
};

/// A block of the best chain that two merkle proofs show to be invalid: one of the block's
/// transactions repeats an earlier transaction of the chain (BIP30), or spends the same output as
/// an earlier transaction.
struct InvalidBlock {
    BlockRef block;
    Txid transaction;        ///< of `block`
    BlockRef earlier_block;  ///< at most the height of `block`, possibly `block`
    Txid earlier;            ///< the repeated or conflicting transaction

    friend bool operator==(const InvalidBlock&, const InvalidBlock&) = default;
};

/// The result of Watcher::apply().
struct ApplyResult {
    /// The number of blocks applied, from the first on.
    std::size_t applied = 0;
    /// Whether the last block applied made the watch list grow. If so, this block and all later
    /// blocks must be searched again for the new elements.
    bool grew = false;
    /// The number of transactions in the applied blocks that concern the watcher. All further
    /// transactions are false positives of the filter.
    std::size_t relevant = 0;
    /// Blocks that this call has shown to be invalid: applied blocks or blocks applied earlier.
    /// Their conflicting transactions were not stored, or were removed.
    std::vector<InvalidBlock> invalid_blocks{};
};

/// Returns the sync state to be stored with the blocks of an ApplyResult.
using StateAfter = std::function<SyncState(const ApplyResult&)>;

/// A transaction that no block confirms yet.
struct UnconfirmedTransaction {
    Txid txid;
    Transaction transaction;  ///< with witnesses, if the peer has sent them
    std::int64_t time = 0;    ///< Unix seconds at which it was first seen
};

/// A node that has sent a transaction. Both numbers are stable across restarts and never 0.
struct TxSource {
    std::uint64_t network_group = 0;  ///< equal for nodes that may belong to one owner
    std::uint64_t node = 0;

    friend auto operator<=>(const TxSource&, const TxSource&) = default;
};

/// The connected nodes that currently show an unconfirmed transaction: each has sent the
/// transaction and, since then, no conflicting transaction.
struct PresentSources {
    Txid txid;
    std::vector<TxSource> sources;  ///< ascending, possibly empty
};

/// A transaction of the user that is to be rebroadcast.
struct OwnTransaction {
    Transaction transaction;      ///< with its witnesses
    std::optional<Satoshis> fee;  ///< empty if not all spent outputs are known
};

/// The sync engine's interface to a wallet: the engine reads the watch list and applies proven
/// blocks. Exceptions, e.g. of a failing disk, pass through the engine to the engine's caller.
class Watcher {
public:
    virtual ~Watcher() = default;

    /// The watch list from position `first` on. The list has one element for each watched output
    /// script: the data that the script pushes (a key hash, a script hash, a witness program, a
    /// public key). Elements are only appended.
    virtual std::vector<Bytes> watched_elements(std::size_t first) const = 0;
    /// The number of elements in the watch list.
    virtual std::size_t watched_count() const = 0;
    /// The output scripts of the watch list (scriptPubKey), in the order of their elements.
    virtual std::vector<Bytes> watched_scripts() const = 0;

    virtual WatchedOutpoints watched_outpoints() const = 0;

    /// The elements of the addresses at which payments are awaited: a part of the watch list, in
    /// groups. A group is never empty. It has the same elements whenever it is returned, in any
    /// process, so a filter may pad each group by itself. Only an import adds elements to a group.
    virtual std::vector<std::vector<Bytes>> awaited_elements() const { return {}; }

    virtual FilterPadding filter_padding() const = 0;

    virtual Birthday birthday() const = 0;

    virtual SyncState sync_state() const = 0;

    /// Returns and clears the height of the lowest block with an output that was recognised only
    /// when the watch list grew. This block and all later blocks were not searched for spends of
    /// the output, and must be searched again. Until this call, sync_state() stays below the block,
    /// even if a higher state is stored.
    virtual std::optional<std::uint32_t> take_unsearched_from() { return std::nullopt; }

    /// Reads changes to the watcher's store by other processes, e.g. a new address. apply() and
    /// apply_unconfirmed() read these changes, too. Returns whether the watch list grew since a
    /// call last reported growth.
    virtual bool refresh() { return false; }

    /// Applies blocks of the best chain, in height order. Stores the blocks, together with the
    /// state that `state_after` returns for the result, all or nothing. sync_state() then returns
    /// this state.
    ///
    /// There may be gaps between the blocks, which later calls fill. A block may be applied again,
    /// with or without transactions that were not found before.
    ///
    /// Stops after the first block that makes the watch list grow. The blocks up to this block are
    /// stored, but not the state. `synced` is then lowered to the state's `synced` or to the parent
    /// of this block, whichever is lower.
    ///
    /// state_after   called once, before the call returns. Must not call the watcher
    virtual ApplyResult apply(std::span<const ProvenBlock> blocks,
                              const StateAfter& state_after) = 0;
    /// Like the above, with a fixed state.
    ApplyResult apply(std::span<const ProvenBlock> blocks, const SyncState& state) {
        return apply(blocks, [&](const ApplyResult& /*result*/) { return state; });
    }

    /// The blocks above this height with transactions of the watcher, in height order. Includes
    /// blocks that have left the best chain since.
    virtual std::vector<BlockRef> blocks_above(std::uint32_t height) const = 0;

    /// Undoes the blocks above `fork`, which left the best chain. A transaction of these blocks is
    /// unconfirmed again if a peer or the user has shown it unconfirmed. Otherwise it no longer
    /// counts (forget_undone()). The change is stored together with the sync state, which is
    /// lowered to `fork`.
    virtual void undo_to(const BlockRef& fork) = 0;

    /// Deletes transactions that were seen only in blocks that left the best chain. The deletion is
    /// stored together with the new sync state `state`.
    virtual void forget_undone(const SyncState& state) { apply({}, state); }

    /// Applies unconfirmed transactions, in the order in which they were seen. Stores them together
    /// with the new sync state `state`, all or nothing. Returns whether the watch list grew (the
    /// outpoints of the transactions themselves do not count).
    ///
    /// The transactions include false positives. `state` is stored even if all are false positives,
    /// because the duration of a call must not reveal to a peer which transactions concern the
    /// watcher.
    ///
    /// sources   of these transactions, and of earlier transactions whose sources have changed. If
    ///           one transaction is named, all conflicting transactions with sources are named, too
    virtual bool apply_unconfirmed(std::span<const UnconfirmedTransaction> transactions,
                                   std::span<const PresentSources> sources,
                                   const SyncState& state) = 0;
    /// Like the above, without sources.
    bool apply_unconfirmed(std::span<const UnconfirmedTransaction> transactions,
                           const SyncState& state) {
        return apply_unconfirmed(transactions, {}, state);
    }

    /// The user's unconfirmed transactions, to be rebroadcast: parents first, otherwise in the
    /// order seen. Excludes transactions received only from peers, because announcing them would
    /// reveal the wallet's coins.
    virtual std::vector<OwnTransaction> own_unconfirmed() const = 0;
};

}  // namespace petal::chain
