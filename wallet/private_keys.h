/// Derives a wallet's private keys from its secret.
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

/// The public keys of an account.
struct AccountKeys {
    Fingerprint master_fingerprint{};
    ExtendedPublicKey account;
};

/// Derives the account's key from the seed (BIP44, BIP49, BIP84, BIP86).
AccountKeys derive_account(const Seed& seed, Account account, const chain::NetworkParams& network);

/// The data that the sealed secret is bound to: the SHA-256 of network, kind, account key and
/// master fingerprint or, without words, of network and own descriptors.
/// own   the public texts of the descriptors with private keys, as stored
SecretOwner owner_of(const StoredIdentity& identity, std::span<const std::string> own);

/// The secret of a wallet that is restored from descriptors: a line that states the format, then
/// the private texts of the descriptors, one per line.
SecretBytes secret_of(std::span<const NewDescriptor> descriptors);
/// Parses the secret of secret_of(). Empty if the secret has another format.
std::optional<std::vector<Descriptor>> read_secret(chain::ByteView secret,
                                                   const chain::NetworkParams& network);

/// Derives private keys. Wiped by the destructor. `current` must outlive this object.
class PrivateKeys {
public:
    /// secret   the result of Wallet::secret()
    PrivateKeys(const WalletState& current, chain::ByteView secret,
                const chain::NetworkParams& network);

    /// A descriptor with its private keys, of which the wallet must have the private keys.
    Descriptor descriptor(DescriptorNumber number) const;
    /// path   of a descriptor with private keys
    PrivateKey key(KeyPath path);
    /// The key at an origin, which need not be in a descriptor of the wallet. Empty if the origin
    /// has another master key, or is not at or below a key of the secret.
    std::optional<PrivateKey> key_at(const KeyOrigin& origin) const;
    /// The extended public key at a path below the master key, with its origin. Empty if the secret
    /// is not words, or the path is deeper than BIP32 allows.
    std::optional<KeyExpression> public_expression(std::span<const std::uint32_t> path) const;

private:
    using Source = std::variant<PrivateKey, PrivateChildren>;

    const WalletState& current_;
    const chain::NetworkParams& network_;
    std::optional<ExtendedPrivateKey> master_;  ///< for a wallet with words
    std::vector<Descriptor> given_;             ///< for a wallet without words
    std::map<DescriptorNumber, Source> sources_;
};

}  // namespace petal::wallet
