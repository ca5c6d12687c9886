/// A wallet's descriptors, with the data that payments and addresses need.
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

/// A wallet's descriptor, ready to derive scripts.
struct WalletDescriptor {
    StoredDescriptor stored;
    ScriptSource source;
    /// The path of the keys: from the master key if the descriptor states it (m/84h/1h/0h/0),
    /// otherwise from the descriptor's key (0). Empty if nothing is derived. For a ranged
    /// descriptor, without the index.
    std::string path;
    std::optional<ScriptKind> kind;     ///< for a single key in a usual output
    bool has_uncompressed_key = false;  ///< the single key has 65 bytes instead of 33
    std::string form;                   ///< form_of(), without a `kind`
    /// The size of inputs that spend multisig.
    std::optional<InputSize> multisig;
    /// Identifies the signing keys by their bytes, without the paths below the keys. The receive
    /// and the change descriptor of one account have equal signers. Empty for a descriptor without
    /// keys, and for descriptors of the wallet's words.
    std::string signers;
    std::optional<Fingerprint> master;     ///< of the single key, if the descriptor states it
    std::optional<std::uint32_t> account;  ///< if derived from the wallet's words

    /// Whether the keys are derived from the wallet's secret.
    bool has_private_keys() const { return stored.origin != DescriptorOrigin::imported; }

    /// How payments spend the outputs. Empty if payments cannot spend them.
    std::optional<SpendForm> spend_form() const;

    /// The path of a script's key, e.g. m/84h/1h/0h/0/5.
    std::string path_text(std::uint32_t index) const;
};

/// Whether both provably have one owner: the wallet's secret has the private keys of both, or both
/// have the same keys and number of signatures. An origin proves nothing, because a descriptor can
/// state any origin.
bool has_same_owner(const WalletDescriptor& a, const WalletDescriptor& b);

/// The account key of a wallet with words. Throws WalletError if the identity has no valid key or
/// look-ahead.
ExtendedPublicKey account_key(const WalletStore& store, const StoredIdentity& identity,
                              const chain::NetworkParams& network);

/// The receive and the change descriptor of the account of a wallet with words.
std::vector<WalletDescriptor> account_descriptors(const StoredIdentity& identity,
                                                  const ExtendedPublicKey& key,
                                                  const chain::NetworkParams& network);

/// Accounts with successive numbers.
struct AccountRange {
    std::uint32_t first = 0;
    std::uint32_t count = 1;
};

/// The number of descriptors of an account in all types together.
inline constexpr std::size_t kDescriptorsOfAnyType = kScriptKinds.size() * kKeyChains.size();

/// The descriptors of these accounts in all address types, as candidates: all types of the first
/// account, then all types of the next account.
std::vector<WalletDescriptor> candidate_descriptors(const Seed& seed, StoredIdentity identity,
                                                    AccountRange accounts,
                                                    const chain::NetworkParams& network);

/// Makes a wallet's descriptor. `descriptor` must have a single path and one script per index.
/// Empty if no script can be derived.
std::optional<WalletDescriptor> make_descriptor(StoredDescriptor stored,
                                                const Descriptor& descriptor);

/// The wallet's descriptors by number. To be called within WalletStore::read(). Throws WalletError
/// if the stored descriptors are invalid.
std::vector<WalletDescriptor> load_descriptors(WalletStore& store, const StoredIdentity& identity,
                                               const chain::NetworkParams& network);

}  // namespace petal::wallet
