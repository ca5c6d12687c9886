/// Connections to a wallet's file, and what their failures mean.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "chain/storage/sqlite_query.h"
#include "wallet/store/wallet_error.h"

namespace petal::wallet {

std::string quoted(const std::filesystem::path& file);

WalletError damaged_error(const std::filesystem::path& file, std::string_view what);
WalletError storage_error(const std::filesystem::path& file, std::string_view what);
WalletError in_use_error(const std::filesystem::path& file);
/// What the machine does wrong is told from what the file says wrong.
WalletError sqlite_error(const std::filesystem::path& file, const SQLite::Exception& error);

/// Does `work`. The one place where failures of SQLite and of the system become the wallet's.
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
/// max_row_bytes   no longer row is read into memory
SQLite::Database connect(const std::filesystem::path& file, int max_row_bytes);

}  // namespace petal::wallet
