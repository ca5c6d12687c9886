#include "wallet/store/wallet_database.h"

#include <sqlite3.h>

#include "chain/storage/private_folders.h"

namespace petal::wallet {

std::string quoted(const std::filesystem::path& file) {
    return "'" + file.string() + "'";
}

WalletError damaged_error(const std::filesystem::path& file, std::string_view what) {
    return {WalletError::Kind::damaged, "wallet file " + quoted(file) + " is damaged (" +
                                            std::string(what) +
                                            "); move it away and restore the wallet from its "
                                            "words"};
}

WalletError storage_error(const std::filesystem::path& file, std::string_view what) {
    return {WalletError::Kind::storage, "wallet file " + quoted(file) + " can't be used (" +
                                            std::string(what) +
                                            "); check free space and permissions, and try again"};
}

WalletError in_use_error(const std::filesystem::path& file) {
    return {WalletError::Kind::locked_by_other, "wallet " + quoted(file) +
                                                    " is in use by another petal; wait until it "
                                                    "has ended, or end it"};
}

WalletError sqlite_error(const std::filesystem::path& file, const SQLite::Exception& error) {
    switch (error.getErrorCode()) {
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_AUTH:
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_PROTOCOL:
        case SQLITE_NOLFS:
        case SQLITE_NOMEM:
            return storage_error(file, error.what());
        default:
            return damaged_error(file, error.what());
    }
}

SQLite::Database connect(const std::filesystem::path& file, int max_row_bytes) {
    constexpr int kBusyTimeoutMs = 5'000;  // another process stores a batch of blocks meanwhile
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    SQLite::Database database(chain::without_links(file), kFlags, kBusyTimeoutMs);
    sqlite3_limit(database.getHandle(), SQLITE_LIMIT_LENGTH, max_row_bytes);
    database.exec(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
        "PRAGMA cache_size = -512; PRAGMA synchronous = NORMAL");
    return database;
}

}  // namespace petal::wallet
