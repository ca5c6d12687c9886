/// A wallet in memory: its scripts and its ledger.
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

/// Joins the key ring, which knows the owner of an output, and the ledger, which knows the
/// transactions. Keeps the order in which scripts were added to the watch list. Not thread-safe.
class WalletState {
public:
    /// A state with the first scripts of these descriptors, all of which count as new.
    static WalletState with_new(std::vector<WalletDescriptor> descriptors);

    /// Reads all stored data; derives only data that a file of an earlier version lacks. Within
    /// WalletStore::read(); throws WalletError if the file contradicts itself.
    static WalletState load(WalletStore& store, const StoredIdentity& identity,
                            const chain::NetworkParams& network);

    const std::vector<WalletDescriptor>& descriptors() const { return descriptors_; }
    const WalletDescriptor& descriptor(DescriptorNumber number) const {
        return descriptors_[number.value];
    }
    /// Whether the wallet has no private keys. Descriptors with private keys come first.
    bool is_watch_only() const { return !descriptors_[0].has_private_keys(); }
    /// The descriptor of receive addresses: the first ranged one with private keys or, of
    /// candidates, the first used one; without a ranged one, the first. In a watch-only wallet, the
    /// wallet's first receive descriptor or, if that is a single key or address, a ranged one that
    /// has_same_owner(). An import never changes which one it is to that of another owner. Empty if
    /// all descriptors are for change.
    std::optional<DescriptorNumber> receive_descriptor() const;
    /// False for a candidate whose account has no used or handed-out address, unless new addresses
    /// are derived from it.
    bool is_shown(DescriptorNumber number) const;
    /// Adds a descriptor, whose first scripts count as new.
    void add(WalletDescriptor descriptor);

    KeyRing& ring() { return ring_; }
    const KeyRing& ring() const { return ring_; }
    Ledger& ledger() { return ledger_; }
    const Ledger& ledger() const { return ledger_; }
    /// Valid until the ledger next changes.
    LedgerView view() const { return LedgerView(ledger_); }

    /// The ledger's record of a transaction; empty if it does not concern the wallet, or can't be
    /// valid. An output is the wallet's only if its complete script is.
    std::optional<LedgerTransaction> recognise(const chain::Transaction& transaction,
                                               const chain::Txid& txid) const;

    /// The path of a script whose private key the wallet has; empty for any other script. (An
    /// imported address may be one of them.)
    std::optional<KeyPath> path_with_keys(chain::ByteView script_pubkey) const;

    /// The outputs that pay the wallet.
    std::vector<Credit> credits_in(const chain::Transaction& transaction) const;

    /// Notes the outputs of a transaction that the ledger was given.
    /// credits   those that are the wallet's, by ascending index
    void note_outputs(const chain::Transaction& transaction, const std::vector<Credit>& credits);
    /// Whether a known transaction may pay one of these new scripts; rarely a false alarm for a
    /// thousand new addresses. The credits of such transactions must then be computed again.
    bool known_transactions_may_pay(const std::vector<StoredScript>& scripts);

    /// Marks the addresses of these credits as used, which may add scripts to the ring.
    void mark_used(const std::vector<Credit>& credits);

    /// Notes in memory and in the file that an address was handed out. Within WalletStore::write().
    void hand_out(WalletStore& store, KeyPath path);

    /// The scripts that the ring got since the last call, in order of derivation.
    std::vector<StoredScript> take_new_scripts();

    /// See chain::Watcher.
    std::vector<chain::Bytes> watched_elements(std::size_t first) const;
    /// The number of watched scripts; each is one element.
    std::size_t watched_scripts() const;

private:
    /// Scripts that were added to the watch list together.
    struct Range {
        DescriptorNumber descriptor;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    explicit WalletState(std::vector<WalletDescriptor> descriptors);

    /// Whether the first address of `a` provably has the owner of `b`.
    bool shares_owner(DescriptorNumber a, DescriptorNumber b) const;
    void load_scripts(WalletStore& store);
    void load_handed_out(WalletStore& store);
    void load_ledger(WalletStore& store);
    bool lacks_scripts(DescriptorNumber number) const;

    std::vector<WalletDescriptor> descriptors_;
    KeyRing ring_;
    Ledger ledger_;
    std::vector<Range> ranges_;  ///< in the order in which they were added
    /// How many scripts of each descriptor are in the ranges.
    std::vector<std::uint32_t> taken_;
    /// script_tail() of each foreign script that a transaction pays. Sorted before a search:
    /// attackers choose these scripts, and could make the tails collide in a hash table.
    std::vector<std::uint64_t> foreign_tails_;
};

/// Throws with damaged if the stored script at this path is not derived from its descriptor, so
/// that what is paid to it would be lost. `path` is within the range.
void expect_genuine(const WalletStore& store, const WalletState& state, KeyPath path);

}  // namespace petal::wallet
