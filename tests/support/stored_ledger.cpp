#include "tests/support/stored_ledger.h"

#include <SQLiteCpp/Database.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "tests/support/temporary_folder.h"
#include "wallet/ledger/conflicts.h"
#include "wallet/ledger/expiry.h"
#include "wallet/store/transaction_tables.h"
#include "wallet/store/wallet_database.h"
#include "wallet/store/wallet_schema.h"

namespace petal::test {

namespace {

/// The tables of one wallet's file. Changes stay in memory, in a database transaction that is
/// rolled back, because a file for each ledger would take a millisecond.
class Tables {
public:
    static Tables& shared() {
        static Tables tables;
        return tables;
    }

    void begin() { connection_.database().exec("BEGIN"); }
    void roll_back() { connection_.database().exec("ROLLBACK"); }

    wallet::TransactionTable transactions() { return wallet::TransactionTable(connection_); }
    wallet::AnnouncedTable announced() { return wallet::AnnouncedTable(connection_); }

private:
    static constexpr int kMaxRowBytes = 1'000'000;

    Tables()
        : connection_(folder_.path() / "wallet",
                      wallet::connect(made(folder_.path() / "wallet"), kMaxRowBytes)) {
        connection_.database().exec(
            "PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE");
    }

    static std::filesystem::path made(std::filesystem::path file) {
        SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        wallet::create_schema(database);
        return file;
    }

    TemporaryFolder folder_;
    wallet::WalletConnection connection_;
};

chain::Transaction decoded(const chain::Bytes& raw) {
    auto transaction = chain::decode_transaction(raw);
    if (!transaction) throw std::logic_error("a stored transaction cannot be read");
    return *std::move(transaction);
}

void expect(bool is_true, const char* what) {
    if (!is_true) throw std::logic_error(what);
}

}  // namespace

StoredLedger::StoredLedger(CreditsOf credits_of) : credits_of_(std::move(credits_of)) {
    Tables::shared().begin();
}

StoredLedger::~StoredLedger() {
    Tables::shared().roll_back();
}

bool StoredLedger::recognises(const chain::Transaction& transaction) const {
    return recognise(transaction).has_value();
}

std::optional<wallet::LedgerTransaction> StoredLedger::recognise(
    const chain::Transaction& transaction) const {
    auto credits = credits_of_(transaction);
    if (credits.empty() && !ledger_.touches(transaction)) return std::nullopt;
    return wallet::summarize(transaction, transaction.txid(), std::move(credits));
}

bool StoredLedger::confirm(const chain::ProvenTransaction& proven,
                           const chain::ProvenBlock& block) {
    auto entry = recognise(proven.transaction);
    if (!entry) return false;
    const chain::Bytes raw = proven.transaction.serialize_without_witness();
    entry->stored_bytes = raw.size();
    const bool is_known = ledger_.find(proven.txid) != nullptr;
    const wallet::LedgerBlock ledger_block{block.block, block.header.time};
    const auto confirmed = ledger_.confirm(*std::move(entry), ledger_block, proven.position);
    if (confirmed.record == nullptr) return true;
    auto transactions = Tables::shared().transactions();
    for (const chain::Txid& displaced : confirmed.displaced) {
        transactions.update(*ledger_.find(displaced));
        if (ledger_.find(displaced)->is_undone()) forget({displaced});
    }
    transactions.put_block(ledger_block);
    if (is_known) {
        transactions.update(*confirmed.record, raw);
    } else {
        store(*confirmed.record, raw);
    }
    if (confirmed.any_left_block) transactions.drop_empty_blocks();
    return true;
}

void StoredLedger::see(const chain::Transaction& transaction, std::int64_t time, Source source) {
    auto entry = recognise(transaction);
    if (!entry) return;
    const chain::Txid txid = entry->txid;
    const chain::Bytes raw = transaction.serialize();
    const bool is_broadcast = source == Source::user && wallet::is_own_spend(ledger_, transaction);
    entry->stored_bytes = raw.size();
    entry->seen_time = time;
    entry->announced = is_broadcast;
    const bool is_own = wallet::is_own_spend(ledger_, transaction);
    entry->evidence.is_claim = source == Source::peer && !is_own;
    auto transactions = Tables::shared().transactions();
    const bool is_known = ledger_.find(txid) != nullptr;
    if (const auto* changed = ledger_.see(*std::move(entry))) {
        if (is_known) {
            transactions.update(*changed, raw);
        } else {
            store(*changed, raw);
        }
    }
    const wallet::LedgerTransaction* const known = ledger_.find(txid);
    if (!is_broadcast || known == nullptr || known->is_undone()) return;
    if (!known->shown && known->placement) {
        ledger_.set_shown(txid, true);
        transactions.update(*known);
    }
    if (!known->shown) return;
    ledger_.set_announced(txid);
    Tables::shared().announced().put(txid, raw);
}

void StoredLedger::store(const wallet::LedgerTransaction& added, const chain::Bytes& raw) {
    Tables::shared().transactions().add({added.txid,
                                         raw,
                                         added.seen_time,
                                         added.seen_order,
                                         added.placement,
                                         added.shown,
                                         {},
                                         added.evidence});
}

void StoredLedger::prefer(const chain::Txid& txid) {
    Tables::shared().transactions().update(*ledger_.see(txid));
}

void StoredLedger::set_sources(const chain::Txid& txid, std::vector<chain::TxSource> sources) {
    Tables::shared().transactions().update(*ledger_.set_sources(txid, std::move(sources)));
}

void StoredLedger::forget(const std::vector<chain::Txid>& txids) {
    for (const chain::Txid& txid : txids) {
        ledger_.forget(txid);
        Tables::shared().transactions().remove(txid);
    }
}

void StoredLedger::set_synced(const std::optional<chain::BlockRef>& synced) {
    if (ledger_.set_synced(synced)) Tables::shared().transactions().set_synced(synced->height);
}

void StoredLedger::undo_to(std::uint32_t height) {
    undo_blocks_above(height);
    forget_orphaned_coinbases();
}

void StoredLedger::undo_blocks_above(std::uint32_t height) {
    ledger_.undo_to(height);
    Tables::shared().transactions().undo_to(height);
}

void StoredLedger::search_again_above(std::uint32_t height) {
    ledger_.search_again_above(height);
    Tables::shared().transactions().search_again_above(height);
}

void StoredLedger::forget_orphaned_coinbases() {
    std::vector<chain::Txid> txids = wallet::left_by_undone_blocks(ledger_);
    std::erase_if(txids, [&](const auto& txid) { return !ledger_.find(txid)->is_coinbase(); });
    forget(txids);
}

std::optional<std::uint32_t> StoredLedger::renew_credits() {
    std::optional<std::uint32_t> lowest;
    Tables::shared().transactions().for_each([&](const wallet::StoredTransaction& stored) {
        auto credits = credits_of_(decoded(stored.raw));
        if (credits == ledger_.find(stored.txid)->credits) return;
        ledger_.set_credits(stored.txid, std::move(credits));
        if (!stored.placement) return;
        lowest = std::min(lowest.value_or(stored.placement->height), stored.placement->height);
    });
    return lowest;
}

void StoredLedger::reload() {
    wallet::Ledger loaded;
    loaded.set_synced(ledger_.synced());
    loaded.set_first_imported(ledger_.first_imported());
    auto transactions = Tables::shared().transactions();
    transactions.for_each_block([&](const wallet::LedgerBlock& block) {
        expect(loaded.restore(block), "a stored block is refused");
    });
    loaded.reserve(transactions.count());
    const auto announced = Tables::shared().announced().txids();
    transactions.for_each([&](const wallet::StoredTransaction& stored) {
        const auto transaction = decoded(stored.raw);
        auto entry = wallet::summarize(transaction, stored.txid, credits_of_(transaction));
        entry->announced = announced.contains(stored.txid);
        entry->stored_bytes = stored.raw.size();
        entry->seen_time = stored.seen_time;
        entry->seen_order = stored.seen_order;
        entry->placement = stored.placement;
        entry->shown = stored.shown;
        entry->awaits_search = stored.awaits_search;
        entry->evidence = stored.evidence;
        expect(loaded.restore(*std::move(entry)), "a stored transaction is refused");
    });
    ledger_ = std::move(loaded);
}

}  // namespace petal::test
