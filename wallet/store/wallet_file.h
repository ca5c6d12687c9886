/// A wallet's file among the processes that use it: its locks, its names, its versions.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "chain/files/file_lock.h"

namespace petal::wallet {

/// No longer sync checkpoint is stored.
inline constexpr std::size_t kMaxCheckpointBytes = 64 << 20;
/// No longer row of a wallet's file is read into memory.
inline constexpr int kMaxRowBytes = kMaxCheckpointBytes + 1024;

/// A process that writes a wallet's file shares this lock; one that moves the file or its secret
/// holds it alone. It lies beside the file: SQLite's own locks on the file end when any other
/// descriptor of it is closed (POSIX). Throws WalletError with locked_by_other.
chain::FileLock lock_use(const std::filesystem::path& file, chain::FileLock::Mode mode);

/// One sync at a time has this lock. Throws as lock_use().
chain::FileLock lock_sync(const std::filesystem::path& file);

/// Removes the lock files of a wallet that is gone or was not made, for the process that has
/// lock_use() exclusively: no other has the sync lock, for which the use lock is shared. A file
/// that stays does no harm.
void remove_locks(const std::filesystem::path& file);

/// Keeps all others from writing while it lasts. Throws where others do.
class SoleUse {
public:
    SoleUse(chain::FileLock& use, const std::filesystem::path& file);
    SoleUse(const SoleUse&) = delete;
    SoleUse& operator=(const SoleUse&) = delete;
    ~SoleUse() { use_.make_shared(); }

private:
    chain::FileLock& use_;
};

/// Throws WalletError with `exists` if there is anything of this name.
void refuse_existing(const std::filesystem::path& file);
/// Throws WalletError with `missing` if there is nothing of this name.
void expect_existing(const std::filesystem::path& file);

/// The name that a wallet has until it is whole.
std::filesystem::path draft_of(const std::filesystem::path& file);

/// The version of a file that this petal can read. Throws BadValue, and WalletError for a later
/// one.
std::int64_t check_readable(SQLite::Database& database, const std::filesystem::path& file);

/// Brings a file of an earlier version up to this one's. On a connection of its own, with which the
/// pages go that held the secret. For a process that shares lock_use().
void renew_old_file(const std::filesystem::path& file);

/// As Wallet::rename() and Wallet::remove().
void rename_wallet_file(const std::filesystem::path& file, const std::filesystem::path& to,
                        const std::function<void()>& move_beside);
void remove_wallet_file(const std::filesystem::path& file);

}  // namespace petal::wallet
