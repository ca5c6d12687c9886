/// Adds transactions to a wallet and removes them.
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

/// The bounds of unconfirmed transactions that the user did not broadcast, in number and in bytes
/// of their wire forms: fabricating them costs nothing. Transactions above these bounds are refused
/// and never evict earlier ones. A busy wallet has tens at once; with this maximum, every command
/// still reads the file within a fraction of a second.
inline constexpr std::size_t kMaxUnconfirmed = 2'000;
inline constexpr std::size_t kMaxUnconfirmedBytes = 10'000'000;

/// The outputs of stored transactions that the inputs spend, in their order. Within
/// WalletStore::read() or write(), with the wallet in the state of its file.
std::vector<std::optional<KnownOutput>> known_outputs_spent(const WalletState& current,
                                                            WalletStore& store,
                                                            const chain::Transaction& transaction);

/// Whether an unconfirmed transaction of the wallet spends an output of another one with a valid
/// signature: it was `shown` and spends such an output of the wallet's, or is_verified_child(). (A
/// block may have brought it without its witness since it was shown.) In the same way.
bool is_known_child(const WalletState& current, WalletStore& store, const chain::Txid& child,
                    const chain::Txid& parent);

/// The block before this one; empty for the genesis block.
std::optional<chain::BlockRef> block_before(const chain::ProvenBlock& block);

// Each within one database transaction of the store, with the wallet in the state of its file.

/// Forgets transactions without a block, in memory and in the file. The addresses that they paid
/// stay used.
void forget(WalletStore& store, WalletState& current, std::span<const chain::Txid> txids);

/// Forgets the transactions that only undone blocks had (left_by_undone_blocks()).
void forget_undone(WalletStore& store, WalletState& current);

/// Of these, forgets the coinbases: no peer can show them.
void forget_orphaned_coinbases(WalletStore& store, WalletState& current);

/// Notes which nodes show unconfirmed transactions of the wallet. One that more of them show than
/// those that it conflicts with counts from now on (is_preferred()).
void take_sources(WalletStore& store, WalletState& current,
                  std::span<const chain::PresentSources> sources);

/// Adds an unnamed source to an unconfirmed transaction and its unconfirmed ancestors.
void note_shown(WalletStore& store, WalletState& current, const chain::Txid& txid);

/// Adds transactions to the wallet in memory and to its file. Each function is
/// called within one database transaction of the store, with the wallet in the state of its file.
/// Not thread-safe.
class TransactionIntake {
public:
    /// `store` must outlive it.
    explicit TransactionIntake(WalletStore& store) : store_(store) {}

    /// Called with the stored ledger, whenever it was read.
    void start_from(const Ledger& ledger);

    /// Adds to `result` how many of the block's transactions concern the wallet, and which blocks
    /// these have shown to be invalid.
    void take_block(WalletState& current, const chain::ProvenBlock& block,
                    chain::ApplyResult& result);
    /// The blocks above the fork no longer count as searched, and their transactions lose their
    /// place (Ledger::undo_to()). A coinbase is forgotten if its block has left the chain, unless
    /// an unconfirmed payment needs it.
    /// fork   empty for all blocks
    void undo_above(WalletState& current, const std::optional<chain::BlockRef>& fork,
                    UndoCause cause);

    /// The source of an unconfirmed transaction. The user's own are not bounded.
    enum class Source : std::uint8_t { peer, user };
    /// Adds an unconfirmed transaction that has no find_refused_spend() and is within the bounds
    /// above, or keeps it as an orphan if it does not concern the wallet.
    void take_unconfirmed(WalletState& current, const chain::UnconfirmedTransaction& unconfirmed,
                          Source source);
    /// Adds a transaction that the user broadcasts or is about to. Returns whether it spends from
    /// the wallet; if it does, it is rebroadcast in exactly these bytes.
    bool take_own(WalletState& current, const chain::Transaction& transaction, std::int64_t time);
    /// Adds orphans that turn out to concern the wallet: a transaction may arrive before the one
    /// that it spends.
    void adopt_orphans(WalletState& current);
    void forget_orphans() { orphans_ = {}; }
    /// Forgets transactions that have been unconfirmed for chain::kUnconfirmedLifetime, by the time
    /// in block headers.
    void expire_unconfirmed(WalletState& current);
    /// As Wallet::forget_blocks().
    void forget_blocks(WalletState& current);

    /// Stores the scripts that the key ring derived, and looks for payments to them in the known
    /// transactions. A sync has not searched for spends of such payments, so the wallet counts as
    /// synced only to below the lowest block with one. If a payment is to a descriptor of the
    /// wallet's own, that block and all above are undone until a sync has searched them again.
    /// Returns whether the key ring had derived scripts.
    bool store_new_scripts(WalletState& current);

    /// The wallet is synced to this block. Transactions that were to be found again below, and were
    /// not, are undone.
    void set_synced(WalletState& current, const std::optional<chain::BlockRef>& to);
    /// The wallet is synced no further than to this block.
    void lower_synced(WalletState& current, const std::optional<chain::BlockRef>& to);

    /// This block and those above are to be searched again.
    void note_unsearched(std::uint32_t from);
    /// The lowest of the blocks noted, here and by store_new_scripts(), since it was taken last.
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
    void set_back_to_before(WalletState& current, std::uint32_t height, bool is_own);

    WalletStore& store_;
    OrphanPool orphans_;
    /// The latest time of a block header that the wallet was given and that was not undone: the
    /// only clock that no peer can set. When blocks are searched again, their transactions must not
    /// expire before that.
    std::int64_t chain_time_ = 0;
    std::optional<std::uint32_t> unsearched_from_;
};

}  // namespace petal::wallet
