#include "chain/storage/sqlite_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "chain/storage/file_descriptor.h"
#include "chain/storage/private_files.h"

namespace petal::chain {

namespace {

constexpr std::array kCompanions{"-wal", "-shm", "-journal"};

}  // namespace

SqliteFailure failure_of(const SQLite::Exception& error) {
    // SQLiteCpp's own, of an open database: a row or column that it was asked for is not there.
    constexpr int kNoRow = -1;
    switch (error.getErrorCode()) {
        case SQLITE_BUSY:
            return SqliteFailure::busy;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_ERROR:  // a table or column that is not there
        case SQLITE_SCHEMA:
        case SQLITE_TOOBIG:
        case SQLITE_CONSTRAINT:
        case SQLITE_MISMATCH:
        case kNoRow:
            return SqliteFailure::damaged;
        default:
            return SqliteFailure::machine;
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

std::optional<int> sqlite_write_version(const std::filesystem::path& file) {
    constexpr std::string_view kMagic{"SQLite format 3\0", 16};
    std::array<char, 100> header{};
    const FileDescriptor descriptor(file, O_RDONLY | O_NOFOLLOW);
    const ssize_t size = ::pread(descriptor.number(), header.data(), header.size(), 0);
    if (size < 0) throw std::system_error(errno, std::generic_category(), file.string());
    if (static_cast<std::size_t>(size) < header.size()) return std::nullopt;
    if (std::string_view(header.data(), kMagic.size()) != kMagic) return std::nullopt;
    return static_cast<unsigned char>(header[18]);
}

void remove_sqlite_file(const std::filesystem::path& file) {
    std::filesystem::remove(file);
    remove_sqlite_companions(file);
}

void rename_sqlite_file(const std::filesystem::path& file, const std::filesystem::path& to) {
    remove_sqlite_file(to);
    for (const char* suffix : kCompanions) {
        const std::filesystem::path companion = file.string() + suffix;
        if (is_there(companion)) std::filesystem::rename(companion, to.string() + suffix);
    }
    std::filesystem::rename(file, to);
}

void remove_sqlite_companions(const std::filesystem::path& file) {
    for (const char* suffix : kCompanions) std::filesystem::remove(file.string() + suffix);
}

}  // namespace petal::chain
