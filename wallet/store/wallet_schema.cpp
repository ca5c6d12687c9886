#include "wallet/store/wallet_schema.h"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "chain/storage/sqlite_file.h"
#include "chain/storage/sqlite_query.h"
#include "wallet/store/old_transactions.h"
#include "wallet/store/script_table.h"

namespace petal::wallet {

namespace {

using chain::BadValue;
using chain::SqliteQuery;

constexpr std::int64_t kApplicationId = 0x7065746c;  // "petl"
constexpr std::int64_t kOldestVersion = 1;

// In versions 4 to 6.
constexpr std::string_view kMerkleProofTable =
    "CREATE TABLE merkle_proof (txid BLOB PRIMARY KEY, transaction_count INTEGER NOT NULL,"
    " branch BLOB NOT NULL) STRICT, WITHOUT ROWID";

// The tables of all versions, in the order in the file. Any change of a text, even white space, is
// another schema and requires a new kSchemaVersion.
constexpr std::array<std::string_view, 22> kSchema{
    // `secret` is empty since version 3.
    "CREATE TABLE identity (id INTEGER PRIMARY KEY CHECK (id = 1), network TEXT NOT NULL,"
    " kind INTEGER NOT NULL, account_key TEXT NOT NULL, fingerprint BLOB NOT NULL,"
    " encrypted INTEGER NOT NULL, secret BLOB NOT NULL, birthday_height INTEGER NOT NULL,"
    " birthday_time INTEGER NOT NULL, gap_limit INTEGER NOT NULL, watched INTEGER NOT NULL) STRICT",
    "CREATE TABLE sync (id INTEGER PRIMARY KEY CHECK (id = 1), height INTEGER, hash BLOB,"
    " engine_memory BLOB NOT NULL, CHECK ((height IS NULL) = (hash IS NULL))) STRICT",
    "CREATE TABLE handed_out (chain INTEGER PRIMARY KEY, end INTEGER NOT NULL) STRICT",
    "CREATE TABLE script (id INTEGER PRIMARY KEY, chain INTEGER NOT NULL,"
    " number INTEGER NOT NULL, script BLOB NOT NULL) STRICT",
    "CREATE TABLE block (height INTEGER PRIMARY KEY, hash BLOB NOT NULL,"
    " time INTEGER NOT NULL) STRICT",
    "CREATE TABLE tx (id INTEGER PRIMARY KEY, txid BLOB NOT NULL UNIQUE,"
    " seen_order INTEGER NOT NULL UNIQUE, seen_time INTEGER NOT NULL,"
    " height INTEGER REFERENCES block (height), position INTEGER, raw BLOB NOT NULL,"
    " CHECK ((height IS NULL) = (position IS NULL))) STRICT",
    "CREATE INDEX tx_height ON tx (height) WHERE height IS NOT NULL",
    // BIP329: `type` is the type of the object `ref`.
    "CREATE TABLE label (type TEXT NOT NULL, ref TEXT NOT NULL, label TEXT NOT NULL,"
    " PRIMARY KEY (type, ref)) STRICT, WITHOUT ROWID",
    // Transactions that the user broadcast, byte for byte, because a peer may have sent another
    // witness.
    "CREATE TABLE announced (txid BLOB PRIMARY KEY, raw BLOB NOT NULL) STRICT, WITHOUT ROWID",
    // The secret, or the box with the encrypted secret. A separate table has separate pages: SQLite
    // reads whole pages, and only creating, signing and encrypting need the secret.
    "CREATE TABLE secret (id INTEGER PRIMARY KEY CHECK (id = 1), secret BLOB NOT NULL) STRICT",
    kMerkleProofTable,
    // The watched descriptors. No rows if the wallet watches only the account of `identity`, as in
    // earlier versions.
    "CREATE TABLE descriptor (number INTEGER PRIMARY KEY, text TEXT NOT NULL,"
    " chain INTEGER NOT NULL, origin INTEGER NOT NULL, gap_limit INTEGER NOT NULL,"
    " watched INTEGER NOT NULL, birthday_height INTEGER NOT NULL,"
    " birthday_time INTEGER NOT NULL) STRICT",
    // The padding of filters. No row if the padding is derived from the account of `identity`.
    "CREATE TABLE filter_padding (id INTEGER PRIMARY KEY CHECK (id = 1), secret BLOB NOT NULL,"
    " first_elements INTEGER NOT NULL) STRICT",
    // Imported BIP329 records. A label that applies to this wallet (`applies`) is in `label`
    // instead.
    "CREATE TABLE label_record (type TEXT NOT NULL, ref TEXT NOT NULL, origin TEXT NOT NULL,"
    " applies INTEGER NOT NULL, label TEXT, spendable INTEGER, other_members TEXT NOT NULL,"
    " PRIMARY KEY (type, ref, origin)) STRICT, WITHOUT ROWID",
    // The merkle branches of confirmed transactions, and the number of transactions in the block.
    // By the transaction's row instead of the txid: in a large wallet, each txid would be on
    // another page.
    "CREATE TABLE merkle_branch (tx INTEGER PRIMARY KEY REFERENCES tx (id),"
    " transaction_count INTEGER NOT NULL, branch BLOB NOT NULL) STRICT",
    "CREATE TABLE script_digest (id INTEGER PRIMARY KEY CHECK (id = 1),"
    " digest BLOB NOT NULL) STRICT",
    // Transactions that a peer or the user has shown unconfirmed, with valid spends.
    "CREATE TABLE shown (tx INTEGER PRIMARY KEY REFERENCES tx (id)) STRICT",
    // Confirmed transactions of blocks that are to be searched again, by the height of the block.
    // Until version 11, these transactions had no height in `tx`.
    "CREATE TABLE unsearched (tx INTEGER PRIMARY KEY REFERENCES tx (id),"
    " height INTEGER NOT NULL) STRICT",
    // The change output of the wallet's payments, NULL without change.
    "CREATE TABLE change_output (txid BLOB PRIMARY KEY, vout INTEGER) STRICT, WITHOUT ROWID",
    // See PeerEvidence.
    "CREATE TABLE tx_evidence (tx INTEGER PRIMARY KEY REFERENCES tx (id),"
    " is_claim INTEGER NOT NULL, sources BLOB NOT NULL) STRICT",
    // The explanations that the user has seen.
    "CREATE TABLE explained (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    // The payments of this wallet that were made to replace another payment.
    "CREATE TABLE replacement (txid BLOB PRIMARY KEY) STRICT, WITHOUT ROWID",
};

/// The tables and indexes that a version has.
std::vector<std::string_view> schema_of(std::int64_t version) {
    constexpr std::array<std::size_t, 13> kSizes{0, 8, 9, 10, 11, 14, 14, 15, 16, 20, 21, 22, 22};
    static_assert(kSizes.size() == kSchemaVersion + 1 && kSizes.back() == kSchema.size());
    const auto parts = std::span(kSchema).first(kSizes.at(static_cast<std::size_t>(version)));
    std::vector<std::string_view> schema(parts.begin(), parts.end());
    if (version >= kMerkleBranchVersion) std::erase(schema, kMerkleProofTable);
    return schema;
}

void create(SQLite::Database& database, std::string_view part) {
    database.exec(std::string(part));
}

void move_merkle_proofs(SQLite::Database& database) {
    database.exec(
        "INSERT INTO merkle_branch SELECT tx.id, transaction_count, branch"
        " FROM tx JOIN merkle_proof USING (txid) WHERE height IS NOT NULL ORDER BY tx.id;"
        "DROP TABLE merkle_proof");
}

std::int64_t version_of(SQLite::Database& database) {
    return database.execAndGet("PRAGMA user_version").getInt64();
}

void set_version(SQLite::Database& database) {
    database.exec("PRAGMA user_version = " + std::to_string(kSchemaVersion));
}

}  // namespace

void create_schema(SQLite::Database& database) {
    for (const std::string_view part : schema_of(kSchemaVersion)) create(database, part);
    database.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
    set_version(database);
}

std::int64_t check_schema(SQLite::Database& database) {
    if (database.execAndGet("PRAGMA application_id").getInt64() != kApplicationId) {
        throw BadValue("this is no wallet of petal's");
    }
    const std::int64_t version = version_of(database);
    if (version > kSchemaVersion) return version;
    if (version < kOldestVersion) throw BadValue("unknown version");

    // Rows without a text are implicit indexes of UNIQUE or PRIMARY KEY.
    SQLite::Statement statement(
        database, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid");
    SqliteQuery query(statement);
    for (const std::string_view expected : schema_of(version)) {
        if (!query.step() || query.text(0, expected.size()) != expected) {
            throw BadValue("its tables are not a wallet's");
        }
    }
    if (query.step()) throw BadValue("it has more tables than a wallet");
    return version;
}

void renew_schema(SQLite::Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::EXCLUSIVE);
    const std::int64_t version = check_schema(database);
    if (version >= kSchemaVersion) return;
    const auto before = schema_of(version);
    for (const std::string_view part : schema_of(kSchemaVersion)) {
        if (std::ranges::find(before, part) == before.end()) create(database, part);
    }
    if (version < kSecretTableVersion) {
        database.exec(
            "INSERT INTO secret SELECT 1, secret FROM identity;"
            "UPDATE identity SET secret = x''");
    }
    // The freed pages are reused. VACUUM would change the order that check_schema() expects.
    if (std::ranges::find(before, kMerkleProofTable) != before.end()) move_merkle_proofs(database);
    if (version < kCleanTransactionsVersion) clean_old_transactions(database);
    if (version < kShownVersion) mark_shown_transactions(database);
    renew_script_digest(database);
    set_version(database);
    transaction.commit();
}

bool use_rollback_journal(SQLite::Database& database) {
    constexpr int kAttempts = 100;
    constexpr std::chrono::milliseconds kPause{50};
    // EXTRA, so that a power failure does not bring back a deleted journal.
    database.exec("PRAGMA secure_delete = ON; PRAGMA synchronous = EXTRA");
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        try {
            database.exec("PRAGMA journal_mode = DELETE");
            return true;
        } catch (const SQLite::Exception& error) {
            if (chain::failure_of(error) != chain::SqliteFailure::busy) throw;
        }
        std::this_thread::sleep_for(kPause);
    }
    return false;
}

}  // namespace petal::wallet
