#include "wallet/store/transaction_tables.h"

#include <algorithm>
#include <cassert>
#include <functional>

#include "chain/block.h"
#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/storage/sqlite_query.h"
#include "wallet/ledger/claims.h"

namespace petal::wallet {

namespace {

using chain::BlockHash;
using chain::ByteView;
using chain::SqliteQuery;
using chain::Txid;
using Sources = std::vector<chain::TxSource>;

// A larger stored value would leave no room for the order of new transactions.
constexpr std::uint64_t kMaxSeenOrder = std::uint64_t{1} << 62;
constexpr std::size_t kSourceBytes = 16;
constexpr std::size_t kMaxBranchBytes = chain::kMaxMerkleTreeHeight * sizeof(chain::Hash256);

constexpr const char* kShow =
    "INSERT INTO shown SELECT id FROM tx WHERE txid = ? ON CONFLICT DO NOTHING";
constexpr const char* kHide = "DELETE FROM shown WHERE tx = (SELECT id FROM tx WHERE txid = ?)";
constexpr const char* kEndSearch =
    "DELETE FROM unsearched WHERE tx = (SELECT id FROM tx WHERE txid = ?)";
constexpr const char* kForgetEvidence =
    "DELETE FROM tx_evidence WHERE tx = (SELECT id FROM tx WHERE txid = ?)";
constexpr const char* kForgetProof =
    "DELETE FROM merkle_branch WHERE tx = (SELECT id FROM tx WHERE txid = ?)";

/// Binds height and position, NULL for an unconfirmed transaction.
SqliteQuery& bind_placement(SqliteQuery& query, const std::optional<Placement>& placement) {
    using Number = std::optional<std::uint32_t>;
    return query.bind(placement ? Number(placement->height) : Number())
        .bind(placement ? Number(placement->position) : Number());
}

Sources read_sources(ByteView stored) {
    Sources sources;
    chain::ByteReader reader{stored};
    while (reader.ok() && reader.remaining() > 0) {
        const std::uint64_t group = reader.read_u64();
        sources.push_back({group, reader.read_u64()});
    }
    const auto disorder = std::ranges::adjacent_find(sources, std::greater_equal());
    if (!reader.ok() || disorder != sources.end()) throw chain::BadValue("bad sources");
    return sources;
}

}  // namespace

std::size_t TransactionTable::count() {
    SqliteQuery query(connection_.statement("SELECT count(*) FROM tx NOT INDEXED"));
    if (!query.step()) throw connection_.damaged("transactions cannot be counted");
    return query.integer<std::uint32_t>(0);
}

// With Access::read, all unconfirmed transactions in a file of an earlier version count as shown.
void TransactionTable::for_each(const std::function<void(StoredTransaction)>& visit) {
    SqliteQuery query(connection_.statement(
        connection_.has_table("shown")
            ? "SELECT txid, seen_order, seen_time, tx.height, position, raw, shown.tx IS NOT NULL,"
              " unsearched.tx IS NOT NULL AND tx.height IS NOT NULL, is_claim, sources FROM tx "
              "LEFT JOIN shown ON shown.tx = tx.id"
              " LEFT JOIN unsearched ON unsearched.tx = tx.id"
              " LEFT JOIN tx_evidence ON tx_evidence.tx = tx.id ORDER BY seen_order"
            : "SELECT txid, seen_order, seen_time, height, position, raw, height IS NULL, 0,"
              " NULL, NULL FROM tx ORDER BY seen_order"));
    while (query.step()) {
        StoredTransaction transaction;
        transaction.txid = query.hash<Txid>(0);
        transaction.seen_order = query.integer<std::uint64_t>(1, kMaxSeenOrder);
        transaction.seen_time = query.time(2);
        if (query.is_null(3) != query.is_null(4)) throw connection_.damaged("half a placement");
        if (!query.is_null(3)) {
            transaction.placement = {query.height(3), query.integer<std::uint32_t>(4)};
        }
        const ByteView raw = query.blob(5, chain::kMaxBlockBytes);
        transaction.raw.assign(raw.begin(), raw.end());
        transaction.shown = query.integer<std::uint32_t>(6) != 0;
        transaction.awaits_search = query.integer<std::uint32_t>(7) != 0;
        if (!query.is_null(8)) {
            transaction.evidence.is_claim = query.integer<std::uint32_t>(8, 1) != 0;
            transaction.evidence.sources = read_sources(query.blob(9, kMaxSources * kSourceBytes));
        }
        visit(std::move(transaction));
    }
}

void TransactionTable::for_each_block(const std::function<void(const LedgerBlock&)>& visit) {
    SqliteQuery query(connection_.statement("SELECT height, hash, time FROM block"));
    while (query.step()) {
        visit({{query.height(0), query.hash<BlockHash>(1)}, query.time(2)});
    }
}

chain::Bytes TransactionTable::raw(const Txid& txid) {
    SqliteQuery query(connection_.statement("SELECT raw FROM tx WHERE txid = ?"));
    query.bind(txid.view());
    if (!query.step()) throw connection_.damaged("a transaction is missing");
    const ByteView raw = query.blob(0, chain::kMaxBlockBytes);
    return {raw.begin(), raw.end()};
}

void TransactionTable::add(const StoredTransaction& transaction) {
    SqliteQuery query(
        connection_.statement("INSERT INTO tx (txid, seen_order, seen_time, height, position, raw)"
                              " VALUES (?, ?, ?, ?, ?, ?)"));
    query.bind(transaction.txid.view())
        .bind(static_cast<std::int64_t>(transaction.seen_order))
        .bind(transaction.seen_time);
    bind_placement(query, transaction.placement).bind(transaction.raw).run();
    if (transaction.shown) run(kShow, transaction.txid);
    if (transaction.evidence != PeerEvidence{}) put(transaction.txid, transaction.evidence);
}

void TransactionTable::update(const LedgerTransaction& transaction) {
    SqliteQuery query(connection_.statement(
        "UPDATE tx SET seen_order = ?, seen_time = ?, height = ?, position = ? WHERE txid = ?"));
    query.bind(static_cast<std::int64_t>(transaction.seen_order)).bind(transaction.seen_time);
    bind_placement(query, transaction.placement).bind(transaction.txid.view()).run();
    run(transaction.shown ? kShow : kHide, transaction.txid);
    put(transaction.txid, transaction.evidence);
    if (!transaction.awaits_search) run(kEndSearch, transaction.txid);
    if (!transaction.placement) run(kForgetProof, transaction.txid);
}

void TransactionTable::update(const LedgerTransaction& transaction, ByteView raw) {
    update(transaction);
    SqliteQuery(connection_.statement("UPDATE tx SET raw = ? WHERE txid = ?"))
        .bind(raw)
        .bind(transaction.txid.view())
        .run();
}

void TransactionTable::remove(const Txid& txid) {
    for (const char* sql :
         {kHide, kEndSearch, kForgetEvidence, "DELETE FROM tx WHERE txid = ?",
          "DELETE FROM announced WHERE txid = ?", "DELETE FROM change_output WHERE txid = ?",
          "DELETE FROM replacement WHERE txid = ?"}) {
        run(sql, txid);
    }
}

void TransactionTable::put(const Txid& txid, const PeerEvidence& evidence) {
    if (evidence == PeerEvidence{}) return run(kForgetEvidence, txid);
    chain::ByteWriter writer;
    for (const auto& [group, node] : evidence.sources) writer.u64(group).u64(node);
    SqliteQuery(connection_.statement("INSERT OR REPLACE INTO tx_evidence"
                                      " SELECT id, ?, ? FROM tx WHERE txid = ?"))
        .bind(std::int64_t{evidence.is_claim})
        .bind(writer.view())
        .bind(txid.view())
        .run();
}

void TransactionTable::run(const char* sql, const Txid& txid) {
    SqliteQuery(connection_.statement(sql)).bind(txid.view()).run();
}

void TransactionTable::put_block(const LedgerBlock& block) {
    SqliteQuery(connection_.statement("INSERT INTO block VALUES (?, ?, ?) ON CONFLICT DO NOTHING"))
        .bind(std::int64_t{block.ref.height})
        .bind(block.ref.hash.view())
        .bind(block.time)
        .run();
}

void TransactionTable::undo_to(std::uint32_t height) {
    const auto run_above = [&](const char* sql) {
        SqliteQuery(connection_.statement(sql)).bind(std::int64_t{height}).run();
    };
    run_above("DELETE FROM merkle_branch WHERE tx IN (SELECT id FROM tx WHERE height > ?)");
    run_above("DELETE FROM unsearched WHERE height > ?");
    run_above(
        "UPDATE tx SET seen_time = max(seen_time, (SELECT time FROM block"
        " WHERE block.height = tx.height)), height = NULL, position = NULL WHERE height > ?");
    run_above("DELETE FROM block WHERE height > ?");
}

void TransactionTable::search_again_above(std::uint32_t height) {
    SqliteQuery(connection_.statement("INSERT OR REPLACE INTO unsearched"
                                      " SELECT id, height FROM tx WHERE height > ?"))
        .bind(std::int64_t{height})
        .run();
}

void TransactionTable::drop_empty_blocks() {
    SqliteQuery(connection_.statement("DELETE FROM block WHERE height NOT IN"
                                      " (SELECT height FROM tx WHERE height IS NOT NULL)"))
        .run();
}

void TransactionTable::set_synced(std::uint32_t height) {
    SqliteQuery(connection_.statement("DELETE FROM unsearched WHERE height <= ?"))
        .bind(std::int64_t{height})
        .run();
}

std::optional<StoredMerkleProof> MerkleProofTable::find(const Txid& txid) {
    const bool is_old = !connection_.has_table("merkle_branch");
    if (is_old && !connection_.has_table("merkle_proof")) return std::nullopt;
    SqliteQuery query(connection_.statement(
        is_old ? "SELECT transaction_count, branch FROM merkle_proof WHERE txid = ?"
               : "SELECT transaction_count, branch FROM tx"
                 " JOIN merkle_branch ON merkle_branch.tx = tx.id WHERE txid = ?"));
    query.bind(txid.view());
    if (!query.step()) return std::nullopt;
    StoredMerkleProof proof{query.integer<std::uint32_t>(0), {}};
    chain::ByteReader reader{query.blob(1, kMaxBranchBytes)};
    while (reader.ok() && reader.remaining() > 0) {
        proof.branch.push_back({reader.read_array<sizeof(chain::Hash256)>()});
    }
    if (!reader.ok()) throw connection_.damaged("bad merkle proof");
    return proof;
}

void MerkleProofTable::put(const Txid& txid, const StoredMerkleProof& proof) {
    chain::ByteWriter writer;
    for (const chain::Hash256& hash : proof.branch) writer.bytes(hash.view());
    assert(writer.size() <= kMaxBranchBytes);
    SqliteQuery(connection_.statement("INSERT OR REPLACE INTO merkle_branch"
                                      " SELECT id, ?, ? FROM tx WHERE txid = ?"))
        .bind(std::int64_t{proof.transaction_count})
        .bind(writer.view())
        .bind(txid.view())
        .run();
}

std::optional<chain::Bytes> AnnouncedTable::find(const Txid& txid) {
    if (!connection_.has_table("announced")) return std::nullopt;
    SqliteQuery query(connection_.statement("SELECT raw FROM announced WHERE txid = ?"));
    query.bind(txid.view());
    if (!query.step()) return std::nullopt;
    const ByteView raw = query.blob(0, chain::kMaxBlockBytes);
    return chain::Bytes{raw.begin(), raw.end()};
}

void AnnouncedTable::put(const Txid& txid, ByteView raw) {
    SqliteQuery(connection_.statement("INSERT OR REPLACE INTO announced VALUES (?, ?)"))
        .bind(txid.view())
        .bind(raw)
        .run();
}

void AnnouncedTable::remove(const Txid& txid) {
    SqliteQuery(connection_.statement("DELETE FROM announced WHERE txid = ?"))
        .bind(txid.view())
        .run();
}

std::set<Txid> AnnouncedTable::txids() {
    std::set<Txid> txids;
    if (!connection_.has_table("announced")) return txids;
    SqliteQuery query(connection_.statement("SELECT txid FROM announced"));
    while (query.step()) txids.insert(query.hash<Txid>(0));
    return txids;
}

std::optional<KnownChange> ChangeOutputTable::find(const Txid& txid) {
    if (!connection_.has_table("change_output")) return std::nullopt;
    SqliteQuery query(connection_.statement("SELECT vout FROM change_output WHERE txid = ?"));
    query.bind(txid.view());
    if (!query.step()) return std::nullopt;
    if (query.is_null(0)) return KnownChange{};
    return KnownChange{query.integer<std::uint32_t>(0)};
}

void ChangeOutputTable::put(const Txid& txid, std::optional<std::size_t> output) {
    using Number = std::optional<std::uint32_t>;
    SqliteQuery(connection_.statement("INSERT OR REPLACE INTO change_output VALUES (?, ?)"))
        .bind(txid.view())
        .bind(output ? Number(static_cast<std::uint32_t>(*output)) : Number())
        .run();
}

bool ReplacementTable::contains(const Txid& txid) {
    if (!connection_.has_table("replacement")) return false;
    SqliteQuery query(connection_.statement("SELECT 1 FROM replacement WHERE txid = ?"));
    query.bind(txid.view());
    return query.step();
}

void ReplacementTable::put(const Txid& txid) {
    SqliteQuery(connection_.statement("INSERT OR IGNORE INTO replacement VALUES (?)"))
        .bind(txid.view())
        .run();
}

}  // namespace petal::wallet
