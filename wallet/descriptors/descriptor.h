/// Output descriptors (BIP380 to BIP386, BIP389, Bitcoin Core: doc/descriptors.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/descriptors/descriptor_error.h"
#include "wallet/descriptors/key_expression.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

/// The functions around the innermost function.
enum class ScriptWrapping : std::uint8_t { none, sh, wsh, sh_wsh };

/// The innermost function.
enum class ScriptFunction : std::uint8_t {
    pk,
    pkh,
    wpkh,
    tr,
    combo,
    multi,
    sortedmulti,
    addr,
    raw
};

/// Whether the function is multi() or sortedmulti().
constexpr bool is_multisig(ScriptFunction function) {
    return function == ScriptFunction::multi || function == ScriptFunction::sortedmulti;
}

/// Restrictions on the descriptors that parse() accepts.
struct DescriptorOptions {
    enum class Keys : std::uint8_t { any, only_public, only_private };
    Keys keys = Keys::any;
    bool require_checksum = false;
    /// Accepts hardened steps below an extended public key, as in BIP380. Scripts of these
    /// descriptors cannot be derived.
    bool allow_underivable = false;
};

/// The maximum length of a text. A raw() script of the consensus limit has 20,000 characters, and
/// 20 extended keys with origins and the deepest usual paths have fewer than 8,000.
inline constexpr std::size_t kMaxDescriptorCharacters = 32'768;

/// A descriptor, possibly with multiple paths (BIP389). The destructor wipes the private keys, if
/// any.
class Descriptor {
public:
    /// Parses a descriptor of this network. Verifies the checksum, if there is one.
    static chain::Expected<Descriptor, DescriptorError> parse(std::string_view text,
                                                              const chain::NetworkParams& network,
                                                              DescriptorOptions options = {});

    /// pk, pkh, wpkh, tr or combo of a key, or sh(wpkh()) if `wrapping` is sh. Segwit outputs
    /// require a compressed key. Only tr allows an x-only key.
    static Descriptor of_key(ScriptFunction function, ScriptWrapping wrapping, KeyExpression key);
    /// addr() for a script with an address, or else raw().
    static Descriptor of_script(chain::Bytes script_pubkey, const chain::NetworkParams& network);

    ScriptFunction function() const { return function_; }
    ScriptWrapping wrapping() const { return wrapping_; }
    /// The keys in the order of the text. Empty for addr() and raw().
    std::span<const KeyExpression> keys() const { return keys_; }
    /// The number of keys that must sign: the threshold of multi() and sortedmulti(), 0 for addr()
    /// and raw(), otherwise 1.
    std::size_t threshold() const { return threshold_; }
    /// The scriptPubKey of addr() and raw(), otherwise empty.
    const chain::Bytes& script() const { return script_; }

    /// Whether the descriptor has different scripts at each index, as the path of a key ends in a
    /// wildcard.
    bool is_range() const;
    bool has_private_keys() const;
    /// Whether scripts can be derived: there is no hardened step below an extended public key.
    bool is_derivable() const;
    /// The number of alternatives in multipath specifiers, or 1.
    std::size_t path_count() const;
    /// The descriptors that a multipath descriptor combines, in order, or this descriptor.
    std::vector<Descriptor> single_paths() const;
    /// The descriptor of the same scripts without private keys: hardened steps below a private key
    /// are derived and move into the key's origin (Bitcoin Core: listdescriptors). Empty for
    /// - a hardened wildcard
    /// - a multipath specifier with hardened numbers or before a hardened step (see single_paths())
    std::optional<Descriptor> watch_only() const;

    /// The text without private keys, with h for hardened steps and a checksum (Bitcoin Core:
    /// getdescriptorinfo, which keeps apostrophes).
    std::string to_string(const chain::NetworkParams& network) const;
    /// The text with private keys, if any, and a checksum.
    SecretString to_private_string(const chain::NetworkParams& network) const;

private:
    friend class DescriptorParser;
    Descriptor() = default;

    ScriptWrapping wrapping_ = ScriptWrapping::none;
    ScriptFunction function_ = ScriptFunction::raw;
    std::size_t threshold_ = 0;
    std::vector<KeyExpression> keys_;
    chain::Bytes script_;  ///< of addr() and raw()
};

/// The name of a function, without brackets.
std::string_view name_of(ScriptFunction function);

/// A descriptor without keys, e.g. wsh(sortedmulti(2 of 3)), sh(wpkh) or addr.
std::string form_of(const Descriptor& descriptor);

/// The public data of an account.
struct PublicAccount {
    ScriptKind kind = ScriptKind::wpkh;
    Fingerprint master_fingerprint{};
    ExtendedPublicKey key;  ///< of depth 3, its child number is the account's number
};

/// A chain of the account, e.g. wpkh([73c5da0a/84h/1h/0h]tpub…/0/*), or with pkh(…), sh(wpkh(…)) or
/// tr(…).
Descriptor descriptor_of(const PublicAccount& account, KeyChain chain,
                         const chain::NetworkParams& network);

}  // namespace petal::wallet
