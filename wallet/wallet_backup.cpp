#include "wallet/wallet_backup.h"

#include <SQLiteCpp/Transaction.h>

#include <string>

#include "chain/storage/new_file.h"
#include "chain/storage/private_files.h"
#include "chain/storage/sqlite_file.h"
#include "chain/storage/sqlite_image.h"
#include "wallet/store/wallet_database.h"
#include "wallet/store/wallet_file.h"

namespace petal::wallet {

namespace {

using chain::FileLock;

/// Uses a separate connection, because the pages with the secret are also read.
chain::SqliteImage image_of(const std::filesystem::path& file) {
    return guarded(file, [&] {
        SQLite::Database database = connect_to_read(file, kMaxRowBytes);
        const SQLite::Transaction unchanging(database);
        check_readable(database, file);
        return chain::SqliteImage(database);
    });
}

/// The error for a backup instead of a wallet's file, with other advice.
WalletError unusable_backup(const WalletError& error) {
    switch (error.kind()) {
        case WalletError::Kind::newer_version:
            return {error.kind(),
                    "the wallet in the backup was made by a later petal; install that one, or a "
                    "later one"};
        case WalletError::Kind::damaged:
        case WalletError::Kind::wrong_network:  // not that of the backup's header
            return {WalletError::Kind::damaged,
                    "the wallet in the backup contradicts itself; use another backup, or restore "
                    "the wallet from its words or private descriptors"};
        default:
            return error;
    }
}

/// Opens the restored wallet under its draft name.
void check_restored(const std::filesystem::path& draft, const chain::NetworkParams& network,
                    const std::function<void(const Wallet&)>& check) {
    try {
        const Wallet wallet = Wallet::open(draft, network, Access::read);
        const WalletInfo info = wallet.info();
        if (!info.encrypted && !info.watch_only) static_cast<void>(wallet.secret({}));
        check(wallet);
    } catch (const WalletError& error) {
        throw unusable_backup(error);
    }
}

WalletError other_network(const std::string& network, const chain::NetworkParams& wanted) {
    return {WalletError::Kind::wrong_network, "the backup is of a wallet on " + network + ", not " +
                                                  std::string(wanted.name) +
                                                  "; choose that network"};
}

}  // namespace

std::uint64_t back_up(const std::filesystem::path& file, const chain::NetworkParams& network,
                      const ByteSink& sink) {
    static_cast<void>(Wallet::open(file, network, Access::read));  // throws if it is damaged
    const chain::SqliteImage image = image_of(file);
    std::uint64_t written = 0;
    write_backup(network.name, image.view(), [&](chain::ByteView bytes) {
        sink(bytes);
        written += bytes.size();
    });
    return written;
}

std::uint64_t back_up_to(const std::filesystem::path& file, const chain::NetworkParams& network,
                         const std::filesystem::path& backup) {
    chain::NewFile made(backup);
    const std::uint64_t written =
        back_up(file, network, [&](chain::ByteView bytes) { made.write(bytes); });
    made.keep();
    return written;
}

chain::Expected<void, BackupError> restore_backup(const std::filesystem::path& file,
                                                  const chain::NetworkParams& network,
                                                  const ByteSource& source,
                                                  const std::function<void(const Wallet&)>& check) {
    chain::make_private_folders(file.parent_path());
    refuse_existing(file);
    const FileLock lock = lock_use(file, FileLock::Mode::exclusive);
    try {
        refuse_existing(file);
        chain::remove_sqlite_companions(draft_of(file));
        chain::NewFile made(file, draft_of(file));
        const auto read = read_backup(source, [&](chain::ByteView bytes) { made.write(bytes); });
        if (!read) {
            remove_locks(file);
            return chain::Unexpected(read.error());
        }
        if (*read != network.name) throw other_network(*read, network);
        check_restored(made.draft(), network, check);
        chain::remove_sqlite_companions(file);
        made.keep();
    } catch (...) {
        remove_locks(file);
        throw;
    }
    return {};
}

}  // namespace petal::wallet
