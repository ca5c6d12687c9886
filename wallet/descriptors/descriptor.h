/// Output descriptors: a wallet's public half as one line that other software imports (BIP380
/// to BIP382, BIP386).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chain/network_params.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"

namespace petal::wallet {

/// The eight characters that belong behind '#'; empty if `text` has a character that descriptors
/// don't (BIP380).
std::optional<std::string> descriptor_checksum(std::string_view text);

/// An account, as far as it is public.
struct PublicAccount {
    ScriptKind kind = ScriptKind::wpkh;
    Fingerprint master_fingerprint{};
    ExtendedPublicKey key;  ///< of depth 3; its child number is that of the account
};

/// One chain of the account, as wpkh([73c5da0a/84h/1h/0h]tpub…/0/*)#checksum, or with pkh(…),
/// sh(wpkh(…)) or tr(…).
std::string to_descriptor(const PublicAccount& account, KeyChain chain,
                          const chain::NetworkParams& network);

}  // namespace petal::wallet
