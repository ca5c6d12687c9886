/// The results of a wallet's queries: balance, coins, history, addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chain/watcher.h"
#include "wallet/keys/key_path.h"
#include "wallet/ledger/amount.h"

namespace petal::wallet {

/// All amounts are in satoshi. An unspent output counts in exactly one of `confirmed`, `pending`
/// and `immature`. An output that is spent by a transaction that is not conflicted counts in none.
/// The total is therefore the balance after all known transactions have confirmed.
struct Balance {
    chain::Satoshis confirmed = 0;  ///< mature, confirmed, unspent outputs
    chain::Satoshis pending = 0;  ///< unspent outputs of unconfirmed transactions, including change
    chain::Satoshis immature = 0;  ///< coinbase outputs with fewer than 100 confirmations, or whose
                                   ///< block is to be searched again
    /// Confirmed outputs that unconfirmed transactions spend. Not part of the total.
    chain::Satoshis unconfirmed_spent = 0;
    /// The frozen part of the total, which no payment spends. Not set by the ledger.
    chain::Satoshis frozen = 0;
    chain::Satoshis total() const { return add_amounts(add_amounts(confirmed, pending), immature); }

    friend bool operator==(const Balance&, const Balance&) = default;
};

/// An unspent output of the wallet.
struct Coin {
    chain::Outpoint outpoint;
    chain::Satoshis value = 0;
    chain::Bytes script_pubkey;
    KeyPath path;
    std::string path_text;                ///< e.g. m/84h/1h/0h/0/5
    std::optional<std::uint32_t> height;  ///< empty while unconfirmed
    std::uint32_t confirmations = 0;
    bool coinbase = false;
    bool watched = false;  ///< the wallet has private keys, but not this coin's
    bool frozen = false;   ///< frozen by a label (BIP329)
    /// Confirmed, mature, not frozen and, unless the wallet is watch-only, with a private key.
    bool spendable = false;
    std::string label;  ///< the output's label, or else the address's label

    friend bool operator==(const Coin&, const Coin&) = default;
};

/// Limits the list, since peers can fabricate thousands of conflicting transactions.
inline constexpr std::size_t kMaxConflictsShown = 8;

/// A transaction that pays or spends from the wallet.
struct HistoryEntry {
    chain::Txid txid;
    std::optional<std::uint32_t> height;  ///< empty while unconfirmed
    std::optional<chain::BlockHash> block_hash;
    std::int64_t time = 0;         ///< Unix seconds: of the block, or when first seen
    chain::Satoshis received = 0;  ///< sum of the wallet's outputs
    chain::Satoshis sent = 0;      ///< sum of the wallet's inputs
    /// The change of the balance: the sum over all entries is Balance::total(). Equal to `received`
    /// minus `sent`, without outputs of undone transactions and of their descendants, and without
    /// inputs that spend these outputs. 0 for a conflicted or undone transaction.
    chain::Satoshis net = 0;
    std::optional<chain::Satoshis> fee;  ///< known if all inputs are the wallet's
    std::uint32_t confirmations = 0;
    bool coinbase = false;
    /// The transaction was only in blocks that left the chain, and does not count
    /// (LedgerTransaction::is_undone()).
    bool undone = false;
    /// Set for a conflicted transaction, which does not count: the transaction that counts instead.
    /// It spends an input of the conflicted transaction or of an ancestor. Zero if an ancestor is
    /// an orphaned coinbase.
    std::optional<chain::Txid> replaced_by;
    /// Whether `replaced_by` is confirmed or a verified spend of the wallet. Otherwise both
    /// transactions are claims of peers.
    bool is_replaced_for_certain = false;
    /// Conflicting claims of peers, for an unconfirmed transaction. If this transaction counts: at
    /// most kMaxConflictsShown transactions that do not count. Otherwise: `replaced_by`.
    std::vector<chain::Txid> conflicts_with;
    /// The transaction's label, or else the labels of the paid addresses of the wallet, separated
    /// by commas.
    std::string label;

    /// Whether the transaction is neither conflicted nor undone, and so part of the balance.
    bool counts() const { return !replaced_by && !undone; }

    friend bool operator==(const HistoryEntry&, const HistoryEntry&) = default;
};

/// The merkle proof of a confirmed transaction.
struct StoredMerkleProof {
    std::uint32_t transaction_count = 0;  ///< of the block
    chain::MerkleBranch branch;

    friend bool operator==(const StoredMerkleProof&, const StoredMerkleProof&) = default;
};

/// A transaction from the wallet's file.
struct KnownTransaction {
    chain::Transaction transaction;
    std::optional<std::uint32_t> position;  ///< in its block, the coinbase being 0
    /// As stored in the file. Must be checked (chain::check_merkle_branch()) before use. Empty for
    /// an unconfirmed transaction, and for a transaction that an early version stored without a
    /// proof.
    std::optional<StoredMerkleProof> proof;
    /// See LedgerTransaction::shown.
    bool shown = false;
    bool is_replacement = false;  ///< kept by FeeBumper::keep_replacement()
};

/// The maximum size of a label: 255 characters (BIP329) of four bytes.
inline constexpr std::size_t kMaxLabelBytes = 1'020;

/// What a label refers to (BIP329): an address (as scriptPubKey), a transaction or an output.
using LabelTarget = std::variant<chain::Bytes, chain::Txid, chain::Outpoint>;

/// The wallet's keys in a transaction.
struct OwnKeys {
    std::vector<KeyPath> paid;   ///< in the order of the outputs
    std::vector<KeyPath> spent;  ///< of the spent outputs, in the order of the inputs
};

struct AddressEntry {
    std::string address;
    KeyPath path;
    std::string path_text;  ///< e.g. m/84h/1h/0h/0/5
    bool used = false;      ///< paid by a transaction
    /// Handed out, labelled, or before a paid address, so not to be given to another payer. False
    /// for change addresses.
    bool handed_out = false;
    chain::Satoshis received = 0;     ///< by confirmed and unconfirmed outputs, spent or not
    chain::Satoshis unconfirmed = 0;  ///< the unconfirmed part of `received`
    std::string label;
};

/// A wallet's properties and sync state.
struct WalletInfo {
    std::string name;
    bool watch_only = false;  ///< without private keys
    bool has_words = false;   ///< the secret is a seed from words, not descriptors
    /// The types of the addresses, the type of new addresses first. Multisig and unusual scripts
    /// have no type.
    std::vector<ScriptKind> types;
    bool is_ranged = false;  ///< new addresses can be derived (not from single keys and addresses)
    /// The forms of descriptors without a type, e.g. wsh(sortedmulti(2 of 3)) and pk.
    std::vector<std::string> other_forms;
    std::optional<std::uint32_t> account;  ///< of new addresses, if the wallet has words
    std::vector<std::uint32_t> accounts;   ///< all shown accounts, ascending
    /// Several accounts are searched and the last of them was used, so later accounts may have been
    /// used.
    bool may_have_more_accounts = false;
    /// The master key's fingerprint, 8 hexadecimal digits. Empty if no descriptor states a
    /// fingerprint.
    std::string fingerprint;
    std::vector<std::string> descriptors;           ///< public, with checksum (BIP380)
    std::vector<std::uint32_t> descriptor_numbers;  ///< of these
    /// The descriptor of receive addresses. Empty if all descriptors are for change.
    std::optional<std::uint32_t> receive_descriptor;
    bool encrypted = false;
    chain::Birthday birthday;  ///< as given by the user, without a margin
    std::optional<chain::BlockRef> synced;
    bool rescans =
        false;  ///< no block counts as searched any more, although an earlier sync searched blocks
};

}  // namespace petal::wallet
