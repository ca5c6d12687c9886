/// Opens SQLite files with untrusted content, and classifies errors.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace petal::chain {

/// The cause of a failure of SQLite.
enum class SqliteFailure : std::uint8_t {
    damaged,  ///< the file is not a database, or has unexpected content
    busy,     ///< another connection has locked the file
    machine,  ///< the disk is full, the folder or file can't be used, memory is exhausted, or
              ///< another cause outside of the file
};

SqliteFailure failure_of(const SQLite::Exception& error);

/// Opens an existing file, which must not be a symbolic link. The file's schema is not trusted
/// (PRAGMA trusted_schema). If the folder is not writable, the file is opened for reading. For use
/// by one thread. After the first call, SQLite never blocks on opening a FIFO in this process.
///
/// Throws SQLite::Exception. Throws std::system_error, also if a companion (NAME-wal, NAME-shm,
/// NAME-journal) is not a regular file.
///
/// max_row_bytes   the maximum size of a row that is read or written
/// patience        how long to wait for a lock of another connection
SQLite::Database open_sqlite_file(const std::filesystem::path& file, int max_row_bytes,
                                  std::chrono::milliseconds patience);

/// Like open_sqlite_file(), but for reading, even if the disk is full and SQLite cannot create the
/// companions of a write-ahead log. In this case, a file without changes in a log is opened as
/// immutable. A file with changes in a log is opened by an exclusive connection, which needs no
/// companions.
SQLite::Database open_sqlite_file_to_read(const std::filesystem::path& file, int max_row_bytes,
                                          std::chrono::milliseconds patience);

/// Whether this connection is in a transaction.
bool is_in_transaction(const SQLite::Database& database);

/// The write version of the database file's format (SQLite: file format, 1.3.3). Empty if the file
/// is not a database. Throws std::system_error if the file can't be read.
std::optional<int> sqlite_write_version(const std::filesystem::path& file);

/// Removes a database and its companions.
void remove_sqlite_file(const std::filesystem::path& file);

/// Renames a database and its companions, replacing existing files. A crash in between separates
/// the database from its companions. Use only for databases that are given up.
void rename_sqlite_file(const std::filesystem::path& file, const std::filesystem::path& to);

/// Removes companions of a database that no longer exists, e.g. of a killed process. SQLite would
/// apply the log to the next database with the same name.
void remove_sqlite_companions(const std::filesystem::path& file);

}  // namespace petal::chain
