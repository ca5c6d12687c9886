/// A wallet in memory: its scripts, and what the ledger makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "chain/watcher.h"
#include "wallet/descriptors/key_ring.h"
#include "wallet/ledger/ledger.h"
#include "wallet/ledger/ledger_view.h"
#include "wallet/store/wallet_store.h"
#include "wallet/wallet_descriptors.h"

namespace petal::wallet {

/// Joins the key ring, which knows whose an output is, and the ledger, which knows what follows.
/// Keeps the order in which scripts came to be watched. Not thread-safe.
class WalletState {
public:
    /// With the first scripts of these descriptors, all of which count as new.
    static WalletState with_new(std::vector<WalletDescriptor> descriptors);

    /// Reads all that is stored; derives only what a file of an earlier version lacks. Within
    /// WalletStore::read(); throws WalletError where it contradicts itself.
    static WalletState load(WalletStore& store, const StoredIdentity& identity,
                            const chain::NetworkParams& network);

    const std::vector<WalletDescriptor>& descriptors() const { return descriptors_; }
    const WalletDescriptor& descriptor(DescriptorNumber number) const {
        return descriptors_[number.value];
    }
    /// Whether it has no private keys. Descriptors with private keys come first.
    bool is_watch_only() const { return !descriptors_[0].has_private_keys(); }
    /// The descriptor that new addresses come from: the first ranged one of receive addresses, or,
    /// of candidates, the first that was used. A wallet with private keys has theirs only. Empty if
    /// there is none.
    std::optional<DescriptorNumber> receive_descriptor() const;
    /// False for a candidate of whose account no address was used or handed out, unless new
    /// addresses come from it.
    bool is_shown(DescriptorNumber number) const;
    /// Adds a descriptor, whose first scripts are new.
    void add(WalletDescriptor descriptor);

    KeyRing& ring() { return ring_; }
    const KeyRing& ring() const { return ring_; }
    Ledger& ledger() { return ledger_; }
    const Ledger& ledger() const { return ledger_; }
    /// To be used before the ledger next changes.
    LedgerView view() const { return LedgerView(ledger_); }

    /// A transaction as the ledger would keep it; empty if it does not concern the wallet, or can't
    /// be valid. An output is the wallet's only where its whole script is.
    std::optional<LedgerTransaction> recognise(const chain::Transaction& transaction,
                                               const chain::Txid& txid) const;

    /// The path of a script that the wallet has the private key of; empty for any other script. (An
    /// address that was imported alone may be one of them.)
    std::optional<KeyPath> path_with_keys(chain::ByteView script_pubkey) const;

    /// The outputs that pay the wallet.
    std::vector<Credit> credits_in(const chain::Transaction& transaction) const;

    /// Notes the outputs of a transaction that the ledger was given.
    /// credits   those that are the wallet's, by ascending index
    void note_outputs(const chain::Transaction& transaction, const std::vector<Credit>& credits);
    /// Whether such a transaction may pay one of these scripts, which are new: of a thousand new
    /// addresses hardly ever one. Its credits must then be worked out again.
    bool known_transactions_may_pay(const std::vector<StoredScript>& scripts);

    /// Notes that the addresses of these credits were used, which may add scripts to the ring.
    void mark_used(const std::vector<Credit>& credits);

    /// Notes in memory and in the file that an address was handed out. Within WalletStore::write().
    void hand_out(WalletStore& store, KeyPath path);

    /// The scripts that the ring got since the last call, in order of derivation.
    std::vector<StoredScript> take_new_scripts();

    /// As chain::Watcher says.
    std::vector<chain::Bytes> watched_elements(std::size_t first) const;
    /// The number of watched scripts, each of which is one element.
    std::size_t watched_scripts() const;

private:
    /// Scripts that came to be watched together.
    struct Range {
        DescriptorNumber descriptor;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    explicit WalletState(std::vector<WalletDescriptor> descriptors);

    void load_scripts(WalletStore& store);
    void load_handed_out(WalletStore& store);
    void load_ledger(WalletStore& store);
    bool lacks_scripts(DescriptorNumber number) const;

    std::vector<WalletDescriptor> descriptors_;
    KeyRing ring_;
    Ledger ledger_;
    std::vector<Range> ranges_;  ///< in the order in which they came
    /// How many scripts of each descriptor are in the ranges.
    std::vector<std::uint32_t> taken_;
    /// script_tail() of each script that a transaction pays and that is not the wallet's. Ordered
    /// when it is searched: attackers choose these scripts, and could make the tails collide in a
    /// hash table.
    std::vector<std::uint64_t> foreign_tails_;
};

}  // namespace petal::wallet
