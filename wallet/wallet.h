/// A wallet: its keys, its coins, its history, and the file that they live in.
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
    SecretString passphrase;  ///< BIP39's, possibly empty
    Account account;
    chain::Birthday birthday;  ///< as the user gave it
    SecretString password;     ///< encrypts the secret at rest; empty for none
    LookAhead look_ahead;
    ScryptCost scrypt_cost;  ///< for the password; tests use a lower one
    /// Watches the account of this number in all address types. The wallet shows the used types,
    /// and the given type until one was used.
    bool any_type = false;
    /// The number of accounts watched in this way, from that number on; more than one only with
    /// any_type.
    std::uint32_t accounts = 1;
};

/// The parameters of a new wallet without private keys.
struct NewWatchOnlyWallet {
    std::vector<NewDescriptor> descriptors;  ///< at least one
    chain::Birthday birthday;                ///< as the user gave it
    LookAhead look_ahead;                    ///< maximum; less for many ranged descriptors
};

/// The parameters of a new wallet whose private keys are those of descriptors.
struct NewDescriptorWallet {
    NewWatchOnlyWallet watched;  ///< read by parse_private_descriptors()
    SecretString password;       ///< encrypts the secret at rest; empty for none
    ScryptCost scrypt_cost;      ///< for the password; tests use a lower one
};

/// The start of the search after an import.
struct ImportStart {
    chain::Birthday birthday;         ///< of the new descriptors, as the user gave it
    chain::Birthday wallet_birthday;  ///< of the wallet from then on: the earliest of all
    /// The last block that still counts as searched, if any; not above the last synced one.
    std::optional<chain::BlockRef> kept;
    /// The block of the best chain at this height, empty if it is not known. If the wallet knows an
    /// earlier payment to the new descriptors, the search starts there. Without this function, it
    /// starts after the last lower block that has a transaction of the wallet.
    std::function<std::optional<chain::BlockRef>(std::uint32_t)> block_at{};
};

/// The user's text that is refused, and why.
using ImportError = RefusedText;

/// Why a transaction that spends the wallet's coins cannot confirm, or why no node relays it.
struct SpendFlaw {
    std::size_t input_index = 0;
    /// The confirmed transaction that has spent the same output; empty if the input is not a valid
    /// spend.
    std::optional<chain::Txid> spent_by;
    std::string reason;   ///< why it is not: part of a sentence, "its witness is missing"
    bool is_own = false;  ///< whether the input spends a coin of the wallet
};

enum class AbandonError : std::uint8_t {
    unknown,    ///< no such transaction is in the wallet
    confirmed,  ///< a block has it
};

std::string_view describe(AbandonError error);

/// The start of the search for a birthday that a user gave, or for rescan --from: a day before its
/// time, which may be in another time zone.
chain::Birthday with_margin(chain::Birthday birthday);

/// One wallet in one SQLite file (mode 0600). Every change is one database transaction, so that a
/// power failure at any time does no harm. Other processes may change the file meanwhile
/// (Access::change): each change is made to the present content of the file, and refresh() reads it
/// when there is nothing to change. Throws WalletError for faults of the file or the disk; the
/// wallet is then unchanged.
///
/// Not thread-safe.
class Wallet final : public chain::Watcher {
public:
    /// Makes the file, its folders too (0700), and opens it with Access::sync. Throws
    /// std::invalid_argument for a mnemonic or passphrase that Mnemonic refuses, or a birthday
    /// after the year 9999, as milliseconds are; and WalletError with exists, locked_by_other or
    /// storage.
    static Wallet create(const std::filesystem::path& file, const chain::NetworkParams& network,
                         const NewWallet& wallet);
    /// Makes the file of a watch-only wallet, and opens it with Access::sync. Throws WalletError
    /// like create().
    static Wallet watch(const std::filesystem::path& file, const chain::NetworkParams& network,
                        const NewWatchOnlyWallet& wallet);
    /// Makes the file of a wallet without words, and opens it with Access::sync. Its secret
    /// (secret_of()) has at most kMaxSecretBytes. Throws WalletError like create().
    static Wallet restore(const std::filesystem::path& file, const chain::NetworkParams& network,
                          const NewDescriptorWallet& wallet);
    /// With Access::read the wallet stays at its present state, except for refresh(),
    /// known_transaction() and the addresses to receive with, and no function that changes it may
    /// be called. With Access::change, only the functions that change addresses, labels and own
    /// transactions may be called: receive_address(), current_address(), reserve_change(),
    /// set_label(), keep_own(), keep_own_spend(), keep_payment(),
    /// note_shown(), abandon(), FeeBumper::keep_replacement(), LabelExchange::import() and
    /// LabelExchange::set_frozen().
    static Wallet open(const std::filesystem::path& file, const chain::NetworkParams& network,
                       Access access);

    /// Renames a wallet's file. Throws WalletError: with `missing` if there is none, with `exists`
    /// if there is another file of that name, with `locked_by_other` while another process has it
    /// open.
    /// move_beside   called after all checks, while no other process can have a wallet of either
    ///               name, to rename companion files. If it throws, the wallet keeps its old name;
    ///               std::system_error becomes `storage`
    static void rename(const std::filesystem::path& file, const std::filesystem::path& to,
                       const std::function<void()>& move_beside = {});
    /// Deletes a wallet's file, if there is one, and files left by a creation of that name that was
    /// killed. Their bytes on the disk are not overwritten. Throws WalletError, also for a symbolic
    /// link.
    static void remove(const std::filesystem::path& file);

    Wallet(Wallet&&) noexcept;
    ~Wallet() override;

    std::vector<chain::Bytes> watched_elements(std::size_t first) const override;
    std::size_t watched_count() const override;
    chain::WatchedOutpoints watched_outpoints() const override;
    chain::FilterPadding filter_padding() const override;
    /// The birthday of info(), with_margin().
    chain::Birthday birthday() const override;
    chain::SyncState sync_state() const override;
    std::optional<std::uint32_t> take_unsearched_from() override;
    bool refresh() override;
    /// A number that is another one after this object has read changes by another process.
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
    /// spends from the wallet and will be rebroadcast (own_unconfirmed()). A transaction with a
    /// flaw (flaw_of()), or whose spends cannot be verified, is not stored.
    bool keep_own(const chain::Transaction& transaction, std::int64_t time);
    /// Like keep_own(), for a transaction that no peer is known to have accepted: it is stored only
    /// if it spends a coin of the wallet, to keep other payments from spending that coin. A payment
    /// to the wallet could be fabricated.
    bool keep_own_spend(const chain::Transaction& transaction, std::int64_t time);
    /// Why a transaction, the wallet's or not, cannot confirm or is not relayed by any node, as far
    /// as the wallet knows its inputs; empty if it may.
    std::optional<SpendFlaw> flaw_of(const chain::Transaction& transaction) const;
    /// Forgets an unconfirmed transaction and its unconfirmed descendants (like Bitcoin Core's
    /// abandontransaction). The coins that they spend are unspent again, unless another transaction
    /// spends them, and they are no longer rebroadcast. They return if a block confirms them, or a
    /// peer relays them again. Returns the forgotten transactions, the given one first.
    chain::Expected<std::vector<chain::Txid>, AbandonError> abandon(const chain::Txid& txid);

    /// Watches further descriptors. The next sync searches the blocks above `start.kept` again,
    /// once for all descriptors; until then, their transactions stay confirmed. Refuses, and
    /// changes nothing, if one is watched already or must not share a filter with another.
    chain::Expected<void, ImportError> import(std::span<const NewDescriptor> descriptors,
                                              const ImportStart& start);

    /// The source of all private keys: the 64 bytes of the seed or, without words, descriptors
    /// (secret_of()). The password is taken in NFKD, so that it does not matter how a keyboard
    /// composes accents; a file of an earlier version opens with the password as it was typed. A
    /// wallet that is not encrypted ignores the password. Throws with watch_only if the wallet has
    /// no secret, with bad_password, and with damaged if the public keys of the file are not
    /// derived from it.
    SecretBytes secret(std::string_view password) const;

    /// Whether the wallet's master fingerprint and account key follow from this seed. Reads no
    /// secret, so it needs no password. False for a wallet without words.
    bool has_seed(const Seed& seed) const;

    /// The shown descriptors of the secret, which is secret(), with their private keys and a
    /// checksum.
    std::vector<SecretString> private_descriptors(const SecretBytes& secret) const;

    /// The extended public key at a path below the master key, as descriptors have it:
    /// [fingerprint/48h/1h/0h/2h]tpub…. Empty if the secret, which is secret(), is not words, or if
    /// the path is deeper than BIP32 allows. Throws with watch_only.
    std::optional<std::string> key_expression(std::span<const std::uint32_t> path,
                                              const SecretBytes& secret) const;

    /// Seals the secret anew, under `password`, which is not empty; the wallet may be encrypted or
    /// not. No file of the wallet then holds the former copy of the secret. If the process is
    /// killed at any moment, they hold the old state or the new one. Needs Access::sync. Throws
    /// like secret(), for `old_password`, and with locked_by_other while another process keeps
    /// reading the file.
    void encrypt(std::string_view old_password, std::string_view password, ScryptCost cost = {});

    /// The coins that the wallet's private keys can spend: confirmed coins, and change of own
    /// unconfirmed payments that a node has shown (note_shown()) and whose inputs are such coins.
    /// Oldest first. Excludes coins of imported descriptors, and coins that a label freezes
    /// (BIP329). For a watch-only wallet, the coins of one owner (has_same_owner()), which another
    /// wallet can spend.
    /// beside   a coin of the owner; without one, the owner of the first single-key descriptor or,
    ///          if there is none, of the first multisig descriptor
    SpendableCoins spendable_coins(
        const std::optional<chain::Outpoint>& beside = std::nullopt) const;
    /// The first change address that was never used, which stays the same until a transaction that
    /// pays it is kept. It has the type of a recipient, if the account shows that type, so that
    /// change looks like a payment (Bitcoin Core: TransactionChangeType); else the type of new
    /// receive addresses. A wallet without change descriptors uses the first receive address that
    /// was never used or, if it has only single keys, the address of the first. In a watch-only
    /// wallet, the change of a coin stays in its pair of descriptors: it goes to the change
    /// descriptor with the same keys or, without one, to the coin's own. Throws with unknown_key if
    /// a watch-only wallet has no descriptor that can be spent from.
    /// beside   as for spendable_coins(): a coin that the payment spends
    ChangeOutput change_for(std::span<const Recipient> recipients,
                            const std::optional<chain::Outpoint>& beside = std::nullopt) const;
    /// Hands out the address of a script that change_for() returned or, if another payment has
    /// taken that address since, the next of its descriptor, so that no other payment gets it.
    /// Returns its script. An address that receives all change is returned unchanged, and so
    /// is one without private keys.
    chain::Bytes reserve_change(chain::ByteView script_pubkey);
    /// Signs all inputs of a transaction like sign_transaction(). Throws with watch_only, and with
    /// damaged if a coin's script does not pay its key.
    /// coins    spent by the inputs, in their order, from spendable_coins()
    /// secret   secret()
    void sign(chain::Transaction& transaction, std::span<const InputCoin> coins,
              const SecretBytes& secret, const SecretArray<32>& auxiliary) const;
    /// The type of an address whose private key the wallet has; nothing for any other script.
    /// Throws with watch_only.
    std::optional<ScriptKind> signing_kind(chain::ByteView script_pubkey) const;
    /// A message's signature as text, with the key of a script for which signing_kind() returns a
    /// type.
    /// format   one for which has_format() of this type is true
    std::string sign_message(std::string_view message, chain::ByteView script_pubkey,
                             MessageFormat format, const SecretBytes& secret,
                             const SecretArray<32>& auxiliary) const;
    /// Stores a payment on the disk before it is announced, so that it is known and rebroadcast
    /// (own_unconfirmed()) even after a crash; with it, which of its outputs is the change. Returns
    /// false, and stores nothing, if any of its coins is no longer unspent, as another process may
    /// have spent it, or if a signature is not valid.
    /// payment   signed by sign()
    bool keep_payment(const Payment& payment, std::int64_t time);

    /// Notes that nodes have taken a payment of the wallet, as far as a broadcast shows, and so the
    /// unconfirmed payments that it spends from. (A sync notes it by itself.) Their change can be
    /// spent from then on.
    void note_shown(const chain::Txid& txid);

    /// Moves the birthday, and counts no block as searched: the next sync searches from the
    /// birthday on. Until then, all transactions are unconfirmed, and coinbases immature.
    void rescan(const chain::Birthday& birthday);

    /// Forgets all transactions from blocks: the next sync searches from the birthday, like for a
    /// restored wallet. Labels, addresses that were handed out or paid, and unconfirmed
    /// transactions that the user broadcast stay; so do the ancestors of the latter, unless a block
    /// replaced them.
    void forget_blocks();

    WalletInfo info() const;
    Balance balance() const;
    /// Unspent outputs, oldest first, unconfirmed last.
    std::vector<Coin> coins() const;
    /// Newest first; a conflicted transaction is placed by its first-seen time. `limit` 0 for all.
    std::vector<HistoryEntry> history(std::size_t limit) const;
    std::optional<HistoryEntry> transaction(const chain::Txid& txid) const;
    /// A known transaction as it is stored now; a confirmed one without witnesses. Reads changes by
    /// other processes first, so that the other functions then return the same state.
    std::optional<KnownTransaction> known_transaction(const chain::Txid& txid) const;
    /// The fee of a transaction, the wallet's or not (negative if it creates money); empty if not
    /// all of its inputs are the wallet's. chain::check_transaction() must accept it.
    std::optional<chain::Satoshis> fee_of(const chain::Transaction& transaction) const;
    /// For each descriptor: all addresses up to the last used or handed-out one, then
    /// `unused_ahead` unused ones, as far as they are watched, then later ones that have a label.
    std::vector<AddressEntry> addresses(KeyChain chain, std::uint32_t unused_ahead) const;
    /// The address of a scriptPubKey; empty if it is not the wallet's.
    std::optional<AddressEntry> address(chain::ByteView script_pubkey) const;
    /// The sum that transactions with at least `confirmations` confirmations have paid to a
    /// scriptPubKey of the wallet's; 0 for any other script.
    chain::Satoshis received(chain::ByteView script_pubkey, std::uint32_t confirmations) const;
    /// The first receive address after all used or handed-out ones that never had a label. Marked
    /// as handed out only with `hand_out`. Throws with no_new_address if the descriptor has only
    /// one address, or is none to receive with.
    /// of   the number of a shown receive descriptor; without it, WalletInfo::receive_descriptor
    AddressEntry receive_address(bool hand_out, std::optional<DescriptorNumber> of = std::nullopt);
    /// The descriptor's current receive address: the same until it is paid or labelled, then
    /// receive_address(). With `remember` it is marked as handed out, so that receive_address()
    /// never returns it; without `remember`, nothing is written. Of a descriptor with only one
    /// address, that one each time. Throws with no_new_address if there is no address.
    /// of   as for receive_address()
    AddressEntry current_address(bool remember, std::optional<DescriptorNumber> of = std::nullopt);
    /// The purpose of a descriptor's addresses; `number` is one of the wallet's.
    KeyChain chain_of(DescriptorNumber number) const;
    /// The address at a path that the wallet watches; empty if its script has none.
    std::string address_at(KeyPath path) const;
    /// The script at a path that the wallet watches.
    const chain::Bytes& script_at(KeyPath path) const;
    /// From the master key, e.g. m/84h/1h/0h/0/5, as far as the descriptor, which is one of the
    /// wallet's, states it.
    std::string path_text(KeyPath path) const;
    /// The wallet's keys in a transaction; none if it is not known.
    OwnKeys own_keys(const chain::Txid& txid) const;

    /// The names of the explanations that the user of this wallet has seen, in words of the program
    /// that shows them.
    std::set<std::string> seen_explanations() const;
    /// Adds names to seen_explanations() of the wallet in the file, each at most
    /// kMaxExplanationBytes long. A file of an earlier version, which cannot store them, is left as
    /// it is.
    static void note_explanations(const std::filesystem::path& file,
                                  const std::set<std::string>& names);

    /// The label of an address, a transaction or an output, empty for none; nothing if the target
    /// is not the wallet's.
    std::optional<std::string> label(const LabelTarget& target) const;
    /// Sets the label of an address, a transaction or an output, at most kMaxLabelBytes long; an
    /// empty label removes it. A labelled address is no longer handed out. Returns the former
    /// label, empty for none; nothing if the target is not the wallet's.
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
