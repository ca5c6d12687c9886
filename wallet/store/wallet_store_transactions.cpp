// The transactions of a wallet's file, confirmed or not, and those that the user had announced.
#include "chain/block.h"
#include "wallet/store/sqlite_query.h"
#include "wallet/store/wallet_store.h"

namespace petal::wallet {

namespace {

using chain::ByteView;
using chain::Txid;

/// Binds height and position, NULL for an unconfirmed transaction.
SqliteQuery& bind_placement(SqliteQuery& query, const std::optional<Placement>& placement) {
    using Number = std::optional<std::uint32_t>;
    return query.bind(placement ? Number(placement->height) : Number())
        .bind(placement ? Number(placement->position) : Number());
}

}  // namespace

void WalletStore::for_each_transaction(const std::function<void(StoredTransaction)>& visit) {
    SqliteQuery query(
        statement("SELECT txid, seen_order, seen_time, height, position, raw FROM tx"
                  " ORDER BY seen_order"));
    while (query.step()) {
        StoredTransaction transaction;
        transaction.txid = query.hash<Txid>(0);
        transaction.seen_order = query.integer<std::uint64_t>(1);
        transaction.seen_time = query.integer<std::int64_t>(2);
        if (query.is_null(3) != query.is_null(4)) throw damaged("half a placement");
        if (!query.is_null(3)) {
            transaction.placement = {query.integer<std::uint32_t>(3),
                                     query.integer<std::uint32_t>(4)};
        }
        const ByteView raw = query.blob(5, chain::kMaxBlockBytes);
        transaction.raw.assign(raw.begin(), raw.end());
        visit(std::move(transaction));
    }
}

chain::Bytes WalletStore::raw_transaction(const Txid& txid) {
    SqliteQuery query(statement("SELECT raw FROM tx WHERE txid = ?"));
    query.bind(txid.view());
    if (!query.step()) throw damaged("a transaction is missing");
    const ByteView raw = query.blob(0, chain::kMaxBlockBytes);
    return {raw.begin(), raw.end()};
}

std::optional<chain::Bytes> WalletStore::announced(const Txid& txid) {
    SqliteQuery query(statement("SELECT raw FROM announced WHERE txid = ?"));
    query.bind(txid.view());
    if (!query.step()) return std::nullopt;
    const ByteView raw = query.blob(0, chain::kMaxBlockBytes);
    return chain::Bytes{raw.begin(), raw.end()};
}

void WalletStore::set_announced(const Txid& txid, ByteView raw) {
    SqliteQuery(statement("INSERT OR REPLACE INTO announced VALUES (?, ?)"))
        .bind(txid.view())
        .bind(raw)
        .run();
}

std::set<Txid> WalletStore::announced_txids() {
    // Files of the first version lack the table.
    SqliteQuery table(statement("SELECT 1 FROM sqlite_schema WHERE name = 'announced'"));
    std::set<Txid> txids;
    if (!table.step()) return txids;
    SqliteQuery query(statement("SELECT txid FROM announced"));
    while (query.step()) txids.insert(query.hash<Txid>(0));
    return txids;
}

void WalletStore::add_transaction(const StoredTransaction& transaction) {
    SqliteQuery query(
        statement("INSERT INTO tx (txid, seen_order, seen_time, height, position, raw)"
                  " VALUES (?, ?, ?, ?, ?, ?)"));
    query.bind(transaction.txid.view())
        .bind(static_cast<std::int64_t>(transaction.seen_order))
        .bind(transaction.seen_time);
    bind_placement(query, transaction.placement).bind(transaction.raw).run();
}

void WalletStore::move_transaction(const LedgerTransaction& transaction) {
    SqliteQuery query(
        statement("UPDATE tx SET seen_order = ?, height = ?, position = ? WHERE txid = ?"));
    query.bind(static_cast<std::int64_t>(transaction.seen_order));
    bind_placement(query, transaction.placement).bind(transaction.txid.view()).run();
}

void WalletStore::confirm_transaction(const LedgerTransaction& transaction, ByteView raw) {
    move_transaction(transaction);
    SqliteQuery(statement("UPDATE tx SET raw = ? WHERE txid = ?"))
        .bind(raw)
        .bind(transaction.txid.view())
        .run();
}

void WalletStore::remove_transaction(const Txid& txid) {
    SqliteQuery(statement("DELETE FROM tx WHERE txid = ?")).bind(txid.view()).run();
    SqliteQuery(statement("DELETE FROM announced WHERE txid = ?")).bind(txid.view()).run();
}

void WalletStore::undo_to(std::uint32_t height) {
    SqliteQuery query(
        statement("UPDATE tx SET seen_time = max(seen_time, (SELECT time FROM block"
                  " WHERE block.height = tx.height)), height = NULL, position = NULL"
                  " WHERE height > ?"));
    query.bind(std::int64_t{height}).run();
    SqliteQuery(statement("DELETE FROM block WHERE height > ?")).bind(std::int64_t{height}).run();
}

}  // namespace petal::wallet
