/// SQLite files whose content may be hostile: opens them and classifies their failures.
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
    damaged,  ///< the file is not a database, or its content is not as the statements expect
    busy,     ///< another connection's, which has the file locked
    machine,  ///< the disk is full, the folder or the file can't be used, memory is short, or a
              ///< reason that says nothing about the file
};

SqliteFailure failure_of(const SQLite::Exception& error);

/// Opens an existing file that is not a symbolic link, so that nothing in it runs by itself; for
/// reading only if its folder is not writable. For one thread. Throws SQLite::Exception and
/// std::system_error, the latter also if a companion (NAME-wal, NAME-shm, NAME-journal) is not a
/// regular file. After the first call, no SQLite file in this process waits for a FIFO.
/// max_row_bytes   the maximum size of a row that is read into memory or written
/// patience        how long to wait for another connection that has the file locked
SQLite::Database open_sqlite_file(const std::filesystem::path& file, int max_row_bytes,
                                  std::chrono::milliseconds patience);

/// open_sqlite_file() for reading. If the disk is full, SQLite cannot make the companions that a
/// write-ahead log needs. Then a file without changes in a log is opened as one that does not
/// change, and a file with such a log by an exclusive connection, which needs no companion.
SQLite::Database open_sqlite_file_to_read(const std::filesystem::path& file, int max_row_bytes,
                                          std::chrono::milliseconds patience);

/// Whether a transaction of this connection is under way.
bool is_in_transaction(const SQLite::Database& database);

/// The version of SQLite's format that is needed to write a database, from the database's header
/// (SQLite: file format, 1.3.3). Nothing if the file is not a database; throws std::system_error if
/// it can't be read.
std::optional<int> sqlite_write_version(const std::filesystem::path& file);

/// Removes a database and its companions.
void remove_sqlite_file(const std::filesystem::path& file);

/// Renames a database and its companions, replacing files that have the new name. A crash in
/// between leaves the database without its companions, so this is for databases that are given up.
void rename_sqlite_file(const std::filesystem::path& file, const std::filesystem::path& to);

/// Removes the companions of a database that no longer exists, e.g. those of a killed process.
/// SQLite would apply the log to the next database of that name.
void remove_sqlite_companions(const std::filesystem::path& file);

}  // namespace petal::chain
