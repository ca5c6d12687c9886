/// A wallet: keys, coins and history in one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "chain/watcher.h"
#include "wallet/descriptors/key_ring.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/keys/secret_box.h"
#include "wallet/keys/secret_bytes.h"
#include "wallet/ledger/records.h"
#include "wallet/spending/input_coin.h"
#include "wallet/spending/message.h"
#include "wallet/spending/payment.h"
#include "wallet/store/access.h"
#include "wallet/store/wallet_error.h"

namespace petal::wallet {

/// The parameters of a new wallet.
struct NewWallet {
    SecretString mnemonic;    ///< valid BIP39 English words
    SecretString passphrase;  ///< of BIP39, possibly empty
    Account account;
    chain::Birthday birthday;  ///< as given by the user
    SecretString password;     ///< encrypts the secret, if not empty
    LookAhead look_ahead;
    ScryptCost scrypt_cost;  ///< for the password, lower in tests
    /// Watches the account in all address types. The wallet shows the used types or, until a type
    /// is used, the type of `account`.
    bool any_type = false;
    /// The number of watched accounts, from `account` on. More than one only with any_type.
    std::uint32_t accounts = 1;
};

/// The parameters of a new wallet without private keys.
struct NewWatchOnlyWallet {
    std::vector<NewDescriptor> descriptors;  ///< at least one
    chain::Birthday birthday;                ///< as given by the user
    LookAhead look_ahead;                    ///< maximum, reduced for many ranged descriptors
};

/// The parameters of a new wallet with private keys from descriptors.
struct NewDescriptorWallet {
    NewWatchOnlyWallet watched;  ///< from parse_private_descriptors()
    SecretString password;       ///< encrypts the secret, if not empty
    ScryptCost scrypt_cost;      ///< for the password, lower in tests
};

/// Where the search starts after an import.
struct ImportStart {
    chain::Birthday birthday;         ///< of the new descriptors, as given by the user
    chain::Birthday wallet_birthday;  ///< the wallet's new birthday: the earliest of all
    /// The last block that still counts as searched, if any, at most the last synced block.
    std::optional<chain::BlockRef> kept;
    /// Returns the best chain's block at a height. Empty if unknown. If the wallet knows an earlier
    /// payment to the new descriptors, the search starts at the payment's block. Without this
    /// function, the search starts after the last lower block with a transaction of the wallet.
    std::function<std::optional<chain::BlockRef>(std::uint32_t)> block_at{};
};

/// The refused text, and the reason.
using ImportError = RefusedText;

/// Why a transaction cannot confirm, or is not relayed.
struct SpendFlaw {
    std::size_t input_index = 0;
    /// The confirmed transaction that has spent the same output. Empty if the input is not a valid
    /// spend.
    std::optional<chain::Txid> spent_by;
    std::string reason;  ///< why the spend is invalid: part of a sentence, "its witness is missing"
    bool is_own = false;  ///< whether the input spends a coin of the wallet
};

enum class AbandonError : std::uint8_t {
    unknown,    ///< the transaction is not in the wallet
    confirmed,  ///< the transaction is confirmed
};

std::string_view describe(AbandonError error);

/// The start of the search for a birthday given by the user, or for rescan --from: a day earlier,
/// because the user may mean another time zone.
chain::Birthday with_margin(chain::Birthday birthday);

/// A wallet in a SQLite file (mode 0600). Each change is one database transaction, so that a power
/// failure does no harm. Other processes may change the file at the same time (Access::change):
/// each change first reads the changes of other processes, and so does refresh(). Throws
/// WalletError for errors of the file or the disk, and is then unchanged.
///
/// Not thread-safe.
class Wallet final : public chain::Watcher {
public:
    /// Creates the file and its folders (mode 0700), and opens the file with Access::sync. Throws
    /// WalletError with exists, locked_by_other or storage. Throws std::invalid_argument for a
    /// mnemonic or passphrase that Mnemonic refuses, and for a birthday after the year 9999 (e.g.
    /// in milliseconds).
    static Wallet create(const std::filesystem::path& file, const chain::NetworkParams& network,
                         const NewWallet& wallet);
    /// Like create(), for a watch-only wallet.
    static Wallet watch(const std::filesystem::path& file, const chain::NetworkParams& network,
                        const NewWatchOnlyWallet& wallet);
    /// Like create(), for a wallet with private keys but without words. The secret (secret_of())
    /// must not exceed kMaxSecretBytes.
    static Wallet restore(const std::filesystem::path& file, const chain::NetworkParams& network,
                          const NewDescriptorWallet& wallet);
    /// Opens a wallet's file. What may be called depends on `access`:
    /// - read: no function that changes the wallet. refresh(), known_transaction(), flaw_of(),
    ///   label(), receive_address(), current_address() and functions that compute relatives
    ///   (PaymentRequest::relatives) still read changes of other processes.
    /// - change: of the functions that change the wallet, only receive_address(),
    ///   current_address(), reserve_change(), set_label(), keep_own(),
    ///   keep_own_spend(), keep_payment(), mark_shown(), abandon(), FeeBumper::keep_replacement(),
    ///   FeeBumper::keep_child(), LabelExchange::import() and LabelExchange::set_frozen().
    /// - sync: all functions.
    static Wallet open(const std::filesystem::path& file, const chain::NetworkParams& network,
                       Access access);

    /// Renames a wallet's file. Throws WalletError with `missing`, with `exists` if `to` exists,
    /// and with `locked_by_other` while another process has the wallet open.
    /// move_beside   renames companion files. Called after all checks, while no other process can
    ///               open a wallet of either name. If it throws, the wallet keeps its old name.
    ///               std::system_error becomes `storage`
    static void rename(const std::filesystem::path& file, const std::filesystem::path& to,
                       const std::function<void()>& move_beside = {});
    /// Deletes a wallet's file, if it exists, and files that a killed process left while creating
    /// it. The bytes on the disk are not overwritten. Throws WalletError, also for a symbolic link.
    static void remove(const std::filesystem::path& file);

    Wallet(Wallet&&) noexcept;
    ~Wallet() override;

    std::vector<chain::Bytes> watched_elements(std::size_t first) const override;
    std::vector<chain::Bytes> watched_scripts() const override;
    std::size_t watched_count() const override;
    std::vector<std::vector<chain::Bytes>> awaited_elements() const override;
    chain::WatchedOutpoints watched_outpoints() const override;
    chain::FilterPadding filter_padding() const override;
    /// The birthday of info(), with_margin().
    chain::Birthday birthday() const override;
    chain::SyncState sync_state() const override;
    std::optional<std::uint32_t> take_unsearched_from() override;
    bool refresh() override;
    /// A number that changes when this object has read changes of another process.
    std::int64_t changes_of_others() const;
    using Watcher::apply;
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::StateAfter& state_after) override;
    std::vector<chain::BlockRef> blocks_above(std::uint32_t height) const override;
    void undo_to(const chain::BlockRef& fork) override;
    void forget_undone(const chain::SyncState& state) override;
    using Watcher::apply_unconfirmed;
    bool apply_unconfirmed(std::span<const chain::UnconfirmedTransaction> transactions,
                           std::span<const chain::PresentSources> sources,
                           const chain::SyncState& state) override;
    std::vector<chain::OwnTransaction> own_unconfirmed() const override;

    /// Stores a transaction that the user broadcast, in exactly these bytes. Returns whether it
    /// spends from the wallet and so will be rebroadcast (own_unconfirmed()). A transaction is not
    /// stored if it has a flaw (flaw_of()) or its spends cannot be verified.
    bool keep_own(const chain::Transaction& transaction, std::int64_t time);
    /// Like keep_own(), for a transaction that no peer is known to have accepted. Stores the
    /// transaction only if it spends a coin of the wallet, so that no further payment spends the
    /// coin. A transaction that only pays the wallet may be fabricated.
    bool keep_own_spend(const chain::Transaction& transaction, std::int64_t time);
    /// Why a transaction, which need not be in the wallet, cannot confirm or is not relayed, as far
    /// as the wallet knows the inputs. Empty without a flaw.
    std::optional<SpendFlaw> flaw_of(const chain::Transaction& transaction) const;
    /// Removes an unconfirmed transaction and its unconfirmed descendants (Bitcoin Core:
    /// abandontransaction). Returns the removed transactions, `txid` first. Removed transactions
    /// are no longer rebroadcast, and the coins that they spend are unspent again, unless another
    /// transaction spends them. A removed transaction returns if a block confirms it or a peer
    /// relays it.
    chain::Expected<std::vector<chain::Txid>, AbandonError> abandon(const chain::Txid& txid);

    /// Watches further descriptors. The next sync searches the blocks above `start.kept` again,
    /// once for all descriptors. Until then, transactions in these blocks stay confirmed. Fails,
    /// and changes nothing, if a descriptor is watched already or must not share a filter with
    /// another descriptor.
    chain::Expected<void, ImportError> import(std::span<const NewDescriptor> descriptors,
                                              const ImportStart& start);

    /// The source of all private keys: the 64 bytes of the seed or, without words, descriptors
    /// (secret_of()). The password is normalised to NFKD, and for a file of an earlier version also
    /// tried as typed. A wallet that is not encrypted ignores the password. Throws
    /// - with watch_only if the wallet has no secret,
    /// - with bad_password, and
    /// - with damaged if the public keys in the file are not derived from the secret.
    SecretBytes secret(std::string_view password) const;

    /// Whether the wallet's master fingerprint and account key are derived from this seed. Does not
    /// read the secret, and so needs no password. False for a wallet without words.
    bool has_seed(const Seed& seed) const;

    /// The shown descriptors with private keys and a checksum.
    /// secret   the result of secret()
    std::vector<SecretString> private_descriptors(const SecretBytes& secret) const;

    /// The extended public key at a path below the master key, with its origin:
    /// [fingerprint/48h/1h/0h/2h]tpub…. Empty for a wallet without words, and for a path deeper
    /// than BIP32 allows. Throws with watch_only.
    /// secret   the result of secret()
    std::optional<std::string> key_expression(std::span<const std::uint32_t> path,
                                              const SecretBytes& secret) const;

    /// Encrypts the secret with `password`, which must not be empty. The wallet may be encrypted
    /// already. The former copy of the secret then remains in no file of the wallet. Atomic even if
    /// the process is killed. Needs Access::sync. Throws like secret() for `old_password`, and with
    /// locked_by_other while another process keeps reading the file.
    void encrypt(std::string_view old_password, std::string_view password, ScryptCost cost = {});

    /// The coins that payments can spend, oldest first. A coin is spendable if the wallet has its
    /// private key, and
    /// - the coin is confirmed, or
    /// - the coin is change of an own unconfirmed payment that a node has shown (mark_shown()), and
    ///   the payment spends only spendable coins.
    ///
    /// Coins of imported descriptors and frozen coins (BIP329) are not spendable. For a watch-only
    /// wallet, these are the coins of one owner (has_same_owner()), for signing by another wallet.
    ///
    /// beside   a coin of the owner. Without a coin, the owner of the first single-key descriptor
    ///          or, if there is none, of the first multisig descriptor
    SpendableCoins spendable_coins(
        const std::optional<chain::Outpoint>& beside = std::nullopt) const;
    /// The first unused change address of a descriptor. The address stays the same until a
    /// transaction that pays it is stored. The descriptor is
    /// - usually: of the same type as a recipient's address, if the account shows this type, so
    ///   that change looks like a payment (Bitcoin Core: TransactionChangeType). Otherwise, of the
    ///   type of new receive addresses.
    /// - without change descriptors: a receive descriptor or, if there are only single keys, the
    ///   first key.
    /// - in a watch-only wallet: the change descriptor with the same keys as the coin's descriptor
    ///   or, if there is none, the coin's descriptor. Throws with unknown_key if no descriptor can
    ///   be spent from.
    ///
    /// beside   a coin that the payment spends, as for spendable_coins()
    ChangeOutput change_for(std::span<const Recipient> recipients,
                            const std::optional<chain::Outpoint>& beside = std::nullopt) const;
    /// Marks the address of a script from change_for() as handed out, so that no further payment
    /// uses the address. If another payment has taken the address, uses the descriptor's next
    /// address. Returns the script of the address. An address that receives all change, or has no
    /// private key, is returned unchanged.
    chain::Bytes reserve_change(chain::ByteView script_pubkey);
    /// Signs all inputs of a transaction like sign_transaction(). Throws with watch_only, and with
    /// damaged if a coin's script does not pay its key.
    /// coins    the spent coins, from spendable_coins(), in the order of the inputs
    /// secret   the result of secret()
    void sign(chain::Transaction& transaction, std::span<const InputCoin> coins,
              const SecretBytes& secret, const SecretArray<32>& auxiliary) const;
    /// The type of an address with a private key in the wallet. Empty for any other script. Throws
    /// with watch_only.
    std::optional<ScriptKind> signing_kind(chain::ByteView script_pubkey) const;
    /// Signs a message with the key of a script that has a signing_kind(). Returns the signature as
    /// text.
    /// format   must satisfy has_format() for the signing_kind()
    std::string sign_message(std::string_view message, chain::ByteView script_pubkey,
                             MessageFormat format, const SecretBytes& secret,
                             const SecretArray<32>& auxiliary) const;
    /// Stores a payment and its change output durably, before the payment is announced, so that it
    /// is rebroadcast even after a crash (own_unconfirmed()). Returns false, and stores nothing, if
    /// a coin is no longer unspent, e.g. because another process has spent it, or a signature is
    /// invalid.
    /// payment   signed by sign()
    bool keep_payment(const Payment& payment, std::int64_t time);

    /// Records that nodes have accepted a payment of the wallet, according to a broadcast, and so
    /// also its unconfirmed ancestors. Their change can then be spent. A sync records this on its
    /// own.
    void mark_shown(const chain::Txid& txid);

    /// Sets the birthday, and counts no block as searched. The next sync searches from the birthday
    /// on. Until then, all transactions are unconfirmed and coinbases immature.
    void rescan(const chain::Birthday& birthday);
    /// Makes the next sync search the blocks above `kept` again. Transactions of these blocks stay
    /// confirmed, as for rescan().
    void rescan_above(const chain::BlockRef& kept);

    /// Removes all transactions from blocks. The next sync searches from the birthday on, as for a
    /// restored wallet. What stays:
    /// - labels
    /// - which addresses were handed out or paid
    /// - the user's unconfirmed broadcasts, with their ancestors, unless a block has replaced them
    void forget_blocks();

    WalletInfo info() const;
    Balance balance() const;
    /// Unspent outputs, oldest first, unconfirmed last.
    std::vector<Coin> coins() const;
    /// See LedgerView::history().
    std::vector<HistoryEntry> history(std::size_t limit) const;
    std::optional<HistoryEntry> transaction(const chain::Txid& txid) const;
    /// The stored form of a known transaction, without witnesses if confirmed. Reads changes of
    /// other processes first, so that later calls of all functions return the same state.
    std::optional<KnownTransaction> known_transaction(const chain::Txid& txid) const;
    /// The fee of a transaction, which need not be in the wallet. Negative if the outputs exceed
    /// the inputs. Empty if not all inputs are the wallet's. chain::check_transaction() must accept
    /// the transaction.
    std::optional<chain::Satoshis> fee_of(const chain::Transaction& transaction) const;
    /// For each descriptor: all addresses up to the last used or handed-out address, then at most
    /// `unused_ahead` watched unused addresses, then later addresses with a label.
    std::vector<AddressEntry> addresses(KeyChain chain, std::uint32_t unused_ahead) const;
    /// The path of a scriptPubKey, the lowest if several descriptors have it. Empty if the script
    /// is not the wallet's. Takes less time than address().
    std::optional<KeyPath> find_path(chain::ByteView script_pubkey) const;
    /// Whether the wallet has the transaction. Takes less time than transaction().
    bool has_transaction(const chain::Txid& txid) const;
    /// The address of a scriptPubKey. Empty if the script is not the wallet's.
    std::optional<AddressEntry> address(chain::ByteView script_pubkey) const;
    /// The sum that transactions with at least `confirmations` confirmations have paid to a
    /// scriptPubKey of the wallet. 0 for any other script.
    chain::Satoshis received(chain::ByteView script_pubkey, std::uint32_t confirmations) const;
    /// The first receive address after all used or handed-out addresses, skipping addresses that
    /// had a label. Marked as handed out only with `hand_out`. Throws with no_new_address if the
    /// descriptor has only one address or is not a receive descriptor.
    /// of   the number of a shown receive descriptor. By default WalletInfo::receive_descriptor
    AddressEntry receive_address(bool hand_out, std::optional<DescriptorNumber> of = std::nullopt);
    /// The descriptor's current receive address, which stays the same until it is paid or labelled
    /// and then is the next receive_address(). For a descriptor with only one address, always this
    /// address. With `remember`, the address is marked as handed out. Without `remember`, nothing
    /// is written. Throws with no_new_address if there is no address.
    /// of   see receive_address()
    AddressEntry current_address(bool remember, std::optional<DescriptorNumber> of = std::nullopt);
    /// The purpose of a descriptor's addresses. The descriptor must exist.
    KeyChain chain_of(DescriptorNumber number) const;
    /// The address at a watched path. Empty if the script has no address.
    std::string address_at(KeyPath path) const;
    /// The script at a watched path.
    const chain::Bytes& script_at(KeyPath path) const;
    /// The path as text, from the master key if the descriptor states it, e.g. m/84h/1h/0h/0/5. The
    /// descriptor must exist.
    std::string path_text(KeyPath path) const;
    /// The wallet's keys in a transaction. Empty for an unknown transaction.
    OwnKeys own_keys(const chain::Txid& txid) const;

    /// The names of the explanations that the user has seen. The program that shows explanations
    /// defines the names.
    std::set<std::string> seen_explanations() const;
    /// Adds names to seen_explanations() of the wallet in the file, each at most
    /// kMaxExplanationBytes long. A file of an earlier version, which cannot store them, is left as
    /// it is.
    static void remember_explanations(const std::filesystem::path& file,
                                      const std::set<std::string>& names);

    /// The label of an address, a transaction or an output. An empty text if there is no label.
    /// std::nullopt if the target is not the wallet's.
    std::optional<std::string> label(const LabelTarget& target) const;
    /// Sets a label of at most kMaxLabelBytes. An empty label removes the label. A labelled address
    /// is no longer handed out. Returns the former label, like label().
    std::optional<std::string> set_label(const LabelTarget& target, const std::string& label);

private:
    friend class FeeBumper;
    friend class LabelExchange;
    friend class PsbtWallet;
    struct State;
    explicit Wallet(std::unique_ptr<State> state);
    static Wallet of_descriptors(const std::filesystem::path& file,
                                 const chain::NetworkParams& network,
                                 const NewWatchOnlyWallet& wallet, std::string_view password,
                                 ScryptCost scrypt_cost);
    std::unique_ptr<State> state_;
};

}  // namespace petal::wallet
