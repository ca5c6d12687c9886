#include "wallet/store/wallet_store.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "chain/storage/private_files.h"
#include "chain/storage/sqlite_file.h"
#include "chain/storage/sqlite_memory.h"
#include "chain/storage/sqlite_query.h"
#include "wallet/keys/secret_box.h"
#include "wallet/store/wallet_database.h"
#include "wallet/store/wallet_file.h"
#include "wallet/store/wallet_locks.h"
#include "wallet/store/wallet_schema.h"
#include "wallet/store/watched_tables.h"

namespace petal::wallet {

namespace {

using chain::ByteView;
using chain::FileLock;
using chain::SqliteQuery;

// Limits for reading, far above the data that petal stores.
constexpr std::size_t kMaxSecretBoxBytes = kMaxSecretBytes + 1'024;
constexpr std::size_t kMaxTextBytes = 200;

void store_identity(SQLite::Database& database, const StoredIdentity& identity) {
    SQLite::Statement statement(database,
                                "INSERT INTO identity VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    SqliteQuery(statement)
        .bind(identity.network)
        .bind(static_cast<std::int64_t>(identity.kind))
        .bind(identity.account_key)
        .bind(ByteView(identity.master_fingerprint))
        .bind(std::int64_t{identity.encrypted})
        .bind(ByteView())  // unused, since the secret has its own table
        .bind(std::int64_t{identity.birthday.height})
        .bind_time(identity.birthday.time)
        .bind(std::int64_t{identity.look_ahead.gap_limit})
        .bind(std::int64_t{identity.look_ahead.watched})
        .run();
}

void store_secret(SQLite::Database& database, ByteView secret) {
    if (secret.empty()) return;
    SQLite::Statement statement(database, "INSERT INTO secret VALUES (1, ?)");
    SqliteQuery(statement).bind(secret).run();
}

/// Writes a new wallet with a rollback journal, so that no companion file remains.
void write_new(const std::filesystem::path& file, const NewWalletFile& wallet) {
    SQLite::Database database(file, SQLite::OPEN_READWRITE);
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::EXCLUSIVE);
    create_schema(database);
    store_identity(database, wallet.identity);
    store_secret(database, wallet.secret);
    database.exec("INSERT INTO sync VALUES (1, NULL, NULL, x'')");
    store_descriptors(database, wallet.descriptors);
    if (wallet.padding) store_filter_padding(database, *wallet.padding);
    store_scripts(database, wallet.scripts);
    transaction.commit();
}

/// For use while handling an error, which must not be replaced by a failure here.
void remove_if_possible(const std::filesystem::path& file) {
    try {
        chain::remove_sqlite_file(file);
    } catch (const std::exception&) {
    }
}

}  // namespace

WalletStore WalletStore::create(const std::filesystem::path& file, const NewWalletFile& wallet) {
    chain::wipe_sqlite_memory();
    return guarded(file, [&] {
        chain::make_private_folders(file.parent_path());
        refuse_existing(file);
        Locks locks{lock_use(file, FileLock::Mode::exclusive), std::nullopt};
        refuse_existing(file);

        // Written under another name until complete, so that a killed process leaves no wallet.
        const std::filesystem::path draft = draft_of(file);
        chain::remove_sqlite_file(draft);
        chain::remove_sqlite_companions(file);
        bool is_named = false;
        try {
            chain::make_private_file(draft);
            write_new(draft, wallet);
            chain::rename_durably(draft, file);
            is_named = true;
            locks.sync = lock_sync(file);
            locks.use->make_shared();
            return WalletStore(file, Access::sync, std::move(locks));
        } catch (...) {
            // Either file may contain the secret. The words were not shown yet.
            remove_if_possible(draft);
            if (is_named) remove_if_possible(file);
            throw;
        }
    });
}

WalletStore WalletStore::open(const std::filesystem::path& file, Access access) {
    return guarded(file, [&] {
        // Checked before locking, because locking creates a lock file.
        expect_existing(file);
        Locks locks;
        chain::wipe_sqlite_memory();
        if (access != Access::read) {
            locks.use = lock_use(file, FileLock::Mode::shared);
            // Another process may have moved or removed the file before the lock was taken. A
            // reader takes no lock: connect() fails if the file is missing.
            expect_existing(file);
            if (access == Access::sync) locks.sync = lock_sync(file);
            renew_old_file(file);
        }
        return WalletStore(file, access, std::move(locks));
    });
}

WalletStore::WalletStore(const std::filesystem::path& file, Access access, Locks locks)
    : access_(access),
      locks_(std::move(locks)),
      connection_(std::make_unique<WalletConnection>(file, access == Access::read
                                                               ? connect_to_read(file, kMaxRowBytes)
                                                               : connect(file, kMaxRowBytes))) {
    check_readable(database(), file);
    if (access == Access::read) {
        database().exec("PRAGMA query_only = ON");
    } else {
        use_log();
    }
}

void WalletStore::use_log() {
    database().exec("PRAGMA synchronous = NORMAL");
    if (database().execAndGet("PRAGMA journal_mode = WAL").getString() != "wal") {
        throw storage_error(file(), "its file system lacks what a write-ahead log needs");
    }
    check_readable(database(), file());  // the first access creates the files of the log
}

void WalletStore::run(SQLite::TransactionBehavior behavior, const std::function<void()>& work) {
    guarded(file(), [&] {
        SQLite::Transaction transaction(database(), behavior);
        work();
        transaction.commit();
    });
}

void WalletStore::read(const std::function<void()>& work) {
    if (chain::is_in_transaction(database())) return work();  // nested in another transaction
    run(SQLite::TransactionBehavior::DEFERRED, work);
}

void WalletStore::write(const std::function<void()>& work) {
    assert(access_ != Access::read);
    run(SQLite::TransactionBehavior::IMMEDIATE, work);
}

void WalletStore::write_durably(const std::function<void()>& work) {
    guarded(file(), [&] { database().exec("PRAGMA synchronous = FULL"); });
    write(work);
    guarded(file(), [&] { database().exec("PRAGMA synchronous = NORMAL"); });
}

std::int64_t WalletStore::data_version() {
    SqliteQuery query(statement("PRAGMA data_version"));
    if (!query.step()) throw damaged("it has no version");
    return query.integer<std::int64_t>(0);
}

StoredIdentity WalletStore::identity() {
    SqliteQuery query(
        statement("SELECT network, kind, account_key, fingerprint, encrypted,"
                  " birthday_height, birthday_time, gap_limit, watched FROM identity"));
    if (!query.step()) throw damaged("it has no keys");
    StoredIdentity identity;
    identity.network = query.text(0, kMaxTextBytes);
    identity.kind =
        static_cast<ScriptKind>(query.integer<std::uint8_t>(1, kScriptKinds.size() - 1));
    identity.account_key = query.text(2, kMaxTextBytes);
    const ByteView fingerprint = query.blob(3, identity.master_fingerprint.size());
    if (fingerprint.size() != identity.master_fingerprint.size()) throw damaged("bad fingerprint");
    std::copy(fingerprint.begin(), fingerprint.end(), identity.master_fingerprint.begin());
    identity.encrypted = query.integer<std::uint8_t>(4, 1) == 1;
    identity.birthday.height = query.integer<std::uint32_t>(5);
    identity.birthday.time = query.time(6);
    identity.look_ahead.gap_limit = query.integer<std::uint32_t>(7);
    identity.look_ahead.watched = query.integer<std::uint32_t>(8);
    return identity;
}

StoredSecret WalletStore::secret() const {
    return guarded(file(), [&] {
        SQLite::Database database = connect_to_read(file(), kMaxRowBytes);
        const SQLite::Transaction unchanging(database);
        const bool has_table = check_readable(database, file()) >= kSecretTableVersion;
        SQLite::Statement statement(
            database, has_table ? "SELECT encrypted, secret.secret FROM identity, secret"
                                : "SELECT encrypted, secret FROM identity");
        SqliteQuery query(statement);
        if (!query.step()) throw damaged("it has no secret");
        StoredSecret stored;
        stored.encrypted = query.integer<std::uint8_t>(0, 1) == 1;
        const ByteView secret = query.blob(1, kMaxSecretBoxBytes);
        stored.bytes.assign(secret.begin(), secret.end());
        return stored;
    });
}

// With a write-ahead log, the plain secret would stay in the file until the log is written back. A
// rollback journal also contains the former content, but the commit removes the journal.
void WalletStore::replace_secret(ByteView box) {
    assert(access_ == Access::sync && box.size() <= kMaxSecretBoxBytes);
    guarded(file(), [&] {
        const SoleUse sole_use(*locks_.use, file());
        connection_->forget_statements();
        if (!use_rollback_journal(database())) {
            use_log();
            throw in_use_error(file(), use_lock_file(file()));
        }
        SQLite::Transaction transaction(database(), SQLite::TransactionBehavior::EXCLUSIVE);
        SqliteQuery(statement("UPDATE secret SET secret = ?")).bind(box).run();
        SqliteQuery(statement("UPDATE identity SET encrypted = 1")).run();
        transaction.commit();
        try {
            use_log();
        } catch (const std::exception&) {
            // The secret is replaced. The next opening switches back to the log, or reports the
            // error.
        }
    });
}

void WalletStore::check_pages() {
    // The check of one table does not notice that two tables share a root page.
    SqliteQuery roots(
        statement("SELECT count(*) - count(DISTINCT rootpage) FROM sqlite_schema"
                  " WHERE rootpage > 0"));
    if (!roots.step() || roots.integer<std::uint32_t>(0) != 0) {
        throw damaged("two tables have the same page");
    }
    constexpr std::size_t kMaxReportBytes = 100'000;
    SqliteQuery query(
        statement("SELECT quick_check FROM sqlite_schema JOIN pragma_quick_check(name)"
                  " WHERE type = 'table' AND name <> 'secret'"));
    while (query.step()) {
        const std::string report = query.text(0, kMaxReportBytes);
        if (report == "ok") continue;
        // SQLite reports a read error like damage.
        if (report.find("unable to get the page") != std::string::npos) {
            throw storage_error(file(), "a page cannot be read");
        }
        throw damaged(report.substr(report.rfind('\n') + 1));
    }
}

void WalletStore::set_birthday(const chain::Birthday& birthday) {
    SqliteQuery(statement("UPDATE identity SET birthday_height = ?, birthday_time = ?"))
        .bind(std::int64_t{birthday.height})
        .bind_time(birthday.time)
        .run();
}

}  // namespace petal::wallet
