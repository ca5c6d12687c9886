/// The scripts of a wallet: derived, used and handed out.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chain/bytes.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"

namespace petal::wallet {

/// The number of unused addresses that are watched.
struct LookAhead {
    std::uint32_t gap_limit =
        20;  ///< consecutive unused addresses that another wallet may have skipped (BIP44)
    std::uint32_t watched = 1'000;  ///< initial watched addresses per descriptor, and the step by
                                    ///< which the range grows, at least gap_limit

    friend bool operator==(const LookAhead&, const LookAhead&) = default;
};

/// The scripts of one descriptor.
struct ScriptSource {
    /// Returns the script at an index below kHardened. Without `ranged`, the only index is 0.
    /// Called with ascending indexes, or with an earlier index.
    std::function<chain::Bytes(std::uint32_t index)> script;
    bool ranged = true;
    LookAhead look_ahead;  ///< ignored unless `ranged`
};

/// The scripts of a chain of an account (BIP44, BIP49, BIP84, BIP86).
ScriptSource account_chain(ScriptKind kind, const ExtendedPublicKey& account, KeyChain chain,
                           LookAhead look_ahead);

/// The last eight bytes of a script, which are mostly a part of a hash or a key. 0 for a shorter
/// script, which is never watched.
std::uint64_t script_tail(chain::ByteView script);

/// Derives, finds and counts the scripts of a wallet's descriptors. For each ranged descriptor, the
/// watched range is from index 0 to at least gap_limit beyond the last used or handed-out index.
/// The range grows in steps of LookAhead::watched or an eighth of its size, whichever is more, but
/// at most 4,000, so that the range seldom changes.
///
/// Contains no secrets. Not thread-safe.
class KeyRing {
public:
    /// Derives no scripts. restore_scripts() or extend() must be called next.
    explicit KeyRing(std::vector<ScriptSource> sources);
    KeyRing(KeyRing&&) noexcept = default;
    KeyRing& operator=(KeyRing&&) noexcept = default;

    /// Appends a descriptor. Derives no scripts. extend() must be called next.
    void add(ScriptSource source);
    /// The number of descriptors.
    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
    bool is_ranged(DescriptorNumber number) const { return at(number).source.ranged; }
    const LookAhead& look_ahead(DescriptorNumber number) const {
        return at(number).source.look_ahead;
    }

    /// Adds stored scripts, in order of their index, to a descriptor without scripts.
    void restore_scripts(DescriptorNumber number, std::vector<chain::Bytes> scripts);

    /// Derives the missing scripts of the watched ranges. Returns whether any was missing.
    bool extend();

    /// Marks a script as paid in all descriptors that have it, and extends the watched ranges.
    /// Returns whether a range grew. `path` must be within the watched range.
    bool mark_used(KeyPath path);

    /// Marks an address as handed out in all descriptors that have it, and extends the watched
    /// ranges. Returns whether a range grew. `path` must be within the watched range.
    bool mark_handed_out(KeyPath path);

    /// The path of a scriptPubKey, the lowest if several descriptors have it. Empty if the script
    /// is not watched.
    std::optional<KeyPath> find(chain::ByteView script_pubkey) const;
    /// All paths of a scriptPubKey, the path of find() first. Empty if the script is not watched.
    std::vector<KeyPath> paths_of(chain::ByteView script_pubkey) const;
    /// Whether the user also watches this script's address as a descriptor of its own, so that a
    /// payer may know the address. `path` must be within the watched range.
    bool is_also_watched_alone(KeyPath path) const;

    /// The size of the descriptor's watched range, which starts at index 0.
    std::uint32_t watched(DescriptorNumber number) const;
    /// The script at `path`, which must be within the watched range.
    const chain::Bytes& script_at(KeyPath path) const;
    /// Whether the script at `path` is what the descriptor derives. A restored script may be
    /// damaged.
    bool is_genuine(KeyPath path) const;
    /// The highest used index + 1, or 0.
    std::uint32_t used_end(DescriptorNumber number) const;
    /// The highest used or handed-out index + 1, or 0.
    std::uint32_t issued_end(DescriptorNumber number) const;

private:
    struct Entry {
        ScriptSource source;
        std::vector<chain::Bytes> scripts;
        std::uint32_t used_end = 0;
        std::uint32_t issued_end = 0;
    };

    /// Hashes a script by its script_tail(). Only the wallet's own scripts are in the table, so an
    /// attacker cannot cause collisions.
    struct TailHash {
        std::size_t operator()(std::string_view script) const;
    };

    bool extend(DescriptorNumber number);
    bool extend_once(DescriptorNumber number);
    bool set_used(KeyPath path);
    bool set_issued(KeyPath path);
    void add_script(DescriptorNumber number, chain::Bytes script);
    Entry& at(DescriptorNumber number) { return entries_[number.value]; }
    const Entry& at(DescriptorNumber number) const { return entries_[number.value]; }

    std::vector<Entry> entries_;
    boost::unordered_flat_map<std::string_view, KeyPath, TailHash>
        paths_by_script_;  ///< views into entries_, the lowest path of each script
    std::unordered_multimap<std::string_view, KeyPath, TailHash>
        other_paths_;  ///< further paths of scripts that several descriptors have
};

}  // namespace petal::wallet
