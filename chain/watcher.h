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

/// The number of blocks on top of a spend after which it is no longer searched for: until then a
/// reorganisation may undo the spend. A day of blocks.
inline constexpr std::uint32_t kReorganisationReach = 144;

/// The outpoints whose spends a watcher looks for.
struct WatchedOutpoints {
    /// Confirmed outputs: own coins, and coins spent so recently that a reorganisation may undo the
    /// spend.
    std::vector<Outpoint> confirmed;
    /// Own coins of unconfirmed transactions, and the outpoints that such transactions spend, even
    /// those in `confirmed`. Any peer may have fabricated the transactions: a filter holds these
    /// outpoints only if it would hold those of a false positive.
    std::vector<Outpoint> unconfirmed;

    friend bool operator==(const WatchedOutpoints&, const WatchedOutpoints&) = default;
};

/// The padding of a watcher's filters. It never changes, even if the watcher is restored from its
/// keys: filters that differ reveal more elements.
struct FilterPadding {
    /// Known only to the watcher. Decoys and the hashes' tweak are derived from it.
    std::array<Byte, 32> secret{};
    /// The length of the initial list. The decoys fill up a filter of these first elements, so that
    /// they stay the same when the list grows.
    std::size_t first_elements = 0;
};

/// A transaction that a merkle proof shows to be in its block.
struct ProvenTransaction {
    std::uint32_t position = 0;  ///< in the block, the coinbase being 0
    Txid txid;
    Transaction transaction;
    MerkleBranch branch = {};  ///< from the transaction to the block's merkle root
};

/// A block of the best chain, with its transactions that matched; the whole block was searched, by
/// a filter of the watch list.
struct ProvenBlock {
    BlockRef block;
    BlockHeader header;
    std::uint32_t transaction_count = 0;
    std::vector<ProvenTransaction> transactions;  ///< in block order
};

/// The start of a watcher's search: the first block that is at least at `height` and whose header's
/// time is at least `time`.
struct Birthday {
    std::uint32_t height = 0;
    std::int64_t time = 0;  ///< Unix seconds, safety margin included
};

/// How far a watcher is synced, and the sync engine's state at that point.
struct SyncState {
    /// The last block up to which the chain was searched for the whole watch list; empty before the
    /// first.
    std::optional<BlockRef> synced;
    /// The engine's state, opaque to the watcher, which stores it with `synced`.
    Bytes sync_checkpoint;
};

/// A block of the best chain that two merkle proofs show to be invalid: an earlier transaction of
/// the chain is the same as one of its transactions (BIP30), or spends the same output.
struct InvalidBlock {
    BlockRef block;
    Txid transaction;        ///< of that block
    BlockRef earlier_block;  ///< not above `block`; it may be the same
    Txid earlier;            ///< the earlier transaction

    friend bool operator==(const InvalidBlock&, const InvalidBlock&) = default;
};

/// The result of Watcher::apply().
struct ApplyResult {
    /// The number of blocks applied, from the first on.
    std::size_t applied = 0;
    /// Whether the last block applied made the watch list grow. That block and all later ones must
    /// then be searched again for the new elements.
    bool grew = false;
    /// The number of transactions in the blocks applied that concern the watcher; the others are
    /// false positives of the filter.
    std::size_t relevant = 0;
    /// Blocks that the blocks applied have shown to be invalid, themselves or known ones. Their
    /// transactions that came too late were not taken, or lost their place.
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

/// A node that has shown a transaction. Both numbers stay the same across restarts, and are not 0.
struct TxSource {
    std::uint64_t network_group = 0;  ///< equal for nodes that may belong to one owner
    std::uint64_t node = 0;

    friend auto operator<=>(const TxSource&, const TxSource&) = default;
};

/// The connected nodes that show an unconfirmed transaction now: they have sent it, and have not
/// sent one that it conflicts with since.
struct PresentSources {
    Txid txid;
    std::vector<TxSource> sources;  ///< ascending; empty for none
};

/// A transaction that spends the watcher's coins.
struct OwnTransaction {
    Transaction transaction;      ///< with its witnesses
    std::optional<Satoshis> fee;  ///< empty if not all spent outputs are known
};

/// A wallet, as the sync engine sees it: the engine reads the watch list, and applies proven
/// blocks. Exceptions (a failing disk) pass through the engine to its caller.
class Watcher {
public:
    virtual ~Watcher() = default;

    /// The watch list: one element for each watched output script, the data that the script pushes
    /// (a key hash, a script hash, a witness program, a public key). It only grows, at its end.
    /// Returns it from position `first` on: nothing if it is not longer.
    virtual std::vector<Bytes> watched_elements(std::size_t first) const = 0;
    /// The number of elements in the watch list.
    virtual std::size_t watched_count() const = 0;

    virtual WatchedOutpoints watched_outpoints() const = 0;

    virtual FilterPadding filter_padding() const = 0;

    virtual Birthday birthday() const = 0;

    virtual SyncState sync_state() const = 0;

    /// The lowest block with an output that became the watcher's only when the list grew. That
    /// block and all above were not searched for spends of the output, and must be searched again.
    /// Until this is called, sync_state() stays below that block, whatever is stored. Clears the
    /// value.
    virtual std::optional<std::uint32_t> take_unsearched_from() { return std::nullopt; }

    /// Reads changes of the watcher's store by other processes, e.g. a new address. Returns whether
    /// the watch list grew, unless apply() or apply_unconfirmed() has reported it already: these
    /// read such changes, too.
    virtual bool refresh() { return false; }

    /// Applies blocks of the best chain, in height order, and stores them together with the state
    /// that `state_after` returns for the result, which is sync_state() from then on: all or
    /// nothing. There may be gaps, which other calls fill, and a block may be applied again, with
    /// or without transactions that were not found before. Stops after the first block that makes
    /// the watch list grow. Then the blocks up to that one are stored, but not the state: only
    /// `synced` is lowered, to that of the state or below that block, whichever is lower.
    /// state_after   called once, before the call returns; does not call the watcher
    virtual ApplyResult apply(std::span<const ProvenBlock> blocks,
                              const StateAfter& state_after) = 0;
    /// Like the above, with the same state for each result.
    ApplyResult apply(std::span<const ProvenBlock> blocks, const SyncState& state) {
        return apply(blocks, [&](const ApplyResult& /*result*/) { return state; });
    }

    /// The blocks above this height with transactions of the watcher, in height order. Some may
    /// have left the best chain since.
    virtual std::vector<BlockRef> blocks_above(std::uint32_t height) const = 0;

    /// The blocks above `fork` left the best chain. Transactions that were shown unconfirmed, too,
    /// are unconfirmed again; the others no longer count (forget_undone()). Stored together with
    /// the sync state, which becomes `fork` if it was above.
    virtual void undo_to(const BlockRef& fork) = 0;

    /// Forgets the transactions that only blocks had which left the best chain, unless peers have
    /// shown them since. Stored together with `state`, which is sync_state() from then on.
    virtual void forget_undone(const SyncState& state) { apply({}, state); }

    /// Applies unconfirmed transactions, in the order in which they were seen, and stores them
    /// together with `state`, which is sync_state() from then on: all or nothing. False positives
    /// are among them, and `state` is stored even if all of them are: the duration of a call must
    /// not reveal to a peer which transactions concern the watcher. Returns whether the watch list
    /// grew (outpoints of the transactions themselves do not count).
    /// sources   of these transactions, and of others that were applied before, as far as the
    ///           sources have changed. If it names a transaction, it names all those that conflict
    ///           with it, too, and some node shows
    virtual bool apply_unconfirmed(std::span<const UnconfirmedTransaction> transactions,
                                   std::span<const PresentSources> sources,
                                   const SyncState& state) = 0;
    /// Like the above, if the sources are not known.
    bool apply_unconfirmed(std::span<const UnconfirmedTransaction> transactions,
                           const SyncState& state) {
        return apply_unconfirmed(transactions, {}, state);
    }

    /// The unconfirmed transactions that the user broadcast, in the order seen, but parents first,
    /// to be rebroadcast to nodes that forgot them. Excludes transactions received only from peers:
    /// announcing those would reveal the wallet's coins.
    virtual std::vector<OwnTransaction> own_unconfirmed() const = 0;
};

}  // namespace petal::chain
