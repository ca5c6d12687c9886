/// Which keys a wallet has: the kinds of outputs, and where their keys are in the tree (BIP44,
/// BIP84).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>

#include "chain/bytes.h"
#include "chain/script/script.h"
#include "wallet/keys/secp256k1.h"

namespace petal::wallet {

/// What kind of outputs a wallet receives to. Further kinds are further rows.
enum class ScriptKind : std::uint8_t {
    wpkh = 0,  ///< BIP84: native P2WPKH
};

/// The two chains of an account (BIP44).
enum class KeyChain : std::uint8_t { receive = 0, change = 1 };

inline constexpr std::array kKeyChains{KeyChain::receive, KeyChain::change};

/// Where in the account a key is: m / purpose' / coin' / account' / chain / index.
struct KeyPath {
    KeyChain chain = KeyChain::receive;
    std::uint32_t index = 0;

    friend auto operator<=>(const KeyPath&, const KeyPath&) = default;
};

/// From the master key to the first account: purpose', coin_type', 0'. The coin type is the
/// network's.
using AccountPath = std::array<std::uint32_t, 3>;
AccountPath account_path(ScriptKind kind, std::uint32_t coin_type);

/// Child numbers as text, each behind a slash, with h for hardened: /84h/1h/0h.
std::string path_to_string(std::span<const std::uint32_t> child_numbers);

/// From the master key to a key of the first account, as m/84h/1h/0h/0/5.
std::string full_path_to_string(ScriptKind kind, std::uint32_t coin_type, KeyPath path);

/// The scriptPubKey that pays a key.
chain::Bytes script_for(ScriptKind kind, const PublicKey& key);

/// The template that all scripts of a kind follow.
chain::ScriptType script_type(ScriptKind kind);

}  // namespace petal::wallet
