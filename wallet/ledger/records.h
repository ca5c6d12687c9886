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

/// All amounts in satoshi. An output counts in one of the three, or not at all once a transaction
/// that is not conflicted spends it, so that the total is what is left when all that is known has
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
    chain::Satoshis total() const { return add_amounts(add_amounts(confirmed, pending), immature); }

    friend bool operator==(const Balance&, const Balance&) = default;
};

/// An output of the wallet's that nothing known spends.
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

/// A transaction that touches the wallet.
struct HistoryEntry {
    chain::Txid txid;
    std::optional<std::uint32_t> height;  ///< empty while unconfirmed
    std::optional<chain::BlockHash> block_hash;
    std::int64_t time = 0;               ///< Unix seconds: the block's, or when it was first seen
    chain::Satoshis received = 0;        ///< what the wallet's own outputs carry
    chain::Satoshis sent = 0;            ///< what the wallet's own inputs carried
    std::optional<chain::Satoshis> fee;  ///< where all inputs are the wallet's
    std::uint32_t confirmations = 0;
    bool coinbase = false;
    /// For a conflicted transaction (it can't confirm on the best chain): the transaction that took
    /// its inputs, or those of a transaction that it descends from; zero where that is a coinbase
    /// whose block was dropped.
    std::optional<chain::Txid> replaced_by;
    /// The transaction's own, else those of the wallet's addresses that it pays, with commas
    /// between them.
    std::string label;

    /// By how much it changes the balance: a conflicted one does not.
    chain::Satoshis net() const { return replaced_by ? 0 : received - sent; }

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
    /// As the file has it: to be checked (chain::check_merkle_branch) before it is relied on.
    /// Nothing for an unconfirmed transaction, and for one that was stored before wallets had
    /// proofs.
    std::optional<StoredMerkleProof> proof;
};

/// The maximum length of a label: 255 characters, as BIP329 suggests, of four bytes.
inline constexpr std::size_t kMaxLabelBytes = 1'020;

/// The object of a label (BIP329): an address, by its scriptPubKey, a transaction or an output.
using LabelTarget = std::variant<chain::Bytes, chain::Txid, chain::Outpoint>;

/// The keys of the wallet that a transaction concerns.
struct OwnKeys {
    std::vector<KeyPath> paid;  ///< by its outputs, in their order
    std::vector<KeyPath>
        spent;  ///< those of the outputs that it spends, in the order of its inputs
};

struct AddressEntry {
    std::string address;
    KeyPath path;
    std::string path_text;  ///< as m/84h/1h/0h/0/5
    bool used = false;      ///< a transaction has paid it
    /// No other payer is shown it: it was handed out, labelled, or precedes one that was paid.
    /// False for change.
    bool handed_out = false;
    chain::Satoshis received = 0;     ///< by confirmed and unconfirmed outputs, spent or not
    chain::Satoshis unconfirmed = 0;  ///< what unconfirmed transactions add to it
    std::string label;
};

/// A wallet's constant properties, and the block that it is synced to.
struct WalletInfo {
    std::string name;
    bool watch_only = false;  ///< it has no private keys
    bool has_words = false;   ///< its private keys follow from words, not from descriptors
    /// The types of its addresses; that of new addresses first. Multisig and others have none.
    std::vector<ScriptKind> types;
    bool is_ranged = false;  ///< new addresses are derived; not of single keys and addresses
    std::vector<std::string> other_forms;  ///< those, as wsh(sortedmulti(2 of 3)) and pk
    std::optional<std::uint32_t> account;  ///< of its words, which new addresses are of
    std::vector<std::uint32_t> accounts;   ///< all that are shown, ascending
    /// Several accounts are looked for, and the last of them was used: later ones may be, too.
    bool may_have_more_accounts = false;
    /// Of the master key, 8 hexadecimal digits; empty if no descriptor tells it.
    std::string fingerprint;
    std::vector<std::string> descriptors;  ///< public, with checksum (BIP380)
    bool encrypted = false;
    chain::Birthday birthday;  ///< as it was given, without a margin
    std::optional<chain::BlockRef> synced;
    bool rescans =
        false;  ///< no block counts as searched, though an earlier sync had searched some
};

}  // namespace petal::wallet
