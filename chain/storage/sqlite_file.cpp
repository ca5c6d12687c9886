#include "chain/storage/sqlite_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <system_error>

#include "chain/files/regular_file.h"
#include "chain/storage/private_files.h"

namespace petal::chain {

namespace {

constexpr std::array kCompanions{"-wal", "-shm", "-journal"};

/// Whether SQLite cannot create the companion files that a write-ahead log needs even for reading,
/// e.g. in another user's folder or in a snapshot.
bool is_in_read_only_folder(const std::filesystem::path& file) {
    return ::access(file.parent_path().c_str(), W_OK) != 0 && (errno == EACCES || errno == EROFS);
}

/// The URI to open the file as immutable, with `%`, `?` and `#` in the path escaped.
std::string immutable_uri(const std::filesystem::path& file) {
    std::string uri = "file:";
    for (const char c : file.string()) {
        switch (c) {
            case '%':
                uri += "%25";
                break;
            case '?':
                uri += "%3f";
                break;
            case '#':
                uri += "%23";
                break;
            default:
                uri += c;
        }
    }
    return uri + "?immutable=1";
}

/// SQLite creates companions with the file's mode. If the file was not writable at that time, the
/// companions stay unwritable when the file becomes writable.
void make_companions_writable(const std::filesystem::path& file) {
    using std::filesystem::perms;
    if (::access(file.c_str(), W_OK) != 0) return;
    for (const char* suffix : kCompanions) {
        const std::filesystem::path companion = file.string() + suffix;
        std::error_code ignored;
        const auto status = std::filesystem::symlink_status(companion, ignored);
        const bool is_file = status.type() == std::filesystem::file_type::regular;
        if (!is_file || (status.permissions() & perms::owner_write) != perms::none) continue;
        std::filesystem::permissions(companion, perms::owner_write,
                                     std::filesystem::perm_options::add, ignored);
    }
}

/// Whether neither a log nor a journal has changes that the file lacks.
bool has_all_changes(const std::filesystem::path& file) {
    std::error_code error;
    const auto log_bytes = std::filesystem::file_size(file.string() + "-wal", error);
    const bool has_no_log = error ? error == std::errc::no_such_file_or_directory : log_bytes == 0;
    return has_no_log && !is_there(file.string() + "-journal");
}

using OpenCall = int (*)(const char*, int, int);
OpenCall system_open = nullptr;

/// open(2) that does not block on a FIFO, which may be in the place of any of SQLite's files.
int open_at_once(const char* path, int flags, int mode) {
    const int descriptor = system_open(path, flags | O_NONBLOCK, mode);
    if (descriptor < 0) return descriptor;
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && !S_ISFIFO(status.st_mode)) return descriptor;
    ::close(descriptor);
    errno = EINVAL;
    return -1;
}

/// Makes SQLite open all files of this process with open_at_once().
void replace_open_call() {
    sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
    if (vfs == nullptr || vfs->iVersion < 3 || vfs->xGetSystemCall == nullptr) return;
    const auto current = vfs->xGetSystemCall(vfs, "open");
    if (current == nullptr) return;
    system_open = reinterpret_cast<OpenCall>(current);
    vfs->xSetSystemCall(vfs, "open", reinterpret_cast<sqlite3_syscall_ptr>(open_at_once));
}

constexpr int kOpenFlags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;

/// The file's path without symbolic links. Throws std::system_error if a companion is not a regular
/// file.
std::filesystem::path checked_path(const std::filesystem::path& file) {
    static std::once_flag is_replaced;
    std::call_once(is_replaced, replace_open_call);
    std::filesystem::path path = without_links(file);
    for (const char* suffix : kCompanions) expect_regular_or_none(path.string() + suffix);
    return path;
}

SQLite::Database prepared(SQLite::Database database, int max_row_bytes) {
    sqlite3_limit(database.getHandle(), SQLITE_LIMIT_LENGTH, max_row_bytes);
    database.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
    return database;
}

SQLite::Database open_immutable(const std::filesystem::path& path, int max_row_bytes) {
    return prepared(
        SQLite::Database(immutable_uri(path), kOpenFlags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI),
        max_row_bytes);
}

SQLite::Database open_writable(const std::filesystem::path& path, int max_row_bytes,
                               std::chrono::milliseconds patience) {
    return prepared(SQLite::Database(path.string(), kOpenFlags | SQLITE_OPEN_READWRITE,
                                     static_cast<int>(patience.count())),
                    max_row_bytes);
}

/// Opens a file and its log, which no other process has open, for reading. An exclusive connection
/// keeps the index of the log in memory and needs no -shm file. Neither the file nor the log is
/// changed.
SQLite::Database open_alone(const std::filesystem::path& path, int max_row_bytes,
                            std::chrono::milliseconds patience) {
    SQLite::Database database = open_writable(path, max_row_bytes, patience);
    sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA schema_version");
    return database;
}

}  // namespace

SqliteFailure failure_of(const SQLite::Exception& error) {
    // SQLiteCpp's own error: a requested row or column does not exist.
    constexpr int kNoRow = -1;
    switch (error.getErrorCode()) {
        case SQLITE_BUSY:
            return SqliteFailure::busy;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_ERROR:  // a missing table or column
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
    const std::filesystem::path path = checked_path(file);
    // If there is a log, another process has the database open, so the companion files exist. If
    // there is a journal, a change may have been interrupted. SQLite must then undo the change or
    // refuse the file.
    const bool is_immutable = is_in_read_only_folder(path) && !is_there(path.string() + "-wal") &&
                              !is_there(path.string() + "-journal");
    if (is_immutable) return open_immutable(path, max_row_bytes);
    make_companions_writable(path);
    return open_writable(path, max_row_bytes, patience);
}

SQLite::Database open_sqlite_file_to_read(const std::filesystem::path& file, int max_row_bytes,
                                          std::chrono::milliseconds patience) {
    try {
        SQLite::Database database = open_sqlite_file(file, max_row_bytes, patience);
        database.exec("PRAGMA schema_version");  // the first use makes the companions, or fails
        return database;
    } catch (const SQLite::Exception& error) {
        const std::filesystem::path path = checked_path(file);
        const bool may_be_full = error.getErrorCode() == SQLITE_FULL ||
                                 error.getErrorCode() == SQLITE_IOERR ||
                                 error.getErrorCode() == SQLITE_CANTOPEN;
        if (!may_be_full) throw;
        return has_all_changes(path) ? open_immutable(path, max_row_bytes)
                                     : open_alone(path, max_row_bytes, patience);
    }
}

bool is_in_transaction(const SQLite::Database& database) {
    return sqlite3_get_autocommit(database.getHandle()) == 0;
}

std::optional<int> sqlite_write_version(const std::filesystem::path& file) {
    constexpr std::string_view kMagic{"SQLite format 3\0", 16};
    std::array<char, 100> header{};
    const FileDescriptor descriptor = open_regular_file(file, O_RDONLY);
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
