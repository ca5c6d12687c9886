/// The transactions in a wallet's file: confirmed ones, their proofs, and those that the user
/// broadcast.
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

// Each is a handle: the connection must outlive it. Within WalletStore::read() or write().

/// A stored transaction. Its credits are computed whenever the wallet is opened.
struct StoredTransaction {
    chain::Txid txid;
    chain::Bytes raw;  ///< its wire form
    std::int64_t seen_time = 0;
    std::uint64_t seen_order = 0;
    std::optional<Placement> placement;
    bool shown = false;
    std::optional<std::uint32_t> unsearched_height;
    PeerEvidence evidence{};
};

/// The wallet's transactions, and the blocks that confirm them.
class TransactionTable {
public:
    explicit TransactionTable(WalletConnection& connection) : connection_(connection) {}

    /// Counted in the table itself, not in an index.
    std::size_t count();
    /// In the order last seen, by the index of this order.
    void for_each(const std::function<void(StoredTransaction)>& visit);
    void for_each_block(const std::function<void(const LedgerBlock&)>& visit);
    /// The wire form of a known transaction.
    chain::Bytes raw(const chain::Txid& txid);

    void add(const StoredTransaction& transaction);
    /// Stores the present record of a known transaction.
    void update(const LedgerTransaction& transaction);
    /// The same, and the transaction's new wire form.
    void update(const LedgerTransaction& transaction, chain::ByteView raw);
    /// Removes an unconfirmed transaction, also from AnnouncedTable and ChangeOutputTable.
    void remove(const chain::Txid& txid);

    /// Stores a block, unless the table has one at its height.
    void put_block(const LedgerBlock& block);
    /// Forgets the blocks above `height` and the merkle proofs for them, as Ledger::undo_to() does.
    void undo_to(std::uint32_t height, UndoCause cause);
    /// Forgets the blocks without a transaction.
    void drop_empty_blocks();
    /// As Ledger::set_synced() for a block of this height.
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

    /// Empty if none is stored.
    std::optional<StoredMerkleProof> find(const chain::Txid& txid);
    void put(const chain::Txid& txid, const StoredMerkleProof& proof);

private:
    WalletConnection& connection_;
};

/// The transactions that the user broadcast, in the very bytes.
class AnnouncedTable {
public:
    explicit AnnouncedTable(WalletConnection& connection) : connection_(connection) {}

    /// The raw transaction; empty if the user did not broadcast it.
    std::optional<chain::Bytes> find(const chain::Txid& txid);
    std::set<chain::Txid> txids();
    void put(const chain::Txid& txid, chain::ByteView raw);
    void remove(const chain::Txid& txid);

private:
    WalletConnection& connection_;
};

/// Which output of a payment is its change, as it was made in this wallet.
struct KnownChange {
    std::optional<std::uint32_t> output;  ///< empty if all outputs are the recipients'
};

/// The change of the wallet's own payments.
class ChangeOutputTable {
public:
    explicit ChangeOutputTable(WalletConnection& connection) : connection_(connection) {}

    /// Empty if it is not known: the payment was made elsewhere, or by an earlier version.
    std::optional<KnownChange> find(const chain::Txid& txid);
    /// output   empty if the payment has no change
    void put(const chain::Txid& txid, std::optional<std::size_t> output);

private:
    WalletConnection& connection_;
};

}  // namespace petal::wallet
