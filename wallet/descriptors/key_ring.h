/// The addresses of one wallet: derived, used and handed-out ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chain/bytes.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"

namespace petal::wallet {

/// How many addresses are watched ahead of the used ones.
struct LookAhead {
    std::uint32_t gap_limit =
        20;  ///< unused addresses in a row that another wallet may have skipped (BIP44)
    std::uint32_t watched = 1'000;  ///< addresses per chain that are watched from the start, and by
                                    ///< which the watched range grows; at least gap_limit
};

/// Derives, finds and counts the wallet's scripts. Watches, per chain, a range from index 0 that
/// always reaches at least gap_limit beyond the last used or handed-out index, and grows by whole
/// steps of LookAhead::watched, so that it seldom changes.
///
/// Holds no secrets. Not thread-safe.
class KeyRing {
public:
    /// account   the account's extended public key (depth 3)
    /// Derives nothing yet: restore_scripts() or extend() comes next.
    KeyRing(ScriptKind kind, const ExtendedPublicKey& account, LookAhead look_ahead);
    KeyRing(KeyRing&&) noexcept = default;
    KeyRing& operator=(KeyRing&&) noexcept = default;

    ScriptKind kind() const { return kind_; }
    const ExtendedPublicKey& account() const { return account_; }
    const LookAhead& look_ahead() const { return look_ahead_; }

    /// Scripts that were derived in an earlier run, in order of their index, instead of deriving
    /// them again. Only for an empty chain.
    void restore_scripts(KeyChain chain, std::vector<chain::Bytes> scripts);

    /// Derives the missing scripts of the watched range. Returns whether any was missing.
    bool extend();

    /// Notes that a script was paid, and extends the watched range if it has become too short.
    /// Returns whether it grew. `path` is within the range.
    bool mark_used(KeyPath path);

    /// Notes that an address was handed out, and extends the watched range beyond it. Returns
    /// whether it grew. `path` is within the range.
    bool mark_handed_out(KeyPath path);

    /// The path of the wallet's key that a scriptPubKey pays; empty for a script that is not
    /// watched.
    std::optional<KeyPath> find(chain::ByteView script_pubkey) const;

    /// The number of derived scripts of the chain, all of which are watched: indexes 0 to this less
    /// one.
    std::uint32_t watched(KeyChain chain) const;
    /// A watched script; `path` is within the range.
    const chain::Bytes& script_at(KeyPath path) const;
    /// Whether the script is derived from its key; a restored script may be damaged.
    bool is_genuine(KeyPath path) const;
    /// One more than the highest used index; 0 if none was.
    std::uint32_t used_end(KeyChain chain) const;
    /// One more than the highest index that was used or handed out; 0 if none was.
    std::uint32_t issued_end(KeyChain chain) const;

private:
    struct Chain {
        std::vector<chain::Bytes> scripts;
        std::uint32_t used_end = 0;
        std::uint32_t issued_end = 0;
        std::optional<PublicChildren> children;  ///< made on first need
    };

    /// A script's last eight bytes, which are a hash already or nearly so. Only the wallet's own
    /// scripts are in the table, so an attacker can't make them collide.
    struct TailHash {
        std::size_t operator()(std::string_view script) const noexcept;
    };

    bool extend(KeyChain chain);
    bool note_issued(KeyPath path);
    void add_script(KeyChain chain, chain::Bytes script);
    Chain& at(KeyChain chain) { return chains_[static_cast<std::size_t>(chain)]; }
    const Chain& at(KeyChain chain) const { return chains_[static_cast<std::size_t>(chain)]; }

    ScriptKind kind_;
    ExtendedPublicKey account_;
    LookAhead look_ahead_;
    std::array<Chain, kKeyChains.size()> chains_;
    std::unordered_map<std::string_view, KeyPath, TailHash>
        paths_by_script_;  ///< views into chains_
};

}  // namespace petal::wallet
