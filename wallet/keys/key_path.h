/// The types of a wallet's outputs, and the paths of their keys (BIP44, BIP49, BIP84, BIP86).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/script/script.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/secp256k1.h"

namespace petal::wallet {

/// The type of an output. Wallet files store the numbers.
enum class ScriptKind : std::uint8_t {
    wpkh = 0,     ///< BIP84: native P2WPKH
    tr = 1,       ///< BIP86: P2TR without a script path
    sh_wpkh = 2,  ///< BIP49: P2WPKH within P2SH
    pkh = 3,      ///< BIP44: P2PKH
};

inline constexpr std::array kScriptKinds{ScriptKind::wpkh, ScriptKind::tr, ScriptKind::sh_wpkh,
                                         ScriptKind::pkh};

/// wpkh, tr, sh-wpkh or pkh, as on the command line.
std::string_view describe(ScriptKind kind);
/// The kind with this name. Empty for an unknown name.
std::optional<ScriptKind> find_script_kind(std::string_view name);

/// The first step of the kind's paths, which is the number of the BIP.
std::uint32_t purpose(ScriptKind kind);

/// An account of a master key.
struct Account {
    ScriptKind kind = ScriptKind::wpkh;
    std::uint32_t number = 0;  ///< below kHardened

    friend bool operator==(const Account&, const Account&) = default;
};

/// The purpose of a descriptor's addresses. An account has both chains (BIP44).
enum class KeyChain : std::uint8_t { receive = 0, change = 1 };

inline constexpr std::array kKeyChains{KeyChain::receive, KeyChain::change};

/// The number of a wallet's descriptor, counted from 0. In a wallet with words, 0 is the receive
/// chain and 1 the change chain of the account. Wallet files store the numbers.
struct DescriptorNumber {
    constexpr DescriptorNumber() = default;
    constexpr DescriptorNumber(std::uint32_t number) : value(number) {}
    constexpr DescriptorNumber(KeyChain chain) : value(static_cast<std::uint32_t>(chain)) {}

    std::uint32_t value = 0;

    friend auto operator<=>(const DescriptorNumber&, const DescriptorNumber&) = default;
};

/// Identifies a script of a wallet.
struct KeyPath {
    DescriptorNumber descriptor;
    std::uint32_t index = 0;  ///< 0 if the descriptor has only one script

    friend auto operator<=>(const KeyPath&, const KeyPath&) = default;
};

/// The path from the master key to the account: purpose', coin_type', account'. The coin type
/// depends on the network.
using AccountPath = std::array<std::uint32_t, 3>;
AccountPath account_path(Account account, std::uint32_t coin_type);

/// The origin of a key: the master key's fingerprint, and the path from the master key to the key.
struct KeyOrigin {
    Fingerprint fingerprint{};
    std::vector<std::uint32_t> path;

    friend bool operator==(const KeyOrigin&, const KeyOrigin&) = default;
};

/// The account with this extended key, by the child number of the last step.
Account account_of(ScriptKind kind, const ExtendedPublicKey& key);

/// A path as text, with h for hardened steps: /84h/1h/0h.
std::string path_to_string(std::span<const std::uint32_t> child_numbers);

/// Reads a path below a master key, e.g. m/48h/1h/0h/2h, with h, H or an apostrophe for hardened
/// steps. Empty for any other text, and for more than 255 steps (BIP32's depth).
std::optional<std::vector<std::uint32_t>> parse_master_path(std::string_view text);

/// The scriptPubKey that pays a key.
chain::Bytes script_for(ScriptKind kind, const PublicKey& key);

/// The template of a kind's scripts.
chain::ScriptType script_type(ScriptKind kind);

}  // namespace petal::wallet
