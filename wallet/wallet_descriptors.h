/// The scripts of each of a wallet's descriptors, and how their paths are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/network_params.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/key_ring.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/spending/spend_form.h"
#include "wallet/store/wallet_store.h"

namespace petal::wallet {

/// One of a wallet's descriptors, ready to derive from.
struct WalletDescriptor {
    StoredDescriptor stored;
    ScriptSource source;
    /// The path of its keys, from the master key if the descriptor states it (m/84h/1h/0h/0), else
    /// from its own key (0); empty if nothing is derived. For a ranged descriptor, the index
    /// follows.
    std::string path;
    std::optional<ScriptKind> kind;     ///< if it has a single key in its usual output
    bool has_uncompressed_key = false;  ///< the single key has 65 bytes instead of 33
    std::string form;                   ///< if it has no kind: form_of()
    /// The size of the inputs that spend it, if it is multisig.
    std::optional<InputSize> multisig;
    /// Identifies the signing keys by their bytes: the same for the receive and the change
    /// descriptor of one account, whose paths below those keys differ. Empty for a descriptor
    /// without keys, and for descriptors of the wallet's words.
    std::string signers;
    std::optional<Fingerprint> master;     ///< of its single key, if the descriptor states it
    std::optional<std::uint32_t> account;  ///< if derived from the wallet's words

    /// Whether its keys follow from the wallet's secret.
    bool has_private_keys() const { return stored.origin != DescriptorOrigin::imported; }

    /// How payments spend its outputs; empty if they can't.
    std::optional<SpendForm> spend_form() const;

    /// The path of a script's key, as m/84h/1h/0h/0/5.
    std::string path_text(std::uint32_t index) const;
};

/// Whether both provably have one owner: the wallet's secret has the private keys of both, or both
/// are made of the same keys and need as many signatures. An origin proves nothing, since anyone
/// can write any origin into a descriptor.
bool has_same_owner(const WalletDescriptor& a, const WalletDescriptor& b);

/// The key of the account of a wallet's words. Throws WalletError if the identity has none, or bad
/// look-ahead.
ExtendedPublicKey account_key(const WalletStore& store, const StoredIdentity& identity,
                              const chain::NetworkParams& network);

/// The receive and the change descriptor of the account of a wallet's words, by its key.
std::vector<WalletDescriptor> account_descriptors(const StoredIdentity& identity,
                                                  const ExtendedPublicKey& key,
                                                  const chain::NetworkParams& network);

/// Accounts with successive numbers.
struct AccountRange {
    std::uint32_t first = 0;
    std::uint32_t count = 1;
};

/// How many descriptors an account has in all types together.
inline constexpr std::size_t kDescriptorsOfAnyType = kScriptKinds.size() * kKeyChains.size();

/// The descriptors of these accounts for each type of address, as candidates: all types of the
/// first, then those of the next.
std::vector<WalletDescriptor> candidate_descriptors(const Seed& seed, StoredIdentity identity,
                                                    AccountRange accounts,
                                                    const chain::NetworkParams& network);

/// Makes the descriptor of a wallet from one with a single path and one script at each index. Empty
/// if nothing can be derived from it.
std::optional<WalletDescriptor> make_descriptor(StoredDescriptor stored,
                                                const Descriptor& descriptor);

/// The wallet's descriptors, by their numbers. Call within WalletStore::read(). Throws WalletError
/// if the stored ones are invalid.
std::vector<WalletDescriptor> load_descriptors(WalletStore& store, const StoredIdentity& identity,
                                               const chain::NetworkParams& network);

}  // namespace petal::wallet
