/// Connections to a wallet's file, and the conversion of errors.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "chain/storage/sqlite_query.h"
#include "wallet/store/wallet_error.h"

namespace petal::wallet {

std::string quoted(const std::filesystem::path& file);

WalletError damaged_error(const std::filesystem::path& file, std::string_view what);
WalletError storage_error(const std::filesystem::path& file, std::string_view what);
/// An error that names the process with the lock, and says what to do if that process is stopped.
WalletError in_use_error(const std::filesystem::path& file, const std::filesystem::path& lock_file);
/// Distinguishes failures of the machine from damage of the file.
WalletError sqlite_error(const std::filesystem::path& file, const SQLite::Exception& error);

/// Calls `work` and converts exceptions of SQLite and of the system to WalletError.
template <typename Work>
std::invoke_result_t<Work> guarded(const std::filesystem::path& file, Work work) {
    try {
        return work();
    } catch (const SQLite::Exception& error) {
        throw sqlite_error(file, error);
    } catch (const chain::BadValue& error) {
        throw damaged_error(file, error.what());
    } catch (const std::system_error& error) {
        throw storage_error(file, error.what());
    }
}

/// Opens a file with untrusted content. Throws SQLite::Exception.
/// max_row_bytes   the maximum size of a row that is read
SQLite::Database connect(const std::filesystem::path& file, int max_row_bytes);
/// Like connect(), but for reading, even on a full disk. Throws SQLite::Exception.
SQLite::Database connect_to_read(const std::filesystem::path& file, int max_row_bytes);

/// An open wallet file with prepared statements, used by the table classes. Throws
/// SQLite::Exception and BadValue (see guarded()).
class WalletConnection {
public:
    /// database   of connect() or connect_to_read()
    WalletConnection(const std::filesystem::path& file, SQLite::Database database)
        : file_(file), database_(std::move(database)) {}

    const std::filesystem::path& file() const { return file_; }
    SQLite::Database& database() { return database_; }

    /// Prepares a statement once. `sql` must be a literal.
    SQLite::Statement& statement(const char* sql);
    /// Destroys all prepared statements, which would prevent a change of the journal mode.
    void forget_statements() { statements_.clear(); }

    /// With Access::read, a file of an earlier version may lack tables.
    bool has_table(const std::string& name);

    /// The error for invalid stored data.
    WalletError damaged(std::string_view what) const { return damaged_error(file_, what); }

private:
    std::filesystem::path file_;
    SQLite::Database database_;
    std::map<std::string_view, SQLite::Statement> statements_;  ///< by SQL text
};

}  // namespace petal::wallet
