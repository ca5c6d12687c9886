/// A wallet in memory: scripts and ledger.
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

/// Combines the key ring, which finds own outputs, with the ledger of transactions. Keeps the order
/// in which scripts were added to the watch list. Not thread-safe.
class WalletState {
public:
    /// A state with the first scripts of these descriptors. All scripts count as new.
    static WalletState with_new(std::vector<WalletDescriptor> descriptors);

    /// Reads all stored data. To be called within WalletStore::read(). Throws WalletError if the
    /// file is inconsistent.
    static WalletState load(WalletStore& store, const StoredIdentity& identity,
                            const chain::NetworkParams& network);

    const std::vector<WalletDescriptor>& descriptors() const { return descriptors_; }
    const WalletDescriptor& descriptor(DescriptorNumber number) const {
        return descriptors_[number.value];
    }
    /// Whether the wallet has no private keys. Descriptors with private keys come first.
    bool is_watch_only() const { return !descriptors_[0].has_private_keys(); }
    /// The descriptor of receive addresses. Empty if all descriptors are for change. An import
    /// never changes it to a descriptor of another owner.
    /// - With private keys: the first ranged receive descriptor or, of candidates, the first used
    ///   descriptor. Without a ranged descriptor, the first receive descriptor.
    /// - Watch-only: the first receive descriptor or, if it is a single key or address, a ranged
    ///   descriptor that has_same_owner().
    std::optional<DescriptorNumber> receive_descriptor() const;
    /// False for a candidate without used or handed-out addresses on both chains, unless it is the
    /// receive_descriptor() or its change descriptor.
    bool is_shown(DescriptorNumber number) const;
    /// Adds a descriptor. Its first scripts count as new.
    void add(WalletDescriptor descriptor);

    KeyRing& ring() { return ring_; }
    const KeyRing& ring() const { return ring_; }
    Ledger& ledger() { return ledger_; }
    const Ledger& ledger() const { return ledger_; }
    /// Valid until the next change of the ledger.
    LedgerView view() const { return LedgerView(ledger_); }

    /// A record of a transaction for the ledger. Empty if the transaction does not concern the
    /// wallet or can't be valid. An output is the wallet's only if the complete scriptPubKey
    /// matches.
    std::optional<LedgerTransaction> recognise(const chain::Transaction& transaction,
                                               const chain::Txid& txid) const;

    /// The path of a script with a private key in the wallet, which may also be an imported
    /// address. Empty for any other script.
    std::optional<KeyPath> path_with_keys(chain::ByteView script_pubkey) const;

    /// The outputs that pay the wallet.
    std::vector<Credit> credits_in(const chain::Transaction& transaction) const;

    /// Records the foreign outputs of a transaction that was added to the ledger.
    /// credits   the wallet's outputs, by ascending index
    void remember_foreign_outputs(const chain::Transaction& transaction,
                                  const std::vector<Credit>& credits);
    /// Whether a known transaction may pay one of these new scripts. If so, all credits must be
    /// computed again. A false positive is rare for a thousand new addresses.
    bool known_transactions_may_pay(const std::vector<StoredScript>& scripts);

    /// Marks the addresses of these credits as used, which may derive new scripts.
    void mark_used(const std::vector<Credit>& credits);

    /// Marks an address as handed out, in memory and in the file. To be called within
    /// WalletStore::write().
    void hand_out(WalletStore& store, KeyPath path);

    /// The scripts that were derived since the last call, in order of derivation.
    std::vector<StoredScript> take_new_scripts();

    /// See chain::Watcher.
    std::vector<chain::Bytes> watched_elements(std::size_t first) const;
    std::vector<chain::Bytes> watched_scripts(std::size_t first = 0) const;
    /// The number of watched scripts, each with one element.
    std::size_t watched_count() const;
    /// A group for each of the awaited_pages() of each shown receive descriptor, and one for all
    /// receive descriptors with a single address.
    std::vector<std::vector<chain::Bytes>> awaited_elements() const;

private:
    /// Scripts of a descriptor that were added to the watch list together.
    struct Range {
        DescriptorNumber descriptor;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    explicit WalletState(std::vector<WalletDescriptor> descriptors);

    /// Whether the first address of `a` provably has the same owner as `b`.
    bool shares_owner(DescriptorNumber a, DescriptorNumber b) const;
    void load_scripts(WalletStore& store);
    void load_handed_out(WalletStore& store);
    void load_ledger(WalletStore& store);
    bool lacks_scripts(DescriptorNumber number) const;

    std::vector<WalletDescriptor> descriptors_;
    KeyRing ring_;
    Ledger ledger_;
    std::vector<Range> ranges_;  ///< in the order in which the scripts were added
    /// The number of scripts in `ranges_` by descriptor.
    std::vector<std::uint32_t> taken_;
    /// script_tail() of each foreign script that a transaction pays. A sorted vector, because
    /// attackers choose these scripts and could cause collisions in a hash table.
    std::vector<std::uint64_t> foreign_tails_;
};

/// Throws with damaged if the stored script at this path is not derived from its descriptor, as
/// coins paid to the script would be lost. `path` must be within the watched range.
void expect_genuine(const WalletStore& store, const WalletState& state, KeyPath path);

}  // namespace petal::wallet
