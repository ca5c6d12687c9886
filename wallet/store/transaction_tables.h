/// The tables of a wallet's file about transactions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "wallet/ledger/ledger.h"
#include "wallet/ledger/records.h"
#include "wallet/store/wallet_database.h"

namespace petal::wallet {

// The connection must outlive each table. To be used within WalletStore::read() or write().

/// A stored transaction. Its credits are computed when the wallet is opened.
struct StoredTransaction {
    chain::Txid txid;
    chain::Bytes raw;  ///< the wire form
    std::int64_t seen_time = 0;
    std::uint64_t seen_order = 0;
    std::optional<Placement> placement;
    bool shown = false;
    bool awaits_search = false;
    PeerEvidence evidence{};
};

/// The wallet's transactions, and the blocks that confirm them.
class TransactionTable {
public:
    explicit TransactionTable(WalletConnection& connection) : connection_(connection) {}

    /// Counts in the table, not in an index, to detect a damaged index.
    std::size_t count();
    /// Visits in the order last seen, through the index.
    void for_each(const std::function<void(StoredTransaction)>& visit);
    void for_each_block(const std::function<void(const LedgerBlock&)>& visit);
    /// The wire form of a known transaction.
    chain::Bytes raw(const chain::Txid& txid);

    void add(const StoredTransaction& transaction);
    /// Stores the current record of a known transaction.
    void update(const LedgerTransaction& transaction);
    /// Also stores the transaction's new wire form.
    void update(const LedgerTransaction& transaction, chain::ByteView raw);
    /// Removes an unconfirmed transaction, also from AnnouncedTable, ChangeOutputTable and
    /// ReplacementTable.
    void remove(const chain::Txid& txid);

    /// Stores a block, unless there is a block at this height.
    void put_block(const LedgerBlock& block);
    /// Like Ledger::undo_to(). Also forgets the merkle proofs.
    void undo_to(std::uint32_t height);
    /// Like Ledger::search_again_above(). The merkle proofs stay.
    void search_again_above(std::uint32_t height);
    /// Forgets blocks without transactions.
    void drop_empty_blocks();
    /// Like Ledger::set_synced() for a block of this height.
    void set_synced(std::uint32_t height);

private:
    void run(const char* sql, const chain::Txid& txid);
    void put(const chain::Txid& txid, const PeerEvidence& evidence);

    WalletConnection& connection_;
};

/// The merkle proofs of confirmed transactions.
class MerkleProofTable {
public:
    explicit MerkleProofTable(WalletConnection& connection) : connection_(connection) {}

    /// Empty if no proof is stored.
    std::optional<StoredMerkleProof> find(const chain::Txid& txid);
    void put(const chain::Txid& txid, const StoredMerkleProof& proof);

private:
    WalletConnection& connection_;
};

/// The transactions that the user broadcast, byte for byte.
class AnnouncedTable {
public:
    explicit AnnouncedTable(WalletConnection& connection) : connection_(connection) {}

    /// The raw transaction. Empty if the user did not broadcast it.
    std::optional<chain::Bytes> find(const chain::Txid& txid);
    std::set<chain::Txid> txids();
    void put(const chain::Txid& txid, chain::ByteView raw);
    void remove(const chain::Txid& txid);

private:
    WalletConnection& connection_;
};

/// The change output of a payment made by this wallet.
struct KnownChange {
    std::optional<std::uint32_t> output;  ///< empty if the payment has no change
};

/// The change of the wallet's own payments.
class ChangeOutputTable {
public:
    explicit ChangeOutputTable(WalletConnection& connection) : connection_(connection) {}

    /// Empty if unknown: the payment was made elsewhere or by an earlier version.
    std::optional<KnownChange> find(const chain::Txid& txid);
    /// output   empty if the payment has no change
    void put(const chain::Txid& txid, std::optional<std::size_t> output);

private:
    WalletConnection& connection_;
};

/// The payments that were made to replace another payment. Their fee rate was chosen for one urgent
/// payment. This fact outlasts the replaced payment, which the user may abandon.
class ReplacementTable {
public:
    explicit ReplacementTable(WalletConnection& connection) : connection_(connection) {}

    /// False for every payment in a file of an earlier version that is open for reading.
    bool contains(const chain::Txid& txid);
    void put(const chain::Txid& txid);

private:
    WalletConnection& connection_;
};

}  // namespace petal::wallet
