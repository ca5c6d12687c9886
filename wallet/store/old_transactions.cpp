#include "wallet/store/old_transactions.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "chain/block.h"
#include "chain/storage/sqlite_query.h"
#include "chain/transaction.h"

namespace petal::wallet {

namespace {

using chain::BadValue;
using chain::SqliteQuery;
using chain::Txid;

std::set<Txid> txids_in(SQLite::Database& database, const char* sql) {
    SQLite::Statement statement(database, sql);
    SqliteQuery query(statement);
    std::set<Txid> txids;
    while (query.step()) txids.insert(query.hash<Txid>(0));
    return txids;
}

chain::Transaction old_transaction(const SqliteQuery& query, int column) {
    auto transaction = chain::decode_transaction(query.blob(column, chain::kMaxBlockBytes));
    if (!transaction) throw BadValue("bad transaction");
    return *std::move(transaction);
}

void strip_witness(SQLite::Database& database, std::int64_t id) {
    SQLite::Statement select(database, "SELECT raw FROM tx WHERE id = ?");
    chain::Bytes raw;
    {
        SqliteQuery query(select);
        query.bind(id);
        if (!query.step()) throw BadValue("a transaction is missing");
        raw = old_transaction(query, 0).serialize_without_witness();
    }
    SQLite::Statement update(database, "UPDATE tx SET raw = ? WHERE id = ?");
    SqliteQuery(update).bind(raw).bind(id).run();
}

bool spends_any(const chain::Transaction& transaction, const std::set<Txid>& known) {
    return std::ranges::any_of(transaction.inputs, [&known](const chain::TxInput& input) {
        return known.contains(input.prevout.txid);
    });
}

/// An address that was once shown as paid must not be handed out again.
void keep_addresses_used(SQLite::Database& database, const std::set<chain::Bytes>& scripts) {
    SQLite::Statement hand_out(database,
                               "INSERT INTO handed_out"
                               " SELECT chain, number + 1 FROM script WHERE script = ?"
                               " ON CONFLICT (chain) DO UPDATE SET end = max(end, excluded.end)");
    // Row 2 is the current address.
    SQLite::Statement show_no_more(
        database,
        "DELETE FROM handed_out WHERE chain = 2"
        " AND end IN (SELECT number + 1 FROM script WHERE chain = 0 AND script = ?)");
    for (const chain::Bytes& script : scripts) {
        SqliteQuery(hand_out).bind(script).run();
        SqliteQuery(show_no_more).bind(script).run();
    }
}

}  // namespace

void clean_old_transactions(SQLite::Database& database) {
    const auto known = txids_in(database, "SELECT txid FROM tx");
    const auto announced = txids_in(database, "SELECT txid FROM announced");
    std::vector<std::int64_t> with_witness;
    std::vector<std::int64_t> unverified;
    std::set<chain::Bytes> paid;
    SQLite::Statement statement(database, "SELECT id, txid, height, raw FROM tx");
    {
        SqliteQuery query(statement);
        while (query.step()) {
            const auto id = query.integer<std::int64_t>(0);
            const chain::Transaction transaction = old_transaction(query, 3);
            const bool is_confirmed = !query.is_null(2);
            if (is_confirmed && transaction.has_witness()) with_witness.push_back(id);
            if (is_confirmed || announced.contains(query.hash<Txid>(1))) continue;
            if (spends_any(transaction, known)) {
                unverified.push_back(id);
                for (const auto& output : transaction.outputs) {
                    paid.insert(output.script_pubkey);
                }
            }
        }
    }
    for (const std::int64_t id : with_witness) strip_witness(database, id);
    keep_addresses_used(database, paid);
    SQLite::Statement remove(database, "DELETE FROM tx WHERE id = ?");
    for (const std::int64_t id : unverified) SqliteQuery(remove).bind(id).run();
}

void mark_shown_transactions(SQLite::Database& database) {
    const auto known = txids_in(database, "SELECT txid FROM tx");
    const auto announced = txids_in(database, "SELECT txid FROM announced");
    std::vector<std::int64_t> shown;
    SQLite::Statement statement(database, "SELECT id, txid, height, raw FROM tx");
    {
        SqliteQuery query(statement);
        while (query.step()) {
            const bool is_announced = announced.contains(query.hash<Txid>(1));
            if (!is_announced && !query.is_null(2)) continue;
            const chain::Transaction transaction = old_transaction(query, 3);
            const bool may_be_unverified =
                transaction.is_coinbase() ||
                (!transaction.has_witness() && spends_any(transaction, known));
            if (is_announced || !may_be_unverified) {
                shown.push_back(query.integer<std::int64_t>(0));
            }
        }
    }
    SQLite::Statement insert(database, "INSERT INTO shown VALUES (?)");
    for (const std::int64_t id : shown) SqliteQuery(insert).bind(id).run();
}

}  // namespace petal::wallet
