/// What is known of nodes, and which to try next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "net/discovery/addr_table.h"
#include "net/discovery/ban_list.h"
#include "net/discovery/known_peer.h"
#include "net/peer/random.h"
#include "net/wire/peer_address.h"

namespace petal::net {

struct AddrManOptions {
    /// Keys the buckets: without it an attacker can't choose which addresses get evicted.
    std::array<chain::Byte, 32> key{};
    std::uint64_t random_seed = 0;
    /// Takes loopback and private addresses from strangers, as regtest needs.
    bool accept_private = false;
    /// Of the network; 0 where it has none. A node that is told of at this port finds room beside
    /// others of its host that have never answered.
    std::uint16_t default_port = 0;
};

/// Which addresses can be dialled: clearnet ones without or through a proxy, onion services through
/// one alone.
struct Reach {
    bool clearnet = true;
    bool onion = false;

    bool allows(AddressKind kind) const { return kind == AddressKind::onion ? onion : clearnet; }
};

/// A bounded set of nodes, and what came of dialling them: which to dial next, which to leave
/// alone, which keeps its place when another one wants it (AddrTable). Pure: the time is a
/// parameter. Not thread-safe.
class AddrMan {
public:
    static constexpr std::size_t kMaxByUser = 100;
    /// Bitcoin Core: ADDRMAN_SET_TRIED_COLLISION_SIZE.
    static constexpr std::size_t kMaxCollisions = 10;
    /// Bitcoin Core: MAX_BLOCK_RELAY_ONLY_ANCHORS.
    static constexpr std::size_t kMaxAnchors = 2;

    explicit AddrMan(AddrManOptions options);

    /// Takes note of a node that a peer or a seed told of; returns whether it is new here. Not
    /// taken: what is not public, banned, at a port where something else than Bitcoin is, or has no
    /// room. source   where that came from: network_group() of a peer, or a seed's name
    bool add(const PeerAddress& address, std::uint64_t services, std::int64_t last_seen,
             const chain::Bytes& source, std::int64_t now);
    /// As add(), at any port, and stays until ban(); false where there are kMaxByUser others of
    /// those already.
    bool add_by_user(const PeerAddress& address, std::int64_t now);

    /// Takes a record as it was stored; false where its place is taken or it makes no sense.
    bool restore(KnownPeer peer);

    /// Up to `count` nodes to dial now, each of another network group, and of none in `taken`:
    /// those that the user added, then the anchors, then those that have answered before, but for a
    /// quarter of the places (one at least where there are two) newcomers; all as draw_peers()
    /// draws them. A node that is banned or left alone is not among them, nor one that was dialled
    /// within the last minute and has not answered since, as far as on_attempt() told this very
    /// address manager: a user who starts petal again has mended something.
    /// with_anchors   whether anchors that were not dialled yet have precedence
    std::vector<PeerAddress> choose(std::size_t count, const std::set<chain::Bytes>& taken,
                                    Reach reach, std::int64_t now, bool with_anchors = false);

    /// A node that was only heard of, for a feeler to test; none of `in_use`.
    std::optional<PeerAddress> choose_newcomer(const std::set<PeerAddress>& in_use, Reach reach,
                                               std::int64_t now);
    /// A node whose place another one wants, for a feeler to test before it is evicted: where it
    /// answers, it stays; where it fails, or is not tested within 40 minutes, it goes back to those
    /// that were heard of (Bitcoin Core: AddrManImpl::ResolveCollisions_, SelectTriedCollision_).
    std::optional<PeerAddress> choose_contested(Reach reach, std::int64_t now);

    /// Draws up to kMaxAnchors of those that serve now, of different network groups: they are to be
    /// dialled first at the next start. By lot, not by how long they have served: an attacker's
    /// nodes would never leave. Where none serves, the anchors stay as they are.
    void draw_anchors(const std::set<PeerAddress>& serving);
    /// Takes an anchor as it was stored; false where the node is not known, or there are enough.
    bool restore_anchor(const PeerAddress& address);
    /// A node that fails is none any more.
    const std::set<PeerAddress>& anchors() const { return anchors_; }

    /// Some node has answered over a connection that was made at `since`: between
    /// then and now this machine was not offline.
    void on_contact(std::int64_t since, std::int64_t now);
    void on_attempt(const PeerAddress& address, std::int64_t now);
    /// What the node says of itself in its version message.
    void on_version(const PeerAddress& address, std::uint64_t services, std::int64_t now);
    /// How it went. Silence, be it that the node can't be reached, counts only where this machine
    /// is known not to have been offline: there was contact just before, or there is within a
    /// minute over a connection that stood by then.
    void on_outcome(const PeerAddress& address, PeerOutcome outcome, std::int64_t now);

    /// Drops a node that is of no use here: it is ourselves.
    void forget(const PeerAddress& address);

    /// Hosts that are left alone.
    BanList& bans() { return bans_; }
    const BanList& bans() const { return bans_; }

    std::size_t size() const { return table_.peers().size(); }
    std::optional<KnownPeer> find(const PeerAddress& address) const;
    /// In the order of their addresses.
    std::vector<KnownPeer> peers() const;

private:
    struct Silence {
        PeerOutcome outcome;
        std::int64_t time;
    };

    bool place(KnownPeer peer, std::int64_t now);
    void forget_events_of(const PeerAddress& address);
    void promote(const PeerAddress& address, std::int64_t now);
    void resolve_collisions(std::int64_t now);
    void resolve_collision(const PeerAddress& newcomer, std::int64_t now);
    void set_back(KnownPeer& peer, PeerOutcome outcome, std::int64_t now);
    bool may_dial(const KnownPeer& peer, Reach reach, std::int64_t now) const;

    bool accept_private_;
    SplitMix64 random_;
    AddrTable table_;
    BanList bans_;
    std::set<PeerAddress> attempted_;
    std::set<PeerAddress> collisions_;  // those that want a tried place that another one has
    std::set<PeerAddress> anchors_;
    std::map<PeerAddress, Silence> silences_;  // of which it is not known whose fault they were
    std::int64_t last_contact_ = 0;
};

}  // namespace petal::net
