/// A second implementation of the ledger's rules, to compare the ledger with. It is simple and
/// slow.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "chain/watcher.h"
#include "wallet/ledger/records.h"

namespace petal::test {

/// Keeps a list of transactions and searches the whole list for every question.
class NaiveLedger {
public:
    using Owner = std::function<std::optional<wallet::KeyPath>(chain::ByteView script)>;

    /// remember_orphans   whether unconfirmed transactions that do not concern the wallet are kept,
    ///                    and checked again after each one that does
    NaiveLedger(Owner owner, bool remember_orphans)
        : owner_(std::move(owner)), remember_orphans_(remember_orphans) {}

    void block(const chain::ProvenBlock& block);
    void undo_to(const chain::BlockRef& fork);
    void unconfirmed(const chain::Transaction& transaction, std::int64_t time);
    /// Forgets a known unconfirmed transaction and its unconfirmed descendants.
    void forget(const chain::Txid& txid);

    void forget_orphans() { orphans_.clear(); }

    wallet::Balance balance() const;
    std::vector<wallet::Coin> coins() const;  ///< without scripts
    std::vector<wallet::HistoryEntry> history() const;
    std::map<wallet::KeyPath, chain::Satoshis> received() const;
    chain::WatchedOutpoints watched_outpoints() const;

private:
    struct Known {
        chain::Txid txid;
        chain::Transaction transaction;
        std::int64_t seen_time = 0;
        int order = 0;
        std::optional<chain::ProvenBlock> block;  ///< without its transactions
        std::uint32_t position = 0;
        std::uint32_t mined_at = 0;  ///< the height of its block, which may have been disconnected
    };
    using Indexes = std::set<std::size_t>;

    std::optional<std::size_t> index_of(const chain::Txid& txid) const;
    std::optional<wallet::KeyPath> owner_of(const chain::Outpoint& outpoint) const;
    chain::Satoshis value_of(const chain::Outpoint& outpoint) const;
    bool concerns(const chain::Transaction& transaction) const;
    bool is_of_wallet(const Known& known) const;
    void see(const chain::Transaction& transaction, std::int64_t time);
    void adopt_orphans();

    bool share_input(std::size_t a, std::size_t b) const;
    bool is_parent(std::size_t parent, std::size_t child) const;
    std::vector<std::size_t> unconfirmed_by_order() const;
    Indexes ruled_out() const;
    bool is_own_spend(std::size_t i) const;
    Indexes vouched_for(const Indexes& out) const;
    Indexes replay(const Indexes& players, const Indexes& first, const Indexes& never) const;
    Indexes conflicted() const;
    std::optional<std::size_t> winner_over(std::size_t i, const Indexes& out) const;
    std::optional<std::size_t> spender(const chain::Outpoint& outpoint, const Indexes& out) const;
    std::uint32_t confirmations(const Known& known) const;
    template <typename Visit>
    void for_each_output_of_ours(Visit visit) const;
    std::vector<std::size_t> oldest_first() const;

    Owner owner_;
    bool remember_orphans_;
    std::vector<Known> known_;
    std::vector<std::pair<chain::Transaction, std::int64_t>> orphans_;
    std::optional<chain::BlockRef> tip_;
    int next_order_ = 0;
};

}  // namespace petal::test
