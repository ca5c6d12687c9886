/// Adds transactions to a wallet and removes transactions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "chain/transaction.h"
#include "chain/watcher.h"
#include "wallet/ledger/claims.h"
#include "wallet/ledger/orphan_pool.h"
#include "wallet/ledger/spend_check.h"
#include "wallet/store/wallet_store.h"
#include "wallet/wallet_state.h"

namespace petal::wallet {

/// Limits on unconfirmed transactions that the user did not broadcast, in number and in wire bytes,
/// because fabricating them costs nothing. Further transactions are refused and evict no earlier
/// transaction. A busy wallet has tens at once. At the limits, each command still reads the file
/// within a fraction of a second.
inline constexpr std::size_t kMaxUnconfirmed = 2'000;
inline constexpr std::size_t kMaxUnconfirmedBytes = 10'000'000;

/// The outputs of stored transactions that the inputs spend, in the order of the inputs. Must be
/// called within WalletStore::read() or write(), with `current` up to date.
std::vector<std::optional<KnownOutput>> known_outputs_spent(const WalletState& current,
                                                            WalletStore& store,
                                                            const chain::Transaction& transaction);

/// Whether a stored transaction spends an output of `parent` with a valid signature. True if
/// `child` was `shown` and spends an output of `parent` that pays the wallet, even if a block has
/// since delivered `child` without witnesses. Otherwise see is_verified_child(). Must be called
/// like known_outputs_spent().
bool is_known_child(const WalletState& current, WalletStore& store, const chain::Txid& child,
                    const chain::Txid& parent);

/// The parent of this block. Empty for the genesis block.
std::optional<chain::BlockRef> block_before(const chain::ProvenBlock& block);

// Each must be called within one database transaction of the store, with `current` up to date.

/// Removes unconfirmed transactions from memory and file. The addresses that they paid stay used.
void forget(WalletStore& store, WalletState& current, std::span<const chain::Txid> txids);

/// Removes left_by_undone_blocks().
void forget_undone(WalletStore& store, WalletState& current);

/// Removes only the coinbases of left_by_undone_blocks(), which no peer can show.
void forget_orphaned_coinbases(WalletStore& store, WalletState& current);

/// Stores which nodes show unconfirmed transactions of the wallet. A conflicted transaction counts
/// from now on if is_preferred().
void take_sources(WalletStore& store, WalletState& current,
                  std::span<const chain::PresentSources> sources);

/// Adds the source TxSource{} to an unconfirmed transaction and its unconfirmed ancestors.
void mark_shown(WalletStore& store, WalletState& current, const chain::Txid& txid);

/// Adds transactions to the wallet in memory and to its file. Each function must be called within
/// one database transaction of the store, with `current` up to date. Not thread-safe.
class TransactionIntake {
public:
    /// `store` must outlive this object.
    explicit TransactionIntake(WalletStore& store) : store_(store) {}

    /// Must be called after the ledger was read from the file.
    void start_from(const Ledger& ledger);

    /// Adds a block. Adds to `result` the number of transactions that concern the wallet, and the
    /// blocks that are shown to be invalid.
    void take_block(WalletState& current, const chain::ProvenBlock& block,
                    chain::ApplyResult& result);
    /// Undoes the blocks above the fork, which left the chain (Ledger::undo_to()). A coinbase of
    /// these blocks is removed, unless an unconfirmed payment spends it.
    /// fork   empty for all blocks
    void undo_above(WalletState& current, const std::optional<chain::BlockRef>& fork);
    /// The blocks above `before` no longer count as searched (Ledger::search_again_above()).
    /// before   empty for all blocks
    void search_again_above(WalletState& current, const std::optional<chain::BlockRef>& before);

    /// The source of an unconfirmed transaction. The limits do not apply to the user's
    /// transactions.
    enum class Source : std::uint8_t { peer, user };
    /// Adds an unconfirmed transaction, unless it has a find_refused_spend() or exceeds the limits
    /// above. A transaction that does not concern the wallet is kept as an orphan.
    void take_unconfirmed(WalletState& current, const chain::UnconfirmedTransaction& unconfirmed,
                          Source source);
    /// Adds a transaction that the user broadcasts or will broadcast. Returns whether the
    /// transaction spends from the wallet. If so, it is rebroadcast in exactly these bytes.
    bool take_own(WalletState& current, const chain::Transaction& transaction, std::int64_t time);
    /// Adds orphans that concern the wallet now, because a transaction may arrive before its
    /// parent.
    void adopt_orphans(WalletState& current);
    void forget_orphans() { orphans_ = {}; }
    /// Removes transactions that have been unconfirmed for chain::kUnconfirmedLifetime, by the time
    /// in block headers.
    void expire_unconfirmed(WalletState& current);
    /// Implements Wallet::forget_blocks().
    void forget_blocks(WalletState& current);

    /// Stores the scripts that the key ring has derived, and looks for payments to these scripts in
    /// the known transactions. Returns whether there were new scripts.
    ///
    /// A sync has not searched for spends of the payments found. The wallet is therefore synced
    /// only to below the lowest block with one of these payments. If a payment is to a descriptor
    /// that is not imported, the transactions of this block and all later blocks await the search.
    bool store_new_scripts(WalletState& current);

    /// Sets the block that the wallet is synced to. Transactions up to this block no longer
    /// awaits_search.
    void set_synced(WalletState& current, const std::optional<chain::BlockRef>& to);
    /// Lowers the block that the wallet is synced to, unless it is lower already.
    void lower_synced(WalletState& current, const std::optional<chain::BlockRef>& to);

    /// Records that the blocks from this height on must be searched again.
    void mark_unsearched(std::uint32_t from);
    /// The lowest height recorded by mark_unsearched() or store_new_scripts() since the last
    /// take_unsearched_from().
    std::optional<std::uint32_t> unsearched_from() const { return unsearched_from_; }
    std::optional<std::uint32_t> take_unsearched_from() {
        return std::exchange(unsearched_from_, std::nullopt);
    }

private:
    bool confirm(WalletState& current, const chain::ProvenTransaction& proven,
                 const chain::ProvenBlock& block, std::vector<chain::InvalidBlock>& invalid_blocks);
    void store_displaced(WalletState& current, std::span<const chain::Txid> txids);
    void see(WalletState& current, LedgerTransaction entry,
             const chain::UnconfirmedTransaction& seen, Source source);
    void restore_witness(WalletState& current, const LedgerTransaction& known,
                         const chain::Transaction& transaction);
    bool may_see(const WalletState& current, const LedgerTransaction& entry,
                 const chain::Transaction& transaction) const;
    void add(WalletState& current, const LedgerTransaction& added,
             const chain::Transaction& transaction, const chain::Bytes& raw);
    bool is_refused(const WalletState& current, const chain::Transaction& transaction) const;
    void forget_invalid(WalletState& current, const std::vector<chain::Txid>& spends);
    void set_shown(WalletState& current, const chain::Txid& txid, bool is_shown);
    void undo_blocks_above(WalletState& current, const std::optional<chain::BlockRef>& fork);
    void set_back_to_before(WalletState& current, std::uint32_t height, bool is_own);

    WalletStore& store_;
    OrphanPool orphans_;
    /// The latest block time that was not undone, the only clock that no peer can set.
    std::int64_t chain_time_ = 0;
    std::optional<std::uint32_t> unsearched_from_;
};

}  // namespace petal::wallet
