/// The keys of a wallet: the types of outputs, and the paths of their keys (BIP44, BIP49, BIP84,
/// BIP86).
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

/// The type of a wallet's outputs. Wallet files store the numbers.
enum class ScriptKind : std::uint8_t {
    wpkh = 0,     ///< BIP84: native P2WPKH
    tr = 1,       ///< BIP86: P2TR without a script path
    sh_wpkh = 2,  ///< BIP49: P2WPKH within P2SH
    pkh = 3,      ///< BIP44: P2PKH
};

inline constexpr std::array kScriptKinds{ScriptKind::wpkh, ScriptKind::tr, ScriptKind::sh_wpkh,
                                         ScriptKind::pkh};

/// As the command line has it: wpkh, tr, sh-wpkh or pkh.
std::string_view describe(ScriptKind kind);
/// The kind with this name; empty if there is none.
std::optional<ScriptKind> find_script_kind(std::string_view name);

/// The first number of the kind's paths, i.e. the number of its BIP.
std::uint32_t purpose(ScriptKind kind);

/// An account of a master key.
struct Account {
    ScriptKind kind = ScriptKind::wpkh;
    std::uint32_t number = 0;  ///< below kHardened

    friend bool operator==(const Account&, const Account&) = default;
};

/// The purpose of a descriptor's addresses; an account has one of each (BIP44).
enum class KeyChain : std::uint8_t { receive = 0, change = 1 };

inline constexpr std::array kKeyChains{KeyChain::receive, KeyChain::change};

/// The number of a wallet's descriptor, counted from 0. The two chains of the account of a wallet's
/// words are the first: 0 is receive, 1 is change. Wallet files store the numbers.
struct DescriptorNumber {
    constexpr DescriptorNumber() = default;
    constexpr DescriptorNumber(std::uint32_t number) : value(number) {}
    constexpr DescriptorNumber(KeyChain chain) : value(static_cast<std::uint32_t>(chain)) {}

    std::uint32_t value = 0;

    friend auto operator<=>(const DescriptorNumber&, const DescriptorNumber&) = default;
};

/// One of a wallet's scripts: which of a descriptor's.
struct KeyPath {
    DescriptorNumber descriptor;
    std::uint32_t index = 0;  ///< 0 if the descriptor has only one script

    friend auto operator<=>(const KeyPath&, const KeyPath&) = default;
};

/// From the master key to the account: purpose', coin_type', account'. The coin type is the
/// network's.
using AccountPath = std::array<std::uint32_t, 3>;
AccountPath account_path(Account account, std::uint32_t coin_type);

/// The origin of a key: its master key's fingerprint, and the child numbers from there to the key.
struct KeyOrigin {
    Fingerprint fingerprint{};
    std::vector<std::uint32_t> path;

    friend bool operator==(const KeyOrigin&, const KeyOrigin&) = default;
};

/// The account whose account_path() leads to this extended key.
Account account_of(ScriptKind kind, const ExtendedPublicKey& key);

/// Child numbers as text, each after a slash, with h for hardened: /84h/1h/0h.
std::string path_to_string(std::span<const std::uint32_t> child_numbers);

/// Reads child numbers below a master key, as m/48h/1h/0h/2h, with h, H or an apostrophe for
/// hardened ones. Empty for any other text, and for more than 255 steps (BIP32's depth).
std::optional<std::vector<std::uint32_t>> parse_master_path(std::string_view text);

/// The scriptPubKey that pays a key.
chain::Bytes script_for(ScriptKind kind, const PublicKey& key);

/// The template that all scripts of a kind follow.
chain::ScriptType script_type(ScriptKind kind);

}  // namespace petal::wallet
