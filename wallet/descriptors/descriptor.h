/// Output descriptors (BIP380 to BIP386, BIP389; Bitcoin Core: doc/descriptors.md): the scripts
/// that a wallet watches, as one line that other software can import.
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

/// The functions that enclose the innermost one.
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

/// Whether it is multi() or sortedmulti().
constexpr bool is_multisig(ScriptFunction function) {
    return function == ScriptFunction::multi || function == ScriptFunction::sortedmulti;
}

/// The descriptors that parse() accepts.
struct DescriptorOptions {
    enum class Keys : std::uint8_t { any, only_public, only_private };
    Keys keys = Keys::any;
    bool require_checksum = false;
    /// Accepts hardened steps below an extended public key, as BIP380 does. No script of such a
    /// descriptor can be derived.
    bool allow_underivable = false;
};

/// The maximum length of a text that is parsed: a raw() script of the consensus limit has 20,000
/// characters; 20 extended keys with origins and the deepest usual paths have fewer than 8,000.
inline constexpr std::size_t kMaxDescriptorCharacters = 32'768;

/// A descriptor, possibly of multiple paths (BIP389). Its private keys, if any, are wiped when it
/// is destroyed.
class Descriptor {
public:
    /// Reads a descriptor of this network. Verifies the checksum if the text has one.
    static chain::Expected<Descriptor, DescriptorError> parse(std::string_view text,
                                                              const chain::NetworkParams& network,
                                                              DescriptorOptions options = {});

    /// pk, pkh, wpkh, tr or combo of a key; sh(wpkh()) if `wrapping` is sh. The key must be allowed
    /// there: no uncompressed key in segwit outputs, an x-only key only in tr.
    static Descriptor of_key(ScriptFunction function, ScriptWrapping wrapping, KeyExpression key);
    /// addr() for a script that has an address, else raw().
    static Descriptor of_script(chain::Bytes script_pubkey, const chain::NetworkParams& network);

    ScriptFunction function() const { return function_; }
    ScriptWrapping wrapping() const { return wrapping_; }
    /// In the order of the text; none for addr() and raw().
    std::span<const KeyExpression> keys() const { return keys_; }
    /// How many keys must sign: the threshold of multi() and sortedmulti(), 0 for addr() and raw(),
    /// else 1.
    std::size_t threshold() const { return threshold_; }
    /// The scriptPubKey of addr() and raw(); empty for other functions.
    const chain::Bytes& script() const { return script_; }

    /// Whether each index has scripts of its own (the path of a key ends in a wildcard).
    bool is_range() const;
    bool has_private_keys() const;
    /// Whether scripts can be derived: no hardened step below an extended public key.
    bool is_derivable() const;
    /// 1, or the number of alternatives in multipath specifiers.
    std::size_t path_count() const;
    /// The descriptors that a multipath descriptor combines, in their order; for others, only this
    /// one.
    std::vector<Descriptor> single_paths() const;
    /// The descriptor of the same scripts without private keys: hardened steps below a private key
    /// move into its origin (Bitcoin Core: listdescriptors). Empty if there is none: for hardened
    /// wildcards, and for a multipath specifier with hardened numbers or before a hardened step
    /// (see single_paths()).
    std::optional<Descriptor> watch_only() const;

    /// Without private keys, with h for hardened steps, and with a checksum (Bitcoin Core:
    /// getdescriptorinfo, which keeps apostrophes).
    std::string to_string(const chain::NetworkParams& network) const;
    /// With its private keys, if it has any, and a checksum.
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

/// A descriptor without its keys, as wsh(sortedmulti(2 of 3)), sh(wpkh) or addr.
std::string form_of(const Descriptor& descriptor);

/// The public data of an account.
struct PublicAccount {
    ScriptKind kind = ScriptKind::wpkh;
    Fingerprint master_fingerprint{};
    ExtendedPublicKey key;  ///< of depth 3; its child number is that of the account
};

/// One chain of the account, as wpkh([73c5da0a/84h/1h/0h]tpub…/0/*), or with pkh(…), sh(wpkh(…)) or
/// tr(…).
Descriptor descriptor_of(const PublicAccount& account, KeyChain chain,
                         const chain::NetworkParams& network);

}  // namespace petal::wallet
