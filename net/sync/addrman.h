/// What is known of nodes, and whom to try next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "net/sync/commands.h"
#include "net/sync/random.h"
#include "net/wire/peer_address.h"

namespace petal::net {

/// How it went with a node, the last time.
enum class PeerOutcome : std::uint8_t {
    served,         ///< brought a sync forward
    unreachable,    ///< no connection, while others could be reached
    no_bloom,       ///< does not serve filters or old blocks, or is too old
    wrong_network,  ///< or no Bitcoin node at all
    too_slow,
    bad_data,
    refused,   ///< ended the connection for reasons of its own, such as an upload target
    low_work,  ///< its chain has less work than required
};

/// A stable kebab-case word.
std::string_view code_of(PeerOutcome outcome);
/// The outcome with that word; nothing for any other text.
std::optional<PeerOutcome> parse_peer_outcome(std::string_view code);

/// What a connection was good for, all things considered.
enum class PeerService : std::uint8_t {
    none,
    answered,  ///< it showed that there is nothing more to fetch, or told what others had told
    advanced,  ///< it brought the sync further
};

/// What the end of a connection says about the node. Nothing where it says nothing: the sync was
/// done, or the node is ourselves. All misbehaviour is bad data. Who hangs up without having
/// brought the sync further is not to be dialled again and again, whatever it answers.
std::optional<PeerOutcome> outcome_of(DisconnectReason reason, PeerService service);

/// Whether the reason proves that the node sent what no honest one sends: alone that earns a ban.
bool is_proof_of_bad_data(DisconnectReason reason);

/// One node. Times are Unix seconds.
struct KnownPeer {
    PeerAddress address;
    chain::Bytes source;         ///< the network group of whoever told of it, or a name
    std::uint64_t services = 0;  ///< hearsay, until it has said so itself
    std::int64_t last_seen = 0;  ///< as gossip says, or when it was last connected
    std::int64_t last_attempt = 0;
    std::int64_t last_success = 0;  ///< 0: never
    std::uint32_t failures = 0;     ///< since the last success
    std::optional<PeerOutcome> last_outcome;
    std::int64_t not_before = 0;  ///< left alone until then
    bool tried = false;           ///< it has served us
    bool by_user = false;         ///< never pushed out by others

    friend bool operator==(const KnownPeer&, const KnownPeer&) = default;
};

/// Whether it is not to be dialled yet. What is further ahead than any pause lasts, a clock has
/// said that was wrong.
bool is_left_alone(const KnownPeer& peer, std::int64_t now);

struct PeerBan {
    std::int64_t until = 0;  ///< Unix seconds
    bool by_user = false;
    friend bool operator==(const PeerBan&, const PeerBan&) = default;
};

struct AddrManOptions {
    /// Keys the buckets: who doesn't know it can't choose what his addresses push out.
    std::array<chain::Byte, 32> key{};
    std::uint64_t random_seed = 0;
    /// Takes loopback and private addresses from strangers, as regtest needs.
    bool accept_private = false;
};

/// Which addresses can be dialled: clearnet ones without or through a proxy, onion services through
/// one alone.
struct Reach {
    bool clearnet = true;
    bool onion = false;

    bool allows(AddressKind kind) const { return kind == AddressKind::onion ? onion : clearnet; }
};

/// A bounded set of nodes in buckets, in the spirit of Bitcoin Core's addrman: those that were only
/// heard of, and those that have served. One source's addresses can only be in a few buckets of the
/// former, one network group's only in a few of the latter, so that neither can fill the address
/// manager. Pure: the time is a parameter. Not thread-safe.
class AddrMan {
public:
    static constexpr std::size_t kNewBuckets = 256;
    static constexpr std::size_t kNewBucketsPerSource = 16;
    static constexpr std::size_t kTriedBuckets = 64;
    static constexpr std::size_t kTriedBucketsPerGroup = 4;
    static constexpr std::size_t kBucketSize = 16;
    static constexpr std::size_t kMaxBans = 1'000;
    static constexpr std::size_t kMaxByUser = 100;

    explicit AddrMan(AddrManOptions options);

    /// Takes note of a node that somebody told of; returns whether it is new here. Not taken: what
    /// is not public, banned, at a port where something else than Bitcoin is, or has no room.
    /// source   who told: network_group() of a peer, or a seed's name
    bool add(const PeerAddress& address, std::uint64_t services, std::int64_t last_seen,
             const chain::Bytes& source, std::int64_t now);
    /// As add(), at any port, and stays until ban(); false where there are kMaxByUser others of
    /// those already.
    bool add_by_user(const PeerAddress& address, std::int64_t now);

    /// Takes a record as it was stored; false where its place is taken or it makes no sense.
    bool restore(KnownPeer peer);
    void restore_ban(const PeerAddress& host, PeerBan ban);

    /// Up to `count` nodes to dial now, each of another network group, and of none in `taken`:
    /// first those that have served before, but newcomers for a quarter of the places, one at least
    /// where there are two. Who is banned or left alone is not among them, nor who was dialled
    /// within the last minute and has not served since, as far as on_attempt() told this very
    /// address manager: whoever starts petal again has mended something.
    std::vector<PeerAddress> choose(std::size_t count, const std::set<chain::Bytes>& taken,
                                    Reach reach, std::int64_t now);

    /// Somebody, whoever it is, has answered over a connection that was made at `since`: between
    /// then and now this machine was not offline.
    void on_contact(std::int64_t since, std::int64_t now);
    void on_attempt(const PeerAddress& address, std::int64_t now);
    /// What the node says of itself in its version message.
    void on_version(const PeerAddress& address, std::uint64_t services, std::int64_t now);
    /// How it went. Silence, be it that the node can't be reached, counts only where this machine
    /// is known not to have been offline: there was contact just before, or there is within a
    /// minute over a connection that stood by then.
    void on_outcome(const PeerAddress& address, PeerOutcome outcome, std::int64_t now);

    /// Drops a node that is no use to anybody here: it is ourselves.
    void forget(const PeerAddress& address) { remove(address); }

    /// Leaves all ports of the host alone until then.
    void ban(const PeerAddress& host, PeerBan ban);
    /// Whether there was a ban.
    bool unban(const PeerAddress& host);
    bool is_banned(const PeerAddress& address, std::int64_t now) const;

    std::size_t size() const { return peers_.size(); }
    std::optional<KnownPeer> find(const PeerAddress& address) const;
    /// In the order of their addresses.
    std::vector<KnownPeer> peers() const;
    /// By host; the ports in them are 0.
    const std::map<PeerAddress, PeerBan>& bans() const { return bans_; }

private:
    using Slot = std::size_t;

    Slot new_slot(const PeerAddress& address, const chain::Bytes& source) const;
    Slot tried_slot(const PeerAddress& address) const;
    std::uint64_t keyed_hash(std::initializer_list<chain::ByteView> parts) const;
    bool place(KnownPeer peer, std::int64_t now);
    void remove(const PeerAddress& address);
    void promote(const PeerAddress& address, std::int64_t now);
    void set_back(KnownPeer& peer, PeerOutcome outcome, std::int64_t now) const;
    bool may_dial(const KnownPeer& peer, Reach reach, std::int64_t now) const;
    std::vector<const KnownPeer*> candidates(bool tried, Reach reach, std::int64_t now);

    AddrManOptions options_;
    SplitMix64 random_;
    std::map<PeerAddress, KnownPeer> peers_;
    std::map<Slot, PeerAddress> new_slots_;
    std::map<Slot, PeerAddress> tried_slots_;
    std::map<PeerAddress, PeerBan> bans_;
    std::set<PeerAddress> attempted_;
    struct Silence {
        PeerOutcome outcome;
        std::int64_t time;
    };
    std::map<PeerAddress, Silence> silences_;  // of which it is not known whose fault they were
    std::int64_t last_contact_ = 0;
};

}  // namespace petal::net
