#include "chain/storage/sqlite_file.h"

#include <sqlite3.h>

#include "chain/storage/private_files.h"

namespace petal::chain {

SqliteFailure failure_of(const SQLite::Exception& error) {
    switch (error.getErrorCode()) {
        case SQLITE_BUSY:
            return SqliteFailure::busy;
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_AUTH:
        case SQLITE_LOCKED:
        case SQLITE_PROTOCOL:
        case SQLITE_NOLFS:
        case SQLITE_NOMEM:
            return SqliteFailure::machine;
        default:  // what SQLiteCpp finds wrong by itself, too, which has no result code
            return SqliteFailure::damaged;
    }
}

SQLite::Database open_sqlite_file(const std::filesystem::path& file, int max_row_bytes,
                                  std::chrono::milliseconds patience) {
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    SQLite::Database database(without_links(file), kFlags, static_cast<int>(patience.count()));
    sqlite3_limit(database.getHandle(), SQLITE_LIMIT_LENGTH, max_row_bytes);
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
    return database;
}

bool is_in_transaction(const SQLite::Database& database) {
    return sqlite3_get_autocommit(database.getHandle()) == 0;
}

void remove_sqlite_file(const std::filesystem::path& file) {
    std::filesystem::remove(file);
    remove_sqlite_companions(file);
}

void remove_sqlite_companions(const std::filesystem::path& file) {
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
        std::filesystem::remove(file.string() + suffix);
    }
}

}  // namespace petal::chain
