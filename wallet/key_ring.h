/// The addresses of one wallet: which exist, which are watched, which were used.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "chain/bytes.h"
#include "wallet/extended_key.h"

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

/// How far beyond what was used the wallet looks.
struct LookAhead {
    std::uint32_t gap_limit = 20;  ///< unused addresses in a row that another wallet may have skipped (BIP44)
    std::uint32_t watched = 1'000;  ///< addresses per chain that are watched from the start, and by which
                                    ///< the watched range grows; at least gap_limit
};

/// Derives, finds and counts the wallet's scripts. Watches, per chain, a range from index 0 that always
/// reaches at least gap_limit beyond the last used or handed-out index, and grows by whole steps of
/// LookAhead::watched, so that it seldom changes.
///
/// Holds no secrets. Not thread-safe.
class KeyRing {
public:
    /// account   the account's extended public key (depth 3)
    KeyRing(ScriptKind kind, ExtendedPublicKey account, LookAhead look_ahead);

    ScriptKind kind() const { return kind_; }
    const ExtendedPublicKey& account() const { return account_; }
    const LookAhead& look_ahead() const { return look_ahead_; }

    /// Scripts that were derived in an earlier run, in order of their index, instead of deriving them
    /// again. Only for an empty chain.
    void restore_scripts(KeyChain chain, std::vector<chain::Bytes> scripts);

    /// Derives what the watched range needs and is not there. Returns whether there was anything.
    bool extend();

    /// Notes that a script was seen on the network, and extends the range where it has become too short.
    /// Returns whether it grew.
    bool mark_used(KeyPath path);

    /// Notes that an address was given away, which keeps the range ahead of it. Returns whether it grew.
    bool mark_handed_out(KeyPath path);

    /// Which of the wallet's keys a scriptPubKey pays; nothing for a script that isn't watched.
    std::optional<KeyPath> find(chain::ByteView script_pubkey) const;

    /// How many scripts of the chain are watched: indexes 0 to this less one.
    std::uint32_t watched(KeyChain chain) const;
    /// A watched script; `path` is within the range.
    const chain::Bytes& script_at(KeyPath path) const;
    /// One more than the highest used index; 0 where none was.
    std::uint32_t used_end(KeyChain chain) const;
    /// One more than the highest index that was used or handed out; 0 where none was.
    std::uint32_t issued_end(KeyChain chain) const;

private:
    struct Chain {
        std::vector<chain::Bytes> scripts;
        std::uint32_t used_end = 0;
        std::uint32_t issued_end = 0;
        std::optional<ExtendedPublicKey> parent;  ///< derived once, on first need
    };

    bool extend(KeyChain chain);
    Chain& at(KeyChain chain) { return chains_[static_cast<std::size_t>(chain)]; }
    const Chain& at(KeyChain chain) const { return chains_[static_cast<std::size_t>(chain)]; }

    ScriptKind kind_;
    ExtendedPublicKey account_;
    LookAhead look_ahead_;
    std::array<Chain, kKeyChains.size()> chains_;
    std::unordered_map<std::string, KeyPath> paths_by_script_;
};

}  // namespace petal::wallet
