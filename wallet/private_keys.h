/// The private keys of a wallet's own scripts.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "chain/network_params.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/spending/signing.h"
#include "wallet/wallet_state.h"

namespace petal::wallet {

/// Derives each account once. Wiped when it is destroyed; what it refers to must outlive it.
class PrivateKeys {
public:
    PrivateKeys(const WalletState& current, const Seed& seed, const chain::NetworkParams& network)
        : current_(current), seed_(seed), network_(network) {}

    /// path   of a descriptor with private keys
    PrivateKey key(KeyPath path);

private:
    const WalletState& current_;
    const Seed& seed_;
    const chain::NetworkParams& network_;
    std::map<std::pair<ScriptKind, std::uint32_t>, AccountSigner> signers_;
};

}  // namespace petal::wallet
