/// The private keys of a wallet's own scripts, and their relation to its secret.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "chain/bytes.h"
#include "chain/network_params.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/keys/secret_box.h"
#include "wallet/wallet_state.h"

namespace petal::wallet {

/// The keys that a wallet watches by.
struct AccountKeys {
    Fingerprint master_fingerprint{};
    ExtendedPublicKey account;
};

/// Derives the account's key from the seed (BIP44, BIP49, BIP84, BIP86).
AccountKeys derive_account(const Seed& seed, Account account, const chain::NetworkParams& network);

/// The data that the sealed secret is bound to: the SHA-256 of network, kind, account key and
/// master fingerprint or, without words, of the network and the wallet's own descriptors.
/// own   those descriptors, public, as they are stored
SecretOwner owner_of(const StoredIdentity& identity, std::span<const std::string> own);

/// The secret of a wallet that is restored from descriptors: these with their private keys, one a
/// line, after a line that states the format.
SecretBytes secret_of(std::span<const NewDescriptor> descriptors);
/// The descriptors of such a secret; nothing if the secret has another format.
std::optional<std::vector<Descriptor>> read_secret(chain::ByteView secret,
                                                   const chain::NetworkParams& network);

/// Derives the keys of each descriptor once. Wiped when it is destroyed; `current` must outlive it.
class PrivateKeys {
public:
    /// secret   of the wallet, checked (Wallet::secret())
    PrivateKeys(const WalletState& current, chain::ByteView secret,
                const chain::NetworkParams& network);

    /// One of the wallet's descriptors that have private keys, with these.
    Descriptor descriptor(DescriptorNumber number) const;
    /// path   of such a descriptor
    PrivateKey key(KeyPath path);
    /// The key at an origin, whether or not it is of one of the wallet's descriptors; empty if the
    /// secret has none there: another master key, or not at or below a key of the secret.
    std::optional<PrivateKey> key_at(const KeyOrigin& origin) const;
    /// The extended public key at a path below the master key, with its origin. Empty if the secret
    /// is not words, or the path is deeper than BIP32 allows.
    std::optional<KeyExpression> public_expression(std::span<const std::uint32_t> path) const;

private:
    using Source = std::variant<PrivateKey, PrivateChildren>;

    const WalletState& current_;
    const chain::NetworkParams& network_;
    std::optional<ExtendedPrivateKey> master_;  ///< of a wallet with words
    std::vector<Descriptor> given_;             ///< for all other wallets
    std::map<DescriptorNumber, Source> sources_;
};

}  // namespace petal::wallet
