/// Connections to a wallet's file, and the classification of their failures.
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
/// The error that names the process that holds `lock_file`, and what to do if it is stopped.
WalletError in_use_error(const std::filesystem::path& file,
                         const std::filesystem::path& lock_file);
/// Distinguishes failures of the machine from faults of the file.
WalletError sqlite_error(const std::filesystem::path& file, const SQLite::Exception& error);

/// Does `work`. The only place that converts exceptions of SQLite and of the system to WalletError.
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

/// A connection to a file with hostile content. Throws SQLite::Exception.
/// max_row_bytes   the largest row that is read into memory
SQLite::Database connect(const std::filesystem::path& file, int max_row_bytes);
/// A connection that only reads, also on a full disk. Throws SQLite::Exception.
SQLite::Database connect_to_read(const std::filesystem::path& file, int max_row_bytes);

/// An open wallet file with its prepared statements, used by the classes of its tables. Throws
/// SQLite::Exception and BadValue, as guarded() expects them.
class WalletConnection {
public:
    /// database   of connect() or connect_to_read()
    WalletConnection(const std::filesystem::path& file, SQLite::Database database)
        : file_(file), database_(std::move(database)) {}

    const std::filesystem::path& file() const { return file_; }
    SQLite::Database& database() { return database_; }

    /// Prepared once for each text, which must be a literal.
    SQLite::Statement& statement(const char* sql);
    /// Gives up all prepared statements, which would keep the file from changing its journal.
    void forget_statements() { statements_.clear(); }

    /// Files of earlier versions that are open for reading lack some tables.
    bool has_table(const std::string& name);

    /// The error for stored data that can't be valid; `what` describes the fault.
    WalletError damaged(std::string_view what) const { return damaged_error(file_, what); }

private:
    std::filesystem::path file_;
    SQLite::Database database_;
    std::map<std::string_view, SQLite::Statement> statements_;  ///< by their SQL
};

}  // namespace petal::wallet
