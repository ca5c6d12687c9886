/// A wallet's file among the processes that use it: its locks, its names, its versions.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "chain/files/file_lock.h"

namespace petal::wallet {

/// The largest sync checkpoint that is stored.
inline constexpr std::size_t kMaxCheckpointBytes = 64 << 20;
/// The largest row of a wallet's file that is read into memory.
inline constexpr int kMaxRowBytes = kMaxCheckpointBytes + 1024;

/// Locks a wallet's file: shared for a process that writes it, exclusive for one that moves the
/// file or its secret. Uses a lock file beside it: POSIX releases SQLite's own locks when any other
/// descriptor of the wallet's file is closed. Throws WalletError with locked_by_other.
chain::FileLock lock_use(const std::filesystem::path& file, chain::FileLock::Mode mode);

/// One sync at a time has this lock. Throws as lock_use().
chain::FileLock lock_sync(const std::filesystem::path& file);

/// Removes the lock files of a wallet that was removed or not created. For the process that holds
/// lock_use() exclusively: then no other process has the sync lock, as it would share the use lock.
/// A leftover lock file does no harm.
void remove_locks(const std::filesystem::path& file);

/// Keeps all other processes from writing during its lifetime. Throws if another process writes.
class SoleUse {
public:
    SoleUse(chain::FileLock& use, const std::filesystem::path& file);
    SoleUse(const SoleUse&) = delete;
    SoleUse& operator=(const SoleUse&) = delete;
    ~SoleUse() { use_.make_shared(); }

private:
    chain::FileLock& use_;
};

/// Throws WalletError with `exists` if any file of this name exists.
void refuse_existing(const std::filesystem::path& file);
/// Throws WalletError with `missing` if no file of this name exists, and with `storage` if it is
/// not a regular file.
void expect_existing(const std::filesystem::path& file);

/// The name of a wallet's file until it is complete.
std::filesystem::path draft_of(const std::filesystem::path& file);

/// The version of a file that this petal can read. Throws BadValue, and WalletError for a later
/// one.
std::int64_t check_readable(SQLite::Database& database, const std::filesystem::path& file);

/// Upgrades a file of an earlier version. Uses a connection of its own, so that the memory of pages
/// that held the secret is freed with it. For a process that shares lock_use().
void renew_old_file(const std::filesystem::path& file);

/// As Wallet::rename() and Wallet::remove().
void rename_wallet_file(const std::filesystem::path& file, const std::filesystem::path& to,
                        const std::function<void()>& move_beside);
void remove_wallet_file(const std::filesystem::path& file);

}  // namespace petal::wallet
