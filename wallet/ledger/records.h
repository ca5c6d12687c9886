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

/// All amounts in satoshi. An output counts in one of the three, or nowhere if a transaction that
/// is not conflicted spends it. So the total is the balance after all known transactions have
/// confirmed.
struct Balance {
    chain::Satoshis confirmed = 0;  ///< mature confirmed outputs that no known transaction spends
    chain::Satoshis pending = 0;    ///< unconfirmed receipts, change too, less what unconfirmed
                                    ///< transactions spend of them
    chain::Satoshis immature = 0;   ///< coinbase outputs with fewer than 100 confirmations, and
                                    ///< those whose block is to be searched again
    /// Confirmed outputs that count nowhere because unconfirmed transactions spend them. Not part
    /// of the total.
    chain::Satoshis unconfirmed_spent = 0;
    /// The part of the total that is frozen: no payment spends it. The ledger does not know it.
    chain::Satoshis frozen = 0;
    chain::Satoshis total() const { return add_amounts(add_amounts(confirmed, pending), immature); }

    friend bool operator==(const Balance&, const Balance&) = default;
};

/// An output of the wallet's that no known transaction spends.
struct Coin {
    chain::Outpoint outpoint;
    chain::Satoshis value = 0;
    chain::Bytes script_pubkey;
    KeyPath path;
    std::string path_text;                ///< as m/84h/1h/0h/0/5
    std::optional<std::uint32_t> height;  ///< empty while unconfirmed
    std::uint32_t confirmations = 0;
    bool coinbase = false;
    bool watched = false;  ///< the wallet has keys, but not of this coin
    bool frozen = false;   ///< labelled as not to be spent (BIP329)
    /// Confirmed and mature, not frozen, and the wallet has the key, if it has any.
    bool spendable = false;
    std::string label;  ///< the output's own, else its address's

    friend bool operator==(const Coin&, const Coin&) = default;
};

/// Peers can make up thousands of transactions that conflict.
inline constexpr std::size_t kMaxConflictsShown = 8;

/// A transaction that touches the wallet.
struct HistoryEntry {
    chain::Txid txid;
    std::optional<std::uint32_t> height;  ///< empty while unconfirmed
    std::optional<chain::BlockHash> block_hash;
    std::int64_t time = 0;         ///< Unix seconds: the block's, or when it was first seen
    chain::Satoshis received = 0;  ///< sum of the wallet's own outputs
    chain::Satoshis sent = 0;      ///< sum of the wallet's own inputs
    /// The change of the balance, so that the sum over all entries is Balance::total(): received
    /// less sent; 0 for a conflicted transaction, and for an undone one. Outputs of a transaction
    /// that needs an undone one do not count, and neither do inputs that spend such outputs.
    chain::Satoshis net = 0;
    std::optional<chain::Satoshis> fee;  ///< known if all inputs are the wallet's
    std::uint32_t confirmations = 0;
    bool coinbase = false;
    /// Only blocks that left the chain had it: no peer has shown it unconfirmed, with valid
    /// signatures. It counts nowhere.
    bool undone = false;
    /// Set for a conflicted transaction, which does not count: the transaction that counts instead,
    /// as it spends its inputs, or those of an ancestor; zero if the ancestor is a coinbase whose
    /// block was dropped.
    std::optional<chain::Txid> replaced_by;
    /// Whether replaced_by is a fact: that transaction is confirmed, or a verified spend of the
    /// wallet. Otherwise both are claims of peers.
    bool is_replaced_for_certain = false;
    /// The unconfirmed transactions that conflict with this unconfirmed one, as peers claim: if it
    /// counts, those that do not, at most kMaxConflictsShown; otherwise replaced_by.
    std::vector<chain::Txid> conflicts_with;
    /// The transaction's own, else those of the wallet's addresses that it pays, with commas
    /// between them.
    std::string label;

    /// Whether it is part of the balance: it is neither conflicted nor undone.
    bool counts() const { return !replaced_by && !undone; }

    friend bool operator==(const HistoryEntry&, const HistoryEntry&) = default;
};

/// The merkle proof of a confirmed transaction.
struct StoredMerkleProof {
    std::uint32_t transaction_count = 0;  ///< of the block
    chain::MerkleBranch branch;

    friend bool operator==(const StoredMerkleProof&, const StoredMerkleProof&) = default;
};

/// A transaction of the wallet's file.
struct KnownTransaction {
    chain::Transaction transaction;
    std::optional<std::uint32_t> position;  ///< in its block, the coinbase being 0
    /// As stored in the file; check it (chain::check_merkle_branch) before relying on it. Empty for
    /// an unconfirmed transaction, and for one that was stored before wallets had proofs.
    std::optional<StoredMerkleProof> proof;
    /// A peer or the user has shown it unconfirmed, with valid spends of the wallet's coins. A
    /// miner can make up any other transaction.
    bool shown = false;
};

/// The maximum length of a label: 255 characters, as BIP329 suggests, of four bytes.
inline constexpr std::size_t kMaxLabelBytes = 1'020;

/// The object of a label (BIP329): an address, by its scriptPubKey, a transaction or an output.
using LabelTarget = std::variant<chain::Bytes, chain::Txid, chain::Outpoint>;

/// The keys of the wallet that a transaction concerns.
struct OwnKeys {
    std::vector<KeyPath> paid;   ///< by its outputs, in their order
    std::vector<KeyPath> spent;  ///< of spent outputs, in the inputs' order
};

struct AddressEntry {
    std::string address;
    KeyPath path;
    std::string path_text;  ///< as m/84h/1h/0h/0/5
    bool used = false;      ///< a transaction has paid it
    /// Not shown to another payer: it was handed out or labelled, or precedes a paid address. False
    /// for change.
    bool handed_out = false;
    chain::Satoshis received = 0;     ///< by confirmed and unconfirmed outputs, spent or not
    chain::Satoshis unconfirmed = 0;  ///< the part of it from unconfirmed transactions
    std::string label;
};

/// A wallet's properties, and the block that it is synced to.
struct WalletInfo {
    std::string name;
    bool watch_only = false;  ///< it has no private keys
    bool has_words = false;   ///< its private keys follow from words, not from descriptors
    /// The types of its addresses, that of new addresses first. Multisig and other scripts have no
    /// type.
    std::vector<ScriptKind> types;
    bool is_ranged = false;  ///< new addresses are derived; not of single keys and addresses
    std::vector<std::string> other_forms;  ///< those, as wsh(sortedmulti(2 of 3)) and pk
    std::optional<std::uint32_t> account;  ///< the account of new addresses, if it has words
    std::vector<std::uint32_t> accounts;   ///< all that are shown, ascending
    /// Several accounts are searched, and the last of them was used: later ones may be used, too.
    bool may_have_more_accounts = false;
    /// The master key's fingerprint, 8 hexadecimal digits; empty if no descriptor states it.
    std::string fingerprint;
    std::vector<std::string> descriptors;           ///< public, with checksum (BIP380)
    std::vector<std::uint32_t> descriptor_numbers;  ///< of these
    /// The one that receive addresses are of; empty if all descriptors are for change.
    std::optional<std::uint32_t> receive_descriptor;
    bool encrypted = false;
    chain::Birthday birthday;  ///< as given, without a margin
    std::optional<chain::BlockRef> synced;
    bool rescans =
        false;  ///< no block counts as searched, though an earlier sync had searched some
};

}  // namespace petal::wallet
