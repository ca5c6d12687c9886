/// The ledger and the naive ledger, compared.
#pragma once

#include <cstdint>
#include <optional>

#include "tests/support/naive_ledger.h"
#include "tests/support/random_history.h"
#include "tests/support/stored_ledger.h"
#include "wallet/ledger/ledger_view.h"
#include "wallet/ledger/orphan_pool.h"

namespace petal::test {

/// Passes the same events to both ledgers, as a wallet with a sync does. Both ledgers must always
/// give the same answers.
class BothLedgers : public HistoryListener {
public:
    /// The number of scripts of each chain that are paid.
    static constexpr std::uint32_t kScripts = 5;

    /// The events that the naive ledger gets.
    enum class Told : std::uint8_t {
        everything,
        no_hostile_branch,  ///< as if there had never been a hostile miner
    };

    struct Owner {
        std::uint32_t watched = kScripts;  ///< number of each chain that is watched at first
        bool imports_change = false;       ///< watches change only after import_change()
        Told told = Told::everything;
    };

    explicit BothLedgers(Owner owner);
    BothLedgers() : BothLedgers(Owner{}) {}

    /// Blocks that must be searched again are read from this chain. The chain must outlive the
    /// ledgers.
    void follow(const SceneChain& chain) { chain_ = &chain; }

    void on_block(const chain::ProvenBlock& block) override;
    void on_undo(const chain::BlockRef& fork) override;
    void on_unconfirmed(const chain::Transaction& transaction, std::int64_t time) override;
    std::uint32_t reach(wallet::KeyChain) override { return kScripts; }
    void begin_hostile_branch() override;
    void end_hostile_branch() override;
    /// If the naive ledger does not see the hostile branch, the miner repeats no unconfirmed
    /// transaction that the ledger does not know. Such a transaction would become known in the
    /// ledger only, and with it further transactions that spend the owner's coins.
    bool may_repeat(const chain::Txid& txid) const override;

    /// The user, not a peer, sends the next unconfirmed transaction.
    void broadcast_next() { is_next_broadcast_ = true; }
    /// Prefers one of the unconfirmed transactions, chosen by `number`, as if the most nodes showed
    /// it.
    void prefer_one(std::uint64_t number);
    /// Forgets one of the unconfirmed transactions, chosen by `number`, and the descendants.
    void forget_one(std::uint64_t number);
    /// Lets unconfirmed transactions expire, up to a transaction chosen by `number`.
    void expire(std::uint64_t number);
    /// As after peers have shown the whole mempools.
    void forget_undone();
    enum class Rescan : std::uint8_t {
        keep,    ///< transactions stay known (Wallet::rescan())
        forget,  ///< only the user's broadcasts stay known (Wallet::forget_blocks())
    };
    /// Counts all blocks as not searched.
    void rescan(Rescan rescan);
    /// Searches up to `count` of the blocks that must be searched again.
    void search(std::uint32_t count);
    /// Watches `count` further scripts. If a confirmed transaction pays one of the scripts, the
    /// transaction's block and the blocks above must be searched again.
    void watch_more(std::uint32_t count);
    /// Watches the scripts of change as an imported descriptor. The blocks above `kept` must be
    /// searched again, and the transactions of these blocks stay confirmed until then.
    void import_change(std::uint32_t kept);
    /// Loads the ledger from the tables, and forgets orphans. Returns whether all transactions are
    /// as before.
    bool restart();

    const wallet::Ledger& ledger() const { return stored_.ledger(); }
    const NaiveLedger& naive() const { return naive_; }

private:
    std::optional<wallet::KeyPath> owner_of(chain::ByteView script) const;
    void search_below(std::uint32_t end);
    void take(const chain::ProvenBlock& block);
    void adopt_orphans();
    std::uint32_t next_height() const {
        return ledger().synced() ? ledger().synced()->height + 1 : 1;
    }
    void lower_synced(const std::optional<chain::BlockRef>& to);

    std::uint32_t watched_;
    bool is_change_owned_;
    bool is_next_broadcast_ = false;
    Told told_;
    bool is_hostile_ = false;  ///< the naive ledger does not see the hostile branch
    const SceneChain* chain_ = nullptr;
    StoredLedger stored_;
    wallet::OrphanPool orphans_;
    NaiveLedger naive_;
};

}  // namespace petal::test
