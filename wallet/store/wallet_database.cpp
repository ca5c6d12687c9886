#include "wallet/store/wallet_database.h"

#include <chrono>

#include "chain/storage/sqlite_file.h"
#include "wallet/store/wallet_locks.h"

namespace petal::wallet {

std::string quoted(const std::filesystem::path& file) {
    return "'" + file.string() + "'";
}

WalletError damaged_error(const std::filesystem::path& file, std::string_view what) {
    return {WalletError::Kind::damaged,
            "wallet file " + quoted(file) + " is damaged (" + std::string(what) +
                "); move it away, and restore the wallet from a backup, "
                "or from its words or private descriptors"};
}

WalletError storage_error(const std::filesystem::path& file, std::string_view what) {
    return {WalletError::Kind::storage, "wallet file " + quoted(file) + " can't be used (" +
                                            std::string(what) +
                                            "); check free space and permissions, and try again"};
}

WalletError in_use_error(const std::filesystem::path& file,
                         const std::filesystem::path& lock_file) {
    const auto holder = chain::find_lock_holder(lock_file);
    std::string text = "wallet " + quoted(file.stem()) + " is in use by another petal";
    if (holder) text += " (process " + std::to_string(holder->process_id) + ")";
    text += holder && holder->is_stopped
                ? ", which is stopped; " + how_to_continue(*holder) + ", or end it"
                : "; wait until it has ended, or end it";
    return {WalletError::Kind::locked_by_other, text};
}

WalletError sqlite_error(const std::filesystem::path& file, const SQLite::Exception& error) {
    switch (chain::failure_of(error)) {
        case chain::SqliteFailure::damaged:
            return damaged_error(file, error.what());
        case chain::SqliteFailure::busy:
            return in_use_error(file, use_lock_file(file));
        case chain::SqliteFailure::machine:
            break;
    }
    return storage_error(file, error.what());
}

namespace {

constexpr std::chrono::seconds kPatience{5};  // while another process stores a batch of blocks

SQLite::Database with_settings(SQLite::Database database) {
    database.exec(
        "PRAGMA foreign_keys = ON; PRAGMA cache_size = -4096; PRAGMA synchronous = NORMAL");
    return database;
}

}  // namespace

SQLite::Database connect(const std::filesystem::path& file, int max_row_bytes) {
    return with_settings(chain::open_sqlite_file(file, max_row_bytes, kPatience));
}

SQLite::Database connect_to_read(const std::filesystem::path& file, int max_row_bytes) {
    return with_settings(chain::open_sqlite_file_to_read(file, max_row_bytes, kPatience));
}

SQLite::Statement& WalletConnection::statement(const char* sql) {
    const auto known = statements_.find(sql);
    if (known != statements_.end()) return known->second;
    return statements_.emplace(sql, SQLite::Statement(database_, sql)).first->second;
}

bool WalletConnection::has_table(const std::string& name) {
    chain::SqliteQuery query(statement("SELECT 1 FROM sqlite_schema WHERE name = ?"));
    return query.bind(name).step();
}

}  // namespace petal::wallet
