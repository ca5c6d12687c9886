/// The scripts of one wallet: derived, used and handed-out ones.
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

/// The number of addresses that are watched ahead of the used ones.
struct LookAhead {
    std::uint32_t gap_limit =
        20;  ///< unused addresses in a row that another wallet may have skipped (BIP44)
    std::uint32_t watched = 1'000;  ///< addresses per descriptor that are watched from the start,
                                    ///< and by which the watched range grows; at least gap_limit

    friend bool operator==(const LookAhead&, const LookAhead&) = default;
};

/// The scripts of one descriptor.
struct ScriptSource {
    /// The script at an index below kHardened; without `ranged`, index 0 is the only one. Called
    /// with ascending indexes, or again with an earlier one.
    std::function<chain::Bytes(std::uint32_t index)> script;
    bool ranged = true;
    LookAhead look_ahead;  ///< nothing is derived ahead unless `ranged`
};

/// The scripts of one chain of an account, as BIP44, BIP49, BIP84 and BIP86 derive them.
ScriptSource account_chain(ScriptKind kind, const ExtendedPublicKey& account, KeyChain chain,
                           LookAhead look_ahead);

/// A script's last eight bytes, which are part of a hash or a key, or nearly so. 0 for a shorter
/// script; the wallet watches none.
std::uint64_t script_tail(chain::ByteView script);

/// Derives, finds and counts the scripts of a wallet's descriptors. For each ranged descriptor it
/// watches the scripts from index 0 to at least gap_limit beyond the last used or handed-out index.
/// This range grows in steps of LookAhead::watched, or of an eighth if that is more, but of
/// 4,000 at most, so that it seldom changes.
///
/// Holds no secrets. Not thread-safe.
class KeyRing {
public:
    /// Derives nothing yet: call restore_scripts() or extend() next.
    explicit KeyRing(std::vector<ScriptSource> sources);
    KeyRing(KeyRing&&) noexcept = default;
    KeyRing& operator=(KeyRing&&) noexcept = default;

    /// Adds a descriptor after the others. Derives nothing: call extend() next.
    void add(ScriptSource source);
    /// The number of descriptors; their numbers are below it.
    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
    bool is_ranged(DescriptorNumber number) const { return at(number).source.ranged; }

    /// Adds scripts that were derived in an earlier run, in order of their index, so that they need
    /// not be derived again. Only for a descriptor that has none yet.
    void restore_scripts(DescriptorNumber number, std::vector<chain::Bytes> scripts);

    /// Derives the missing scripts of the watched ranges. Returns whether any was missing.
    bool extend();

    /// Notes that a script was paid, in each descriptor that has it, and extends the watched ranges
    /// that have become too short. Returns whether any grew. `path` is within the range.
    bool mark_used(KeyPath path);

    /// Notes that an address was handed out, in each descriptor that has it, and extends the
    /// watched ranges beyond it. Returns whether any grew. `path` is within the range.
    bool mark_handed_out(KeyPath path);

    /// The path of the script that equals a scriptPubKey; empty for a script that is not watched.
    /// If several descriptors have it, the lowest path.
    std::optional<KeyPath> find(chain::ByteView script_pubkey) const;
    /// All paths of the script, that of find() first; none for a script that is not watched.
    std::vector<KeyPath> paths_of(chain::ByteView script_pubkey) const;
    /// Whether another descriptor has only this script: the user named its address, which a payer
    /// may know. `path` is within the range.
    bool is_also_watched_alone(KeyPath path) const;

    /// The number of derived scripts of the descriptor, all of which are watched, from index 0 on.
    std::uint32_t watched(DescriptorNumber number) const;
    /// A watched script; `path` is within the range.
    const chain::Bytes& script_at(KeyPath path) const;
    /// Whether the script is derived from its descriptor; a restored script may be damaged.
    bool is_genuine(KeyPath path) const;
    /// One more than the highest used index; 0 if none was.
    std::uint32_t used_end(DescriptorNumber number) const;
    /// One more than the highest index that was used or handed out; 0 if none was.
    std::uint32_t issued_end(DescriptorNumber number) const;

private:
    struct Entry {
        ScriptSource source;
        std::vector<chain::Bytes> scripts;
        std::uint32_t used_end = 0;
        std::uint32_t issued_end = 0;
    };

    /// Hashes a script by its script_tail(). Only the wallet's own scripts are in the table, so an
    /// attacker can't make them collide.
    struct TailHash {
        std::size_t operator()(std::string_view script) const;
    };

    bool extend(DescriptorNumber number);
    bool extend_once(DescriptorNumber number);
    bool note_used(KeyPath path);
    bool note_issued(KeyPath path);
    void add_script(DescriptorNumber number, chain::Bytes script);
    Entry& at(DescriptorNumber number) { return entries_[number.value]; }
    const Entry& at(DescriptorNumber number) const { return entries_[number.value]; }

    std::vector<Entry> entries_;
    boost::unordered_flat_map<std::string_view, KeyPath, TailHash>
        paths_by_script_;  ///< views into entries_; the lowest path of each
    std::unordered_multimap<std::string_view, KeyPath, TailHash>
        other_paths_;  ///< of scripts that several descriptors have
};

}  // namespace petal::wallet
