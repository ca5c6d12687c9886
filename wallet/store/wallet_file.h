/// Locks, names and versions of a wallet's file.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "chain/files/file_lock.h"

namespace petal::wallet {

/// The maximum size of a stored sync checkpoint, in bytes.
inline constexpr std::size_t kMaxCheckpointBytes = 64 << 20;
/// The maximum size of a row of a wallet's file, in bytes.
inline constexpr int kMaxRowBytes = kMaxCheckpointBytes + 1024;

/// Locks a wallet's file: shared for a process that writes the file, exclusive for a process that
/// moves the file or replaces its secret. Uses a lock file, because POSIX releases SQLite's own
/// locks when any descriptor of the wallet's file is closed. Throws WalletError with
/// locked_by_other.
chain::FileLock lock_use(const std::filesystem::path& file, chain::FileLock::Mode mode);

/// The exclusive lock of the process that syncs the wallet. Throws like lock_use().
chain::FileLock lock_sync(const std::filesystem::path& file);

/// Removes the lock files of a wallet that was removed or not created. The caller must hold
/// lock_use() exclusively, so that no process has the sync lock, which requires the shared use
/// lock. A leftover lock file does no harm.
void remove_locks(const std::filesystem::path& file);

/// Makes the shared lock exclusive while this object exists. Throws if another process has the
/// lock.
class SoleUse {
public:
    SoleUse(chain::FileLock& use, const std::filesystem::path& file);
    SoleUse(const SoleUse&) = delete;
    SoleUse& operator=(const SoleUse&) = delete;
    ~SoleUse() { use_.make_shared(); }

private:
    chain::FileLock& use_;
};

/// Throws WalletError with `exists` if the path exists.
void refuse_existing(const std::filesystem::path& file);
/// Throws WalletError with `missing` if the path does not exist, and with `storage` if it is not a
/// regular file.
void expect_existing(const std::filesystem::path& file);

/// The name of a wallet's file until it is complete.
std::filesystem::path draft_of(const std::filesystem::path& file);

/// The version of a file. Throws BadValue, and WalletError for a later version than this petal can
/// read.
std::int64_t check_readable(SQLite::Database& database, const std::filesystem::path& file);

/// Upgrades a file of an earlier version. Uses a separate connection, so that memory of pages with
/// the secret is freed with the connection. The caller must hold lock_use() (shared).
void renew_old_file(const std::filesystem::path& file);

/// Implement Wallet::rename() and Wallet::remove().
void rename_wallet_file(const std::filesystem::path& file, const std::filesystem::path& to,
                        const std::function<void()>& move_beside);
void remove_wallet_file(const std::filesystem::path& file);

}  // namespace petal::wallet
