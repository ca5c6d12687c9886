#include "wallet/store/wallet_file.h"

#include <system_error>
#include <utility>

#include "chain/storage/private_files.h"
#include "chain/storage/sqlite_file.h"
#include "wallet/store/wallet_database.h"
#include "wallet/store/wallet_locks.h"
#include "wallet/store/wallet_schema.h"

namespace petal::wallet {

namespace {

using chain::FileLock;

}  // namespace

FileLock lock_use(const std::filesystem::path& file, FileLock::Mode mode) {
    auto lock = FileLock::acquire(use_lock_file(file), mode);
    if (lock) return std::move(*lock);
    throw in_use_error(file, use_lock_file(file));
}

FileLock lock_sync(const std::filesystem::path& file) {
    auto lock = FileLock::acquire(sync_lock_file(file), FileLock::Mode::exclusive);
    if (lock) return std::move(*lock);
    throw in_use_error(file, sync_lock_file(file));
}

void remove_locks(const std::filesystem::path& file) {
    std::error_code ignored;
    std::filesystem::remove(sync_lock_file(file), ignored);
    std::filesystem::remove(use_lock_file(file), ignored);
}

SoleUse::SoleUse(FileLock& use, const std::filesystem::path& file) : use_(use) {
    if (!use_.make_exclusive()) throw in_use_error(file, use_lock_file(file));
}

void refuse_existing(const std::filesystem::path& file) {
    if (!chain::is_there(file)) return;
    throw WalletError(WalletError::Kind::exists,
                      "wallet " + quoted(file) + " exists already; choose another name");
}

void expect_existing(const std::filesystem::path& file) {
    if (!chain::is_there(file)) {
        throw WalletError(WalletError::Kind::missing,
                          "there is no wallet " + quoted(file) + "; create or restore it first");
    }
    std::error_code error;  // SQLite reports the reason
    const auto type = std::filesystem::symlink_status(file, error).type();
    if (type == std::filesystem::file_type::symlink) {
        throw storage_error(file, "it is a symbolic link");
    }
    if (!error && type != std::filesystem::file_type::regular) {
        throw storage_error(file, "it is not a regular file");
    }
}

std::filesystem::path draft_of(const std::filesystem::path& file) {
    return file.string() + ".new";
}

std::int64_t check_readable(SQLite::Database& database, const std::filesystem::path& file) {
    const std::int64_t version = check_schema(database);
    if (version <= kSchemaVersion) return version;
    throw WalletError(WalletError::Kind::newer_version,
                      "wallet file " + quoted(file) +
                          " was made by a later petal; install that one, or a later one");
}

void renew_old_file(const std::filesystem::path& file) {
    SQLite::Database database = connect(file, kMaxRowBytes);
    if (check_readable(database, file) == kSchemaVersion) return;
    if (!use_rollback_journal(database)) throw in_use_error(file, use_lock_file(file));
    renew_schema(database);
}

void rename_wallet_file(const std::filesystem::path& file, const std::filesystem::path& to,
                        const std::function<void()>& move_beside) {
    guarded(file, [&] {
        expect_existing(file);
        chain::sync_folder_of(to);  // may throw, so called before any change
        const FileLock lock = lock_use(file, FileLock::Mode::exclusive);
        refuse_existing(to);
        const FileLock lock_of_new = lock_use(to, FileLock::Mode::exclusive);
        refuse_existing(to);
        {
            SQLite::Database database = connect(file, kMaxRowBytes);
            check_readable(database, file);
            // Writes the log back into the file, which is impossible while another process reads
            // the file.
            if (!use_rollback_journal(database)) throw in_use_error(file, use_lock_file(file));
        }
        if (move_beside) move_beside();
        chain::remove_sqlite_companions(to);
        chain::rename_durably(file, to);
        remove_locks(file);
    });
}

void remove_wallet_file(const std::filesystem::path& file) {
    guarded(file, [&] {
        const FileLock lock = lock_use(file, FileLock::Mode::exclusive);
        // Removing a symbolic link would not remove the wallet.
        if (std::filesystem::is_symlink(file)) {
            throw storage_error(file, "it is a symbolic link");
        }
        chain::sync_folder_of(file);                // may throw, so called before any removal
        chain::remove_sqlite_file(draft_of(file));  // of a killed process, may contain the secret
        chain::remove_sqlite_file(file);
        remove_locks(file);
        chain::sync_folder_of(file);
    });
}

}  // namespace petal::wallet
