/// SQLite files whose content may be hostile: how they are opened, and what their failures mean.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace petal::chain {

/// Whose fault a failure of SQLite is.
enum class SqliteFailure : std::uint8_t {
    damaged,  ///< the file's: no database, or its content is not what the statements expect
    busy,     ///< another connection's, which has the file locked
    machine,  ///< the disk is full, the folder or the file can't be used, memory is short, or a
              ///< reason that says nothing about the file
};

SqliteFailure failure_of(const SQLite::Exception& error);

/// Opens a file that exists and is no symbolic link, so that nothing in it runs by itself; to read
/// it alone, if its folder can't be written to. For one thread. Throws SQLite::Exception and
/// std::system_error.
/// max_row_bytes   no longer row is read into memory or written
/// patience        how long to wait for another connection that has the file locked
SQLite::Database open_sqlite_file(const std::filesystem::path& file, int max_row_bytes,
                                  std::chrono::milliseconds patience);

/// Whether a transaction of this connection is under way.
bool is_in_transaction(const SQLite::Database& database);

/// The version of SQLite's format that is needed to write a database, by the database's header it
/// (SQLite: file format, 1.3.3). Nothing for what is no database; throws std::system_error if the
/// file can't be read.
std::optional<int> sqlite_write_version(const std::filesystem::path& file);

/// Removes a database and its companions.
void remove_sqlite_file(const std::filesystem::path& file);

/// Renames a database and its companions, in place of those that have the new name.
void rename_sqlite_file(const std::filesystem::path& file, const std::filesystem::path& to);

/// Removes what SQLite keeps beside a database, such as a process that was killed leaves behind:
/// the database of that name is gone, and its log would be applied to the next one.
void remove_sqlite_companions(const std::filesystem::path& file);

}  // namespace petal::chain
