// The transactions of a wallet's file, confirmed or not, and those that the user had announced.
#include <cassert>

#include "chain/block.h"
#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/storage/sqlite_query.h"
#include "wallet/store/wallet_store.h"

namespace petal::wallet {

namespace {

using chain::ByteView;
using chain::SqliteQuery;
using chain::Txid;

constexpr std::size_t kMaxBranchBytes = chain::kMaxMerkleTreeHeight * sizeof(chain::Hash256);

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

bool WalletStore::has_table(const std::string& name) {
    SqliteQuery query(statement("SELECT 1 FROM sqlite_schema WHERE name = ?"));
    return query.bind(name).step();
}

chain::Bytes WalletStore::raw_transaction(const Txid& txid) {
    SqliteQuery query(statement("SELECT raw FROM tx WHERE txid = ?"));
    query.bind(txid.view());
    if (!query.step()) throw damaged("a transaction is missing");
    const ByteView raw = query.blob(0, chain::kMaxBlockBytes);
    return {raw.begin(), raw.end()};
}

std::optional<StoredMerkleProof> WalletStore::merkle_proof(const Txid& txid) {
    if (!has_table("merkle_proof")) return std::nullopt;
    SqliteQuery query(
        statement("SELECT transaction_count, branch FROM merkle_proof WHERE txid = ?"));
    query.bind(txid.view());
    if (!query.step()) return std::nullopt;
    StoredMerkleProof proof{query.integer<std::uint32_t>(0), {}};
    chain::ByteReader reader{query.blob(1, kMaxBranchBytes)};
    while (reader.ok() && reader.remaining() > 0) {
        proof.branch.push_back({reader.read_array<sizeof(chain::Hash256)>()});
    }
    if (!reader.ok()) throw damaged("bad merkle proof");
    return proof;
}

void WalletStore::put_merkle_proof(const Txid& txid, const StoredMerkleProof& proof) {
    chain::ByteWriter writer;
    for (const chain::Hash256& hash : proof.branch) writer.bytes(hash.view());
    assert(writer.size() <= kMaxBranchBytes);
    SqliteQuery(statement("INSERT OR REPLACE INTO merkle_proof VALUES (?, ?, ?)"))
        .bind(txid.view())
        .bind(std::int64_t{proof.transaction_count})
        .bind(writer.view())
        .run();
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
    std::set<Txid> txids;
    if (!has_table("announced")) return txids;
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
    SqliteQuery(statement("DELETE FROM merkle_proof"
                          " WHERE txid IN (SELECT txid FROM tx WHERE height > ?)"))
        .bind(std::int64_t{height})
        .run();
    SqliteQuery query(
        statement("UPDATE tx SET seen_time = max(seen_time, (SELECT time FROM block"
                  " WHERE block.height = tx.height)), height = NULL, position = NULL"
                  " WHERE height > ?"));
    query.bind(std::int64_t{height}).run();
    SqliteQuery(statement("DELETE FROM block WHERE height > ?")).bind(std::int64_t{height}).run();
}

}  // namespace petal::wallet
