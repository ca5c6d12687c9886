/// A ledger together with the tables of a wallet's file that store it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "chain/watcher.h"
#include "wallet/ledger/ledger.h"

namespace petal::test {

/// Makes each change both to a ledger and to the tables, as a wallet does, but without keys and
/// without a file for each ledger. At most one object may exist at a time.
class StoredLedger {
public:
    using CreditsOf = std::function<std::vector<wallet::Credit>(const chain::Transaction&)>;

    /// credits_of   the present owner's outputs of a transaction
    explicit StoredLedger(CreditsOf credits_of);
    StoredLedger(const StoredLedger&) = delete;
    StoredLedger& operator=(const StoredLedger&) = delete;
    ~StoredLedger();

    const wallet::Ledger& ledger() const { return ledger_; }
    void set_synced(const std::optional<chain::BlockRef>& synced);
    void set_first_imported(wallet::DescriptorNumber number) { ledger_.set_first_imported(number); }

    /// Whether a transaction concerns the owner.
    bool recognises(const chain::Transaction& transaction) const;
    /// Confirms a transaction of a block if the transaction concerns the owner. Returns whether the
    /// transaction does.
    bool confirm(const chain::ProvenTransaction& proven, const chain::ProvenBlock& block);
    enum class Source : std::uint8_t { peer, user };
    /// Adds an unconfirmed transaction that concerns the owner.
    void see(const chain::Transaction& transaction, std::int64_t time, Source source);
    /// See Ledger::see() and set_shown().
    void prefer(const chain::Txid& txid);
    void set_sources(const chain::Txid& txid, std::vector<chain::TxSource> sources);
    void forget(const std::vector<chain::Txid>& txids);
    void undo_to(std::uint32_t height);
    /// Like undo_to(), but coinbases stay known.
    void undo_blocks_above(std::uint32_t height);
    void search_again_above(std::uint32_t height);
    /// Computes all credits again, after credits_of has changed. Returns the height of the lowest
    /// block with a transaction with changed credits. Empty if no credits changed.
    std::optional<std::uint32_t> renew_credits();

    /// Replaces the ledger by a new ledger from the tables.
    void reload();

private:
    std::optional<wallet::LedgerTransaction> recognise(const chain::Transaction& transaction) const;
    void store(const wallet::LedgerTransaction& added, const chain::Bytes& raw);
    void forget_orphaned_coinbases();

    CreditsOf credits_of_;
    wallet::Ledger ledger_;
};

}  // namespace petal::test
