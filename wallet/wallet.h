/// A wallet: its keys, its coins, its history, and the file that they live in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "chain/network_params.h"
#include "chain/watcher.h"
#include "wallet/key_ring.h"

namespace petal::wallet {

/// Why a wallet can't be opened, made or stored to. what() is one line for the user, saying what to do.
class WalletError : public std::runtime_error {
public:
    enum class Kind : std::uint8_t {
        missing,          ///< there is no such wallet
        exists,           ///< there is one already
        locked_by_other,  ///< another process is syncing it
        wrong_network,
        damaged,          ///< the stored data contradict themselves
        newer_version,    ///< made by a later petal
        storage,          ///< the disk or the folder refuses
        bad_password,
    };
    WalletError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

/// All amounts in satoshi.
struct Balance {
    chain::Satoshis confirmed = 0;  ///< mature confirmed outputs that no known transaction spends
    chain::Satoshis pending = 0;    ///< unconfirmed receipts less unconfirmed spends of confirmed coins
    chain::Satoshis immature = 0;   ///< coinbase outputs with fewer than 100 confirmations
    chain::Satoshis total() const { return confirmed + pending + immature; }

    friend bool operator==(const Balance&, const Balance&) = default;
};

/// An output of the wallet's that nothing known spends.
struct Coin {
    chain::Outpoint outpoint;
    chain::Satoshis value = 0;
    chain::Bytes script_pubkey;
    KeyPath path;
    std::optional<std::uint32_t> height;  ///< nothing while unconfirmed
    std::uint32_t confirmations = 0;
    bool coinbase = false;
    bool spendable = false;  ///< confirmed and mature
};

/// A transaction that touches the wallet.
struct HistoryEntry {
    chain::Txid txid;
    std::optional<std::uint32_t> height;  ///< nothing while unconfirmed
    std::optional<chain::BlockHash> block_hash;
    std::int64_t time = 0;           ///< Unix seconds: the block's, or when it was first seen
    chain::Satoshis received = 0;    ///< what the wallet's own outputs carry
    chain::Satoshis sent = 0;        ///< what the wallet's own inputs carried
    std::optional<chain::Satoshis> fee;  ///< where all inputs are the wallet's
    std::uint32_t confirmations = 0;
    bool coinbase = false;
    /// For a conflicted transaction (it can't confirm on the best chain): the transaction that took
    /// its inputs; zero where a coinbase's block was dropped.
    std::optional<chain::Txid> replaced_by;
    std::string label;
};

struct AddressEntry {
    std::string address;
    KeyPath path;
    std::string path_text;  ///< as m/84h/1h/0h/0/5
    bool used = false;
    chain::Satoshis received = 0;  ///< by confirmed and unconfirmed outputs, spent or not
    std::string label;
};

/// What never changes of a wallet, and how it stands.
struct WalletInfo {
    std::string name;
    ScriptKind kind = ScriptKind::wpkh;
    std::string fingerprint;               ///< of the master key, 8 hexadecimal digits
    std::vector<std::string> descriptors;  ///< public, with checksum: receive, change (BIP380)
    bool encrypted = false;
    chain::Birthday birthday;
    std::optional<chain::BlockRef> synced;
};

/// What a new wallet is made of.
struct NewWallet {
    std::string mnemonic;    ///< valid BIP39 English words
    std::string passphrase;  ///< BIP39's, possibly empty
    ScriptKind kind = ScriptKind::wpkh;
    chain::Birthday birthday;
    std::string password;  ///< encrypts the secret at rest; empty for none
    LookAhead look_ahead;
};

/// How a wallet file is opened.
enum class Access : std::uint8_t {
    read,  ///< look at it; others may sync it meanwhile
    sync,  ///< as its only writer: fails with `locked_by_other` while another process has it so
};

/// One wallet in one SQLite file (mode 0600). Every change is one database transaction: power may fail at
/// any instant. Throws WalletError wherever the file or the disk is at fault.
///
/// Not thread-safe.
class Wallet final : public chain::Watcher {
public:
    /// Makes the file, its folders too (0700), and opens it with Access::sync.
    static Wallet create(const std::filesystem::path& file, const chain::NetworkParams& network,
                         const NewWallet& wallet);
    static Wallet open(const std::filesystem::path& file, const chain::NetworkParams& network,
                       Access access);

    Wallet(Wallet&&) noexcept;
    ~Wallet() override;

    chain::WatchList watch_list() const override;
    chain::Birthday birthday() const override;
    chain::SyncState sync_state() const override;
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             chain::ByteView engine_memory) override;
    void undo_to(const chain::BlockRef& fork) override;
    bool apply_unconfirmed(const chain::Transaction& transaction, std::int64_t time) override;

    /// The seed of 64 bytes (BIP39), for what is derived from it. Throws with bad_password.
    chain::Bytes seed(std::string_view password) const;

    WalletInfo info() const;
    Balance balance() const;
    /// Unspent outputs, oldest first, unconfirmed last.
    std::vector<Coin> coins() const;
    /// Newest first, unconfirmed before all. `limit` 0 for all.
    std::vector<HistoryEntry> history(std::size_t limit) const;
    std::optional<HistoryEntry> transaction(const chain::Txid& txid) const;
    /// Used and handed-out addresses, then `unused_ahead` unused ones.
    std::vector<AddressEntry> addresses(KeyChain chain, std::uint32_t unused_ahead) const;
    /// The first receive address that was neither used nor handed out; handed out from then on only
    /// with `hand_out`.
    AddressEntry receive_address(bool hand_out);

private:
    struct State;
    explicit Wallet(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace petal::wallet
