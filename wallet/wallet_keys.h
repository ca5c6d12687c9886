/// The public keys of a wallet, and what joins them to its secret.
#pragma once

#include "chain/network_params.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/keys/secret_box.h"
#include "wallet/store/wallet_store.h"

namespace petal::wallet {

/// The keys that a wallet watches by.
struct AccountKeys {
    Fingerprint master_fingerprint{};
    ExtendedPublicKey account;
};

/// Derives the account's private key from the seed, from which those of its addresses follow.
ExtendedPrivateKey derive_private_account(const Seed& seed, Account account,
                                          const chain::NetworkParams& network);

/// Derives the account's key from the seed, by BIP84 and the like.
AccountKeys derive_account(const Seed& seed, Account account, const chain::NetworkParams& network);

/// The data that the sealed seed is bound to: the SHA-256 of network, kind, account key and master
/// fingerprint.
SecretOwner owner_of(const StoredIdentity& identity);

}  // namespace petal::wallet
