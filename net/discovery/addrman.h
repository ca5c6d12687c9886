/// The address manager: known nodes, and which to dial next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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
    /// Keys the buckets: an attacker that does not know it can't choose which addresses get
    /// evicted.
    std::array<chain::Byte, 32> key{};
    std::uint64_t random_seed = 0;
    /// Accepts loopback and private addresses from gossip, as regtest needs.
    bool accept_private = false;
    /// The network's port; 0 if it has none. A node gossiped at this port can evict other ports of
    /// its host that have never answered.
    std::uint16_t default_port = 0;
    /// Whether nodes that serve no filters are avoided.
    bool needs_filters = true;
};

/// The kinds of addresses that can be dialled: onion services only through a proxy.
struct Reach {
    bool clearnet = true;
    bool onion = false;

    bool allows(AddressKind kind) const { return kind == AddressKind::onion ? onion : clearnet; }
};

/// A bounded set of nodes (AddrTable) with the outcomes of dialling them. Chooses the nodes to dial
/// next and the nodes to evict. Pure: the time is a parameter. Not thread-safe.
class AddrMan {
public:
    static constexpr std::size_t kMaxByUser = 100;
    /// Bitcoin Core: ADDRMAN_SET_TRIED_COLLISION_SIZE.
    static constexpr std::size_t kMaxCollisions = 10;
    /// Bitcoin Core: MAX_BLOCK_RELAY_ONLY_ANCHORS.
    static constexpr std::size_t kMaxAnchors = 2;

    explicit AddrMan(AddrManOptions options);

    /// Adds a node from a peer's gossip or a seed's answer; returns whether it is new. A node is
    /// not added if it is not public, is banned, uses another service's port, or finds no free
    /// slot.
    /// source   network_group() of the peer that gossiped it, or the seed's name
    bool add(const PeerAddress& address, std::uint64_t services, std::int64_t last_seen,
             const chain::Bytes& source, std::int64_t now);
    /// Like add(), but at any port, and the node stays until ban(); false if kMaxByUser nodes were
    /// added this way before.
    bool add_by_user(const PeerAddress& address, std::int64_t now);

    /// Adds a stored record; false if its slot is taken or the record is invalid.
    bool restore(KnownPeer peer);

    /// Up to `count` nodes to dial now, each of another network group, and none of a group in
    /// `taken`: nodes that the user added, then the anchors, then nodes that have answered before.
    /// A quarter of the slots, rounded down, but at least one of two or more, is kept for new nodes
    /// if there are any. Nodes that state kNodeOtherHeaders come last. All are drawn by
    /// draw_peers(). Not chosen: a node that is banned or in its
    /// pause (is_left_alone()), and one that was dialled within the last minute and has not
    /// answered since. The latter is not stored: the user may have fixed the cause before the next
    /// run.
    /// with_anchors   whether anchors that were not dialled yet have precedence
    /// may_use        returns false for a node that must not be chosen; empty: any node may be
    std::vector<PeerAddress> choose(std::size_t count, const std::set<chain::Bytes>& taken,
                                    Reach reach, std::int64_t now, bool with_anchors = false,
                                    const std::function<bool(const PeerAddress&)>& may_use = {});

    /// A new node, not one of `in_use`, for a feeler to test; none that states kNodeOtherHeaders.
    std::optional<PeerAddress> choose_newcomer(const std::set<PeerAddress>& in_use, Reach reach,
                                               std::int64_t now);
    /// A tried node whose slot another node would take, for a feeler to test. If it answers, it
    /// stays. If it fails, or is not tested within 40 minutes, it becomes new again (Bitcoin Core:
    /// AddrManImpl::ResolveCollisions_, SelectTriedCollision_).
    std::optional<PeerAddress> choose_contested(Reach reach, std::int64_t now);

    /// Draws up to kMaxAnchors of the nodes that serve now, of different network groups, to be
    /// dialled first at the next start. At random, not by how long they have served: an attacker's
    /// nodes would never leave. None that states kNodeOtherHeaders. If none serves, the anchors
    /// stay as they are.
    void draw_anchors(const std::set<PeerAddress>& serving);
    /// Adds a stored anchor; false if the node is not known, or there are kMaxAnchors.
    bool restore_anchor(const PeerAddress& address);
    /// The anchors. A node that fails is no longer an anchor.
    const std::set<PeerAddress>& anchors() const { return anchors_; }

    /// Some node has answered over a connection that was made at `since`: between
    /// then and now this machine was not offline.
    void on_contact(std::int64_t since, std::int64_t now);
    void on_attempt(const PeerAddress& address, std::int64_t now);
    /// The services that the node claims in its version message.
    void on_version(const PeerAddress& address, std::uint64_t services, std::int64_t now);
    /// The outcome of a dial or connection. Silence (also an unreachable node) counts only if this
    /// machine is known to have been online: it had contact just before, or within a minute over a
    /// connection that was open at that time.
    void on_outcome(const PeerAddress& address, PeerOutcome outcome, std::int64_t now);

    /// Drops a node that turned out to be ourselves.
    void forget(const PeerAddress& address);

    /// The banned hosts.
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
    bool may_dial(const KnownPeer& peer, Reach reach, std::int64_t now) const;

    bool accept_private_;
    bool needs_filters_;
    SplitMix64 random_;
    AddrTable table_;
    BanList bans_;
    std::set<PeerAddress> attempted_;
    std::set<PeerAddress> collisions_;  // candidates for an occupied tried slot
    std::set<PeerAddress> anchors_;
    std::map<PeerAddress, Silence> silences_;  // failures that may be this machine's fault
    std::int64_t last_contact_ = 0;
};

}  // namespace petal::net
