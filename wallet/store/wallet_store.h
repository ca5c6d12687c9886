/// A wallet's SQLite file.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/files/file_lock.h"
#include "chain/watcher.h"
#include "wallet/descriptors/key_ring.h"
#include "wallet/keys/secret_bytes.h"
#include "wallet/store/access.h"
#include "wallet/store/explanation_table.h"
#include "wallet/store/label_table.h"
#include "wallet/store/script_table.h"
#include "wallet/store/sync_table.h"
#include "wallet/store/transaction_tables.h"
#include "wallet/store/wallet_database.h"
#include "wallet/store/wallet_error.h"
#include "wallet/store/watched_tables.h"

namespace petal::wallet {

/// The properties of a wallet. Only `encrypted` and `birthday` can change.
struct StoredIdentity {
    std::string network;
    /// The account of a wallet with words, to which the secret is bound: the kind, and the extended
    /// public key as text. The key is empty for a wallet without words.
    ScriptKind kind = ScriptKind::wpkh;
    std::string account_key;
    Fingerprint master_fingerprint{};
    bool encrypted = false;
    chain::Birthday birthday;
    LookAhead look_ahead;

    bool has_words() const { return !account_key.empty(); }
};

/// The source of all private keys: a seed or, without words, descriptors (secret_of()).
struct StoredSecret {
    bool encrypted = false;
    SecretBytes bytes;  ///< the secret, or the box with the encrypted secret
};

/// The contents of a new wallet's file.
struct NewWalletFile {
    StoredIdentity identity;
    /// See StoredSecret. Empty for a watch-only wallet.
    chain::ByteView secret;
    std::span<const StoredDescriptor> descriptors;  ///< empty for the account's two descriptors
    std::span<const StoredScript> scripts;          ///< in order of derivation
    std::optional<chain::FilterPadding> padding;    ///< empty if derived from the account
};

/// Reads and writes a wallet's file. Throws WalletError for errors of the file or the disk, and for
/// invalid stored data. All contents must be accessed within read(), write() or write_durably().
///
/// Not thread-safe.
class WalletStore {
public:
    /// Creates the file (mode 0600) and its folders (mode 0700) durably and atomically, and opens
    /// the file with Access::sync.
    static WalletStore create(const std::filesystem::path& file, const NewWalletFile& wallet);
    /// Opens a file. Upgrades a file of an earlier version, except with Access::read.
    static WalletStore open(const std::filesystem::path& file, Access access);

    WalletStore(WalletStore&&) = default;

    const std::filesystem::path& file() const { return connection_->file(); }
    Access access() const { return access_; }

    /// Calls `work` with one snapshot of the file. A nested call uses the snapshot of the outer
    /// read() or write().
    void read(const std::function<void()>& work);
    /// Calls `work` in one database transaction, which is rolled back if `work` throws. A power
    /// failure may undo the last transactions, the latest first.
    void write(const std::function<void()>& work);
    /// Like write(), but returns when a power failure can no longer undo the transaction.
    void write_durably(const std::function<void()>& work);

    /// A number that changes when another process, or another WalletStore, has changed the file.
    /// May also change without a change of the file.
    std::int64_t data_version();

    /// Throws if pages of a table or an index are damaged, or a row violates a constraint. Without
    /// this check, SQLite would not notice that a page lost entries, e.g. transactions or frozen
    /// coins. Does not read the secret's page.
    void check_pages();

    StoredIdentity identity();
    /// Reads the secret, through a separate connection whose memory is wiped. No other function
    /// reads the secret into memory. Independent of read() and write(). Throws for a watch-only
    /// wallet.
    StoredSecret secret() const;
    /// Replaces the secret by a box, durably and atomically. The former secret then remains in none
    /// of the wallet's files. Must not be called within write(). Throws with locked_by_other while
    /// another process keeps reading the file.
    void replace_secret(chain::ByteView box);

    void set_birthday(const chain::Birthday& birthday);

    ExplanationTable explanations() { return ExplanationTable(*connection_); }
    LabelTable labels() { return LabelTable(*connection_); }
    ScriptTable scripts() { return ScriptTable(*connection_); }
    WatchedTables watched() { return WatchedTables(*connection_); }
    SyncTable sync() { return SyncTable(*connection_); }
    TransactionTable transactions() { return TransactionTable(*connection_); }
    MerkleProofTable merkle_proofs() { return MerkleProofTable(*connection_); }
    AnnouncedTable announced() { return AnnouncedTable(*connection_); }
    ChangeOutputTable change_outputs() { return ChangeOutputTable(*connection_); }
    ReplacementTable replacements() { return ReplacementTable(*connection_); }

    /// The error for invalid stored data.
    WalletError damaged(std::string_view what) const { return connection_->damaged(what); }

private:
    /// Held while the file is open, except with Access::read.
    struct Locks {
        std::optional<chain::FileLock> use;   ///< shared, for writing
        std::optional<chain::FileLock> sync;  ///< exclusive, for syncing
    };

    WalletStore(const std::filesystem::path& file, Access access, Locks locks);

    void use_log();
    void run(SQLite::TransactionBehavior behavior, const std::function<void()>& work);
    SQLite::Database& database() { return connection_->database(); }
    SQLite::Statement& statement(const char* sql) { return connection_->statement(sql); }

    Access access_;
    Locks locks_;
    std::unique_ptr<WalletConnection> connection_;  ///< the tables refer to the connection
};

}  // namespace petal::wallet
