/// A second implementation of the ledger's rules, simple and slow, to compare the ledger with.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "chain/watcher.h"
#include "wallet/ledger/ledger_transaction.h"
#include "wallet/ledger/records.h"

namespace petal::test {

/// Keeps a list of transactions and searches the whole list for every question.
class NaiveLedger {
public:
    using Owner = std::function<std::optional<wallet::KeyPath>(chain::ByteView script)>;

    explicit NaiveLedger(Owner owner) : owner_(std::move(owner)) {}

    void block(const chain::ProvenBlock& block);
    /// Disconnects the blocks above the fork, or all blocks.
    void undo_to(const std::optional<chain::BlockRef>& fork);
    /// Counts the blocks above `before`, or all blocks, as not searched.
    void search_again_above(const std::optional<chain::BlockRef>& before);
    /// Forgets the transactions that only disconnected blocks had.
    void forget_undone();
    /// A transaction that does not concern the wallet is kept as an orphan, and checked again
    /// later.
    void unconfirmed(const chain::Transaction& transaction, std::int64_t time);
    /// An unconfirmed transaction that the user broadcasts.
    void broadcast(const chain::Transaction& transaction, std::int64_t time);
    /// Makes a known unconfirmed transaction the last seen, and no claim of peers any more.
    void prefer(const chain::Txid& txid);
    /// Forgets a known unconfirmed transaction and the unconfirmed descendants.
    void forget(const chain::Txid& txid);
    /// Forgets the transactions that were first seen at `time` or before, except the user's
    /// broadcasts.
    void expire(std::int64_t time);
    /// Disconnects all blocks, and forgets all transactions but the user's broadcasts and the
    /// transactions that these broadcasts need.
    void forget_blocks();

    void forget_orphans() { orphans_.clear(); }

    /// Sets the last block up to which the wallet is synced. block() and undo_to() change this
    /// block too.
    void set_synced(const std::optional<chain::BlockRef>& synced);
    const std::optional<chain::BlockRef>& synced() const { return synced_; }
    /// See Ledger::set_first_imported().
    void set_first_imported(wallet::DescriptorNumber number) { first_imported_ = number; }

    wallet::Balance balance() const;
    std::vector<wallet::Coin> coins() const;  ///< without scripts
    std::vector<wallet::HistoryEntry> history() const;
    std::map<wallet::KeyPath, chain::Satoshis> received(std::uint32_t min_confirmations = 0) const;
    chain::WatchedOutpoints watched_outpoints() const;

private:
    using Indexes = std::set<std::size_t>;

    struct Known {
        chain::Txid txid;
        chain::Transaction transaction;
        std::int64_t seen_time = 0;
        int order = 0;
        bool is_broadcast = false;                  ///< by the user
        bool is_shown = false;                      ///< seen unconfirmed, by a peer or the user
        bool is_claim = false;                      ///< of peers, not verified
        std::optional<chain::ProvenBlock> block{};  ///< without the transactions
        std::uint32_t position = 0;
        bool awaits_search = false;  ///< the block must be searched again

        bool has_lost_block() const { return !block && !is_shown; }
        bool is_undone() const { return has_lost_block() && !transaction.is_coinbase(); }
    };

    std::optional<std::size_t> index_of(const chain::Txid& txid) const;
    std::optional<wallet::KeyPath> owner_of(const chain::Outpoint& outpoint) const;
    chain::Satoshis value_of(const chain::Outpoint& outpoint) const;
    bool concerns(const chain::Transaction& transaction) const;
    bool is_of_wallet(const Known& known) const;
    bool is_own_spend(const chain::Transaction& transaction) const;
    enum class Sender : std::uint8_t { peer, user };
    void see(const chain::Transaction& transaction, std::int64_t time, Sender sender);
    void adopt_orphans();
    std::optional<chain::Satoshis> fee_of(std::size_t i) const;
    bool is_outbid(std::size_t i, const Indexes& out) const;
    Indexes with_ancestors(std::size_t i, bool with_confirmed) const;
    Indexes with_descendants(Indexes indexes) const;
    void erase(const Indexes& indexes);

    static void leave_block(Known& known);
    void undo_blocks_above(const std::optional<chain::BlockRef>& fork);
    bool claim_place(const chain::ProvenBlock& block, const chain::ProvenTransaction& proven);
    Indexes left_by_undone_blocks() const;
    void forget_orphaned_coinbases();
    bool share_input(std::size_t a, std::size_t b) const;
    bool is_parent(std::size_t parent, std::size_t child) const;
    std::vector<std::size_t> unconfirmed_by_order() const;
    Indexes ruled_out() const;
    Indexes vouched_for(const Indexes& out) const;
    enum class Strength : std::uint8_t { evicts, gives_way };
    Indexes replay(const Indexes& players, const Indexes& first, const Indexes& never,
                   Strength strength = Strength::evicts, Indexes out = {}) const;
    Indexes conflicted() const;
    Indexes without_outputs() const;
    bool is_certain(std::optional<std::size_t> winner) const;
    std::optional<std::size_t> winner_over(std::size_t i, const Indexes& out) const;
    std::optional<std::size_t> spender(const chain::Outpoint& outpoint, const Indexes& out) const;
    std::uint32_t confirmations(const Known& known) const;
    bool is_searched(const Known& known, wallet::KeyPath path) const;
    template <typename Visit>
    void for_each_output_of_ours(Visit visit) const;
    std::vector<std::size_t> oldest_first() const;

    Owner owner_;
    std::vector<Known> known_;
    std::vector<std::pair<chain::Transaction, std::int64_t>> orphans_;
    std::optional<chain::BlockRef> synced_;
    wallet::DescriptorNumber first_imported_{std::numeric_limits<std::uint32_t>::max()};
    int next_order_ = 0;
};

}  // namespace petal::test
