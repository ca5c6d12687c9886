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

/// The properties of a wallet. Only `encrypted` and `birthday` ever change.
struct StoredIdentity {
    std::string network;
    /// The account of the wallet's words, to which its secret is bound: its kind and its extended
    /// public key, as text. Empty for a wallet without words.
    ScriptKind kind = ScriptKind::wpkh;
    std::string account_key;
    Fingerprint master_fingerprint{};
    bool encrypted = false;
    chain::Birthday birthday;
    LookAhead look_ahead;

    bool has_words() const { return !account_key.empty(); }
};

/// The source of all private keys: the seed or, without words, descriptors (secret_of()).
struct StoredSecret {
    bool encrypted = false;
    SecretBytes bytes;  ///< the secret, or the box that it is sealed in
};

/// The contents of a new wallet's file.
struct NewWalletFile {
    StoredIdentity identity;
    /// As of StoredSecret; empty for a watch-only wallet.
    chain::ByteView secret;
    std::span<const StoredDescriptor> descriptors;  ///< empty if they are the account's
    std::span<const StoredScript> scripts;          ///< in order of derivation
    std::optional<chain::FilterPadding> padding;    ///< empty if derived from the account
};

/// Reads and writes one wallet's file. Throws WalletError for faults of the file or the disk, and
/// for data that can't have been stored. All contents are read and changed within read(), write()
/// or write_durably().
///
/// Not thread-safe.
class WalletStore {
public:
    /// Creates the file (0600) and its folders (0700), durably and atomically, and opens it with
    /// Access::sync.
    static WalletStore create(const std::filesystem::path& file, const NewWalletFile& wallet);
    /// Upgrades a file of an earlier version first, unless opened with Access::read.
    static WalletStore open(const std::filesystem::path& file, Access access);

    WalletStore(WalletStore&&) = default;

    const std::filesystem::path& file() const { return connection_->file(); }
    Access access() const { return access_; }

    /// Does `work` on one snapshot of the file. Within another read() or write(), on the snapshot
    /// of that.
    void read(const std::function<void()>& work);
    /// Does `work` in one database transaction: all of it or, if it throws, nothing. After a power
    /// failure the last such transactions may be undone, the latest first.
    void write(const std::function<void()>& work);
    /// write() that returns only when a power failure can no longer undo it.
    void write_durably(const std::function<void()>& work);

    /// A number that changes whenever another process, or another WalletStore, has changed the
    /// file; it may change without that, too.
    std::int64_t data_version();

    /// Throws if pages of a table or of its indexes were damaged, or a row breaks a constraint; the
    /// secret's page is not read. SQLite itself does not notice that a page has fewer entries than
    /// it had: transactions, or marks of frozen coins, would be missing.
    void check_pages();

    StoredIdentity identity();
    /// Read through a connection of its own, whose memory is wiped: no other function reads the
    /// secret into memory. Independent of read() and write(). Throws for a watch-only wallet.
    StoredSecret secret() const;
    /// Replaces the secret by a box, durably and atomically. None of the wallet's files then holds
    /// the former secret. Not within write(); throws with locked_by_other while another process
    /// keeps reading the file.
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

    /// The error for stored data that can't be valid; `what` describes the fault.
    WalletError damaged(std::string_view what) const { return connection_->damaged(what); }

private:
    /// Held while the file is open. A process that only reads holds none.
    struct Locks {
        std::optional<chain::FileLock> use;   ///< that the file is written to
        std::optional<chain::FileLock> sync;  ///< that the wallet is synced
    };

    WalletStore(const std::filesystem::path& file, Access access, Locks locks);

    void use_log();
    void run(SQLite::TransactionBehavior behavior, const std::function<void()>& work);
    SQLite::Database& database() { return connection_->database(); }
    SQLite::Statement& statement(const char* sql) { return connection_->statement(sql); }

    Access access_;
    Locks locks_;
    std::unique_ptr<WalletConnection> connection_;  ///< the tables keep its address
};

}  // namespace petal::wallet
