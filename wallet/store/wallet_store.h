/// A wallet's SQLite file.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/storage/file_lock.h"
#include "chain/watcher.h"
#include "wallet/descriptors/key_ring.h"
#include "wallet/keys/secret_bytes.h"
#include "wallet/ledger/ledger.h"
#include "wallet/store/access.h"
#include "wallet/store/wallet_error.h"

namespace petal::wallet {

/// The properties of a wallet that never change.
struct StoredIdentity {
    std::string network;
    /// The account of the wallet's words, to which its secret is bound: its kind and its extended
    /// public key, as text. Empty for a watch-only wallet.
    ScriptKind kind = ScriptKind::wpkh;
    std::string account_key;
    Fingerprint master_fingerprint{};
    bool encrypted = false;
    chain::Birthday birthday;
    LookAhead look_ahead;

    bool is_watch_only() const { return account_key.empty(); }
};

/// The seed, from which all private keys are derived.
struct StoredSecret {
    bool encrypted = false;
    SecretBytes bytes;  ///< the seed, or the box that it is sealed in
};

/// Why a wallet watches a descriptor. Wallet files store the numbers.
enum class DescriptorOrigin : std::uint8_t {
    account = 0,    ///< of an account of its words
    candidate = 1,  ///< the same, but shown only once it was used
    imported = 2,   ///< given by the user
};

/// One of the wallet's descriptors; its number is its place among them.
struct StoredDescriptor {
    std::string text;  ///< public, with checksum
    KeyChain chain = KeyChain::receive;
    DescriptorOrigin origin = DescriptorOrigin::imported;
    LookAhead look_ahead;
    chain::Birthday birthday;  ///< as the user gave it
};

/// The maximum number of a wallet's descriptors, and of the characters of each.
inline constexpr std::size_t kMaxDescriptors = 1'000;
inline constexpr std::size_t kMaxDescriptorBytes = 33'000;

/// One of the wallet's scripts.
struct StoredScript {
    KeyPath path;
    chain::Bytes script;
};

/// What a new wallet's file holds.
struct NewWalletFile {
    StoredIdentity identity;
    /// The seed, or the box that it is sealed in; empty for a watch-only wallet.
    chain::ByteView secret;
    std::span<const StoredDescriptor> descriptors;  ///< empty where they are the account's
    std::span<const StoredScript> scripts;          ///< in order of derivation
    std::optional<chain::FilterPadding> padding;    ///< empty where it follows from the account
};

/// A transaction as it is stored. Its credits are computed whenever the wallet is opened.
struct StoredTransaction {
    chain::Txid txid;
    chain::Bytes raw;  ///< its wire form
    std::int64_t seen_time = 0;
    std::uint64_t seen_order = 0;
    std::optional<Placement> placement;
};

/// Reads and writes one wallet's file. Throws WalletError wherever the file or the disk is at
/// fault, and for whatever it reads that can't have been stored. All of its contents are read and
/// changed within read(), write() or write_durably().
///
/// Not thread-safe.
class WalletStore {
public:
    /// Makes the file (0600) and its folders (0700), durably, whole or not at all, and opens it
    /// with Access::sync.
    static WalletStore create(const std::filesystem::path& file, const NewWalletFile& wallet);
    /// Unless with Access::read, a file of an earlier version is brought up to this one's first.
    static WalletStore open(const std::filesystem::path& file, Access access);

    WalletStore(WalletStore&&) = default;

    const std::filesystem::path& file() const { return file_; }
    Access access() const { return access_; }

    /// Does `work` on one unchanging state of the file. Within another read() or write(), on the
    /// state of that.
    void read(const std::function<void()>& work);
    /// Does `work` in one database transaction: all of it or, if it throws, none. After a power
    /// failure the last such transactions may be undone, the latest first.
    void write(const std::function<void()>& work);
    /// The same, but returns only when a power failure can no longer undo it.
    void write_durably(const std::function<void()>& work);

    /// A number that changes whenever another process, or another WalletStore, has changed the
    /// file; it may change without that, too.
    std::int64_t data_version();

    StoredIdentity identity();
    /// Read on a connection of its own, whose memory is wiped: no other function has the secret
    /// read into memory. Neither needs nor takes part in read() and write(). Throws for a
    /// watch-only wallet.
    StoredSecret secret() const;
    /// Puts a box in the secret's place, durably, whole or not at all. What was there before is
    /// then in none of the wallet's files. Not within write(); throws with locked_by_other while
    /// others go on reading the file.
    void replace_secret(chain::ByteView box);
    chain::SyncState sync_state();
    /// In the order of their numbers. None where they are the two of the account.
    std::vector<StoredDescriptor> descriptors();
    /// Empty where it follows from the account.
    std::optional<chain::FilterPadding> filter_padding();
    /// One more than the highest index of the descriptor that was handed out.
    std::uint32_t handed_out(DescriptorNumber number);
    /// The receive address that Wallet::current_address() shows; empty if it shows none.
    std::optional<KeyPath> current_address();
    /// Visits each label with its BIP329 type (`addr`, `tx`, `output`) and what it names.
    void for_each_label(const std::function<void(std::string_view type, std::string ref,
                                                 std::string label)>& visit);
    /// Empty if there is none; it may be empty.
    std::optional<std::string> label(std::string_view type, const std::string& ref);
    /// In order of derivation.
    void for_each_script(const std::function<void(StoredScript)>& visit);
    void for_each_block(const std::function<void(const LedgerBlock&)>& visit);
    /// In the order last seen.
    void for_each_transaction(const std::function<void(StoredTransaction)>& visit);

    /// The wire form of a known transaction.
    chain::Bytes raw_transaction(const chain::Txid& txid);
    /// Empty if none is stored.
    std::optional<StoredMerkleProof> merkle_proof(const chain::Txid& txid);
    /// The raw transaction that the user broadcast; empty if the user did not broadcast it. Must
    /// not be called on a version-1 file opened with Access::read.
    std::optional<chain::Bytes> announced(const chain::Txid& txid);
    void set_announced(const chain::Txid& txid, chain::ByteView raw);
    /// The transactions that the user broadcast.
    std::set<chain::Txid> announced_txids();

    void set_sync_state(const std::optional<chain::BlockRef>& synced,
                        chain::ByteView sync_checkpoint);
    /// Leaves the stored sync checkpoint unchanged.
    void set_synced(const std::optional<chain::BlockRef>& synced);
    void set_birthday(const chain::Birthday& birthday);
    void add_descriptor(DescriptorNumber number, const StoredDescriptor& descriptor);
    void set_filter_padding(const chain::FilterPadding& padding);
    void set_handed_out(DescriptorNumber number, std::uint32_t end);
    void set_current_address(const std::optional<KeyPath>& path);
    /// At most kMaxLabelBytes. An empty label is stored too: it remembers that there was one.
    void set_label(std::string_view type, const std::string& ref, const std::string& label);
    void remove_label(std::string_view type, const std::string& ref);
    void add_script(const StoredScript& script);
    /// Stores a block, or leaves the one that is there at its height.
    void put_block(const LedgerBlock& block);
    void add_transaction(const StoredTransaction& transaction);
    /// Stores the new placement and order of a known transaction.
    void move_transaction(const LedgerTransaction& transaction);
    /// The same, and its wire form as the block has it.
    void confirm_transaction(const LedgerTransaction& transaction, chain::ByteView raw);
    void put_merkle_proof(const chain::Txid& txid, const StoredMerkleProof& proof);
    /// Removes an unconfirmed transaction, and what announced() knows of it.
    void remove_transaction(const chain::Txid& txid);
    /// Forgets the blocks above `height` and the merkle proofs for them; what they confirmed is
    /// unconfirmed, and was last seen when they were mined, if not later.
    void undo_to(std::uint32_t height);

    /// The error for stored data that can't be right; `what` says what is wrong with them.
    WalletError damaged(std::string_view what) const;

private:
    /// Held as long as the file is open. A process that only reads holds none.
    struct Locks {
        std::optional<chain::FileLock> use;   ///< that the file is written to
        std::optional<chain::FileLock> sync;  ///< that the wallet is synced
    };

    WalletStore(const std::filesystem::path& file, Access access, Locks locks);

    void use_log();
    /// Files of earlier versions that are open for reading lack some.
    bool has_table(const std::string& name);
    std::uint64_t handed_out_row(std::int64_t row);
    void set_handed_out_row(std::int64_t row, std::uint64_t end);
    void run(SQLite::TransactionBehavior behavior, const std::function<void()>& work);
    SQLite::Statement& statement(const char* sql);

    std::filesystem::path file_;
    Access access_;
    Locks locks_;
    SQLite::Database database_;
    std::map<std::string_view, SQLite::Statement> statements_;  ///< by their SQL, a literal
};

}  // namespace petal::wallet
