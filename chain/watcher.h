/// Where sync and wallet meet: what is watched, what was found, and how far.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chain/block_header.h"
#include "chain/block_ref.h"
#include "chain/bytes.h"
#include "chain/merkle_proof.h"
#include "chain/transaction.h"

namespace petal::chain {

/// How deep a spend must lie before it is no longer searched for: until then a reorganisation may
/// bring the coin back. A day of blocks.
inline constexpr std::uint32_t kReorganisationReach = 144;

/// What a watcher wants to be told of.
struct WatchList {
    /// One for each watched output script: the data that the script pushes (a key hash, a script
    /// hash, a witness program, a public key). The order does not change when the list grows.
    std::vector<Bytes> elements;
    /// Outputs in blocks whose spending matters: own coins, and those spent so recently that a
    /// reorganisation may bring them back.
    std::vector<Outpoint> outpoints;
    /// Own coins of unconfirmed transactions, and what such transactions spend, be it among the
    /// above. Any peer may have made them up: a filter holds them only where it would if they were
    /// strangers'.
    std::vector<Outpoint> unconfirmed;

    friend bool operator==(const WatchList&, const WatchList&) = default;
};

/// What a watcher's filters are padded by. It is the same for ever, also where the watcher is made
/// anew from its keys: filters that change betray what changed.
struct FilterPadding {
    /// Known to the watcher alone. Decoys and the hashes' seed follow from it.
    std::array<Byte, 32> secret{};
    /// How many elements of the list, from the first on, were there from the beginning: the decoys
    /// are chosen beside those, and stay when the list grows.
    std::size_t first_elements = 0;
};

/// A transaction that a merkle proof shows to be in its block.
struct ProvenTransaction {
    std::uint32_t position = 0;  ///< in the block, the coinbase being 0
    Txid txid;
    Transaction transaction;
    MerkleBranch branch = {};  ///< from the transaction to the block's merkle root
};

/// A block of the best chain, with those of its transactions that were found; the rest of it was
/// searched too, by a filter of the watch list.
struct ProvenBlock {
    BlockRef block;
    BlockHeader header;
    std::uint32_t transaction_count = 0;
    std::vector<ProvenTransaction> transactions;  ///< in block order
};

/// From where on the chain can concern a watcher: from the first block on that is at least at
/// `height` and whose header's time is at least `time`; nothing below it needs to be searched.
struct Birthday {
    std::uint32_t height = 0;
    std::int64_t time = 0;  ///< Unix seconds, safety margin included
};

/// How far a watcher has been served, and what the sync engine wants to remember with it.
struct SyncState {
    /// The last block up to which everything watched was covered; nothing before the first.
    std::optional<BlockRef> synced;
    /// The engine's own memory, meaningless to the watcher, which stores it with the rest.
    Bytes sync_checkpoint;
};

/// What became of a batch.
struct ApplyResult {
    /// How many of its blocks were taken, from the first on.
    std::size_t applied = 0;
    /// Whether the last of those made the watch list grow. That block, and all later ones, must
    /// then be searched again for what is new.
    bool grew = false;
    /// How many of the transactions in the blocks taken concern the watcher; the others came by the
    /// filter's false positives.
    std::size_t relevant = 0;
};

/// A transaction that no block confirms yet.
struct UnconfirmedTransaction {
    Txid txid;
    Transaction transaction;  ///< with its witnesses, where the peer has sent them
    std::int64_t time = 0;    ///< Unix seconds at which it was first seen
};

/// A transaction that spends the watcher's coins.
struct OwnTransaction {
    Transaction transaction;      ///< with its witnesses
    std::optional<Satoshis> fee;  ///< nothing where not all that it spends is known
};

/// Someone with an interest in transactions: a wallet. The sync engine asks what is watched, and
/// hands over what it proved. Exceptions (a failing disk) pass through the engine to its caller.
class Watcher {
public:
    virtual ~Watcher() = default;

    virtual WatchList watch_list() const = 0;

    virtual FilterPadding filter_padding() const = 0;

    virtual Birthday birthday() const = 0;

    virtual SyncState sync_state() const = 0;

    /// Takes notice of what other processes have changed in the watcher's store since it was read:
    /// an address handed out, say. Returns whether the watch list grew by that, unless apply() or
    /// apply_unconfirmed() has returned it already; those take notice, too.
    virtual bool refresh() { return false; }

    /// Takes blocks of the best chain, in height order, and stores them together with `state`,
    /// which is sync_state() from then on: all or nothing. There may be gaps, which other calls
    /// fill, and blocks may come again, with transactions that were not found in them before or
    /// with none that are new. Stops behind the first block that makes the watch list grow; what
    /// was taken by then is stored, but the sync state stays as it was.
    virtual ApplyResult apply(std::span<const ProvenBlock> blocks, const SyncState& state) = 0;

    /// The blocks above `fork` left the best chain: what they confirmed is unconfirmed again.
    /// Stored together with the sync state, which becomes `fork` where it was above.
    virtual void undo_to(const BlockRef& fork) = 0;

    /// Takes transactions that no block confirms yet, in the order in which they were seen, and
    /// stores them together with `state`, which is sync_state() from then on: all or nothing.
    /// Strangers' transactions are among them, and `state` is stored even if all of them are: the
    /// time that a call takes must not tell a peer which ones concern the watcher.
    /// Returns whether the watch list grew (outpoints of the transactions themselves do not count).
    virtual bool apply_unconfirmed(std::span<const UnconfirmedTransaction> transactions,
                                   const SyncState& state) = 0;

    /// Those that its owner has had announced and that no block confirms yet, in the order of their
    /// first sight: for nodes that have forgotten them to be told again. None that only peers have
    /// shown: announcing those would tell which coins are the wallet's.
    virtual std::vector<OwnTransaction> own_unconfirmed() const = 0;
};

}  // namespace petal::chain
