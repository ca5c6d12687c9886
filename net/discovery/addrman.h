/// The address manager: known nodes, and which nodes to dial next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/discovery/addr_table.h"
#include "net/discovery/ban_list.h"
#include "net/discovery/known_peer.h"
#include "net/peer/random.h"
#include "net/wire/peer_address.h"

namespace petal::net {

struct AddrManOptions {
    /// The key of the buckets. An attacker who does not know the key cannot choose which addresses
    /// are evicted.
    std::array<chain::Byte, 32> key{};
    std::uint64_t random_seed = 0;
    /// Accept loopback and private addresses from gossip, for regtest.
    bool accept_private = false;
    /// The network's default port, or 0. A node gossiped with this port can evict other ports of
    /// its host that never answered.
    std::uint16_t default_port = 0;
    /// The services that a node must have to be of use. Nodes that are said to have them are drawn
    /// first, and nodes that lack them are avoided (lacks_services()).
    std::uint64_t services = kNodeNetwork | kNodeBloom;
};

/// The networks that can be dialled. Onion services need a proxy.
struct Reach {
    bool clearnet = true;
    bool onion = false;

    bool allows(AddressKind kind) const { return kind == AddressKind::onion ? onion : clearnet; }
};

/// A bounded set of nodes (AddrTable) with their dial outcomes. Chooses the nodes to dial and to
/// evict. Pure: the time is a parameter. Not thread-safe.
class AddrMan {
public:
    static constexpr std::size_t kMaxByUser = 100;
    /// The maximum number of nodes accepted from one answer of a seed (Bitcoin Core: 32).
    static constexpr std::size_t kMostOfSeed = 256;
    /// Bitcoin Core: ADDRMAN_SET_TRIED_COLLISION_SIZE.
    static constexpr std::size_t kMaxCollisions = 10;
    /// Bitcoin Core: MAX_BLOCK_RELAY_ONLY_ANCHORS.
    static constexpr std::size_t kMaxAnchors = 2;

    explicit AddrMan(AddrManOptions options);

    /// Adds a node from gossip or from a DNS seed. Returns whether the node is new. A node is not
    /// added if
    ///
    /// - it is not public,
    /// - it is banned,
    /// - it uses the port of another service (Bitcoin Core: doc/p2p-bad-ports.md), or
    /// - there is no free slot.
    ///
    /// source   network_group() of the peer that gossiped the node, or the name of the seed
    bool add(const PeerAddress& address, std::uint64_t services, std::int64_t last_seen,
             const chain::Bytes& source, std::int64_t now);
    /// Adds the nodes that a DNS seed listed, with the services that its name requests.
    void add_listed(const std::string& seed, const std::vector<PeerAddress>& nodes,
                    std::int64_t now);
    /// Like add(), but accepts any port, and the node stays until ban(). Returns false if
    /// kMaxByUser nodes were added before.
    bool add_by_user(const PeerAddress& address, std::int64_t now);

    /// Adds a stored record. Returns false if the slot is taken or the record is invalid.
    bool restore(KnownPeer peer);

    /// Chooses up to `count` nodes to dial now, each from another network group, and none from a
    /// group in `taken`. draw_peers() draws within each kind of nodes, in this order:
    ///
    /// 1. nodes that the user added
    /// 2. the anchors
    /// 3. tried nodes that are said to have the services needed
    /// 4. new nodes that are said to have them
    /// 5. other tried nodes
    /// 6. other new nodes
    /// 7. nodes that signal kNodeOtherHeaders
    ///
    /// If there are new nodes of the fourth kind, they get a quarter of the slots, rounded down
    /// (with two slots or more, at least one). Not chosen are nodes that are banned, paused
    /// (is_left_alone()) or known to be of no use (lacks_services()), and nodes that were dialled
    /// within the last minute without an answer. That minute is not stored, because the user may
    /// fix the cause before the next run.
    ///
    /// with_anchors   whether anchors that were not dialled yet have precedence
    /// may_use        returns false for a node that must not be chosen. Empty: all nodes may be
    /// services       that a node must have to be of use. Empty: AddrManOptions::services
    std::vector<PeerAddress> choose(std::size_t count, const std::set<chain::Bytes>& taken,
                                    Reach reach, std::int64_t now, bool with_anchors = false,
                                    const std::function<bool(const PeerAddress&)>& may_use = {},
                                    std::optional<std::uint64_t> services = {});

    /// A new node for a feeler to test. Excludes nodes in `in_use`, and nodes that signal
    /// kNodeOtherHeaders.
    std::optional<PeerAddress> choose_newcomer(const std::set<PeerAddress>& in_use, Reach reach,
                                               std::int64_t now);
    /// A tried node for a feeler to test, because another node wants its slot. The tried node keeps
    /// its slot if it answers. If it fails, or is not tested within 40 minutes, it moves back to
    /// the new nodes (Bitcoin Core: AddrManImpl::ResolveCollisions_, SelectTriedCollision_).
    std::optional<PeerAddress> choose_contested(Reach reach, std::int64_t now);

    /// All nodes that may be dialled, whatever their services, in random order, and one of each
    /// host. A node of which only a seed's list by services is known is left out, unless it is in
    /// `listed`: such nodes are no fair sample.
    std::vector<PeerAddress> draw_for_census(Reach reach, std::int64_t now,
                                             const std::set<PeerAddress>& listed);

    /// Draws up to kMaxAnchors nodes from `serving`, of different network groups and without
    /// kNodeOtherHeaders, to be dialled first at the next start. The draw is random: if the longest
    /// connection won, an attacker's nodes would stay anchors forever. If no node is drawn, the
    /// anchors do not change.
    void draw_anchors(const std::set<PeerAddress>& serving);
    /// Adds a stored anchor. Returns false if the node is unknown, or if there are kMaxAnchors
    /// already.
    bool restore_anchor(const PeerAddress& address);
    /// The anchors. A node that fails is removed.
    const std::set<PeerAddress>& anchors() const { return anchors_; }

    /// A node answered over a connection that was opened at `since`, so this machine was online
    /// from `since` to `now`.
    void on_contact(std::int64_t since, std::int64_t now);
    void on_attempt(const PeerAddress& address, std::int64_t now);
    /// The services in the node's version message.
    void on_version(const PeerAddress& address, std::uint64_t services, std::int64_t now);
    /// A node answered a feeler, and stated these services.
    void on_feeler_answered(const PeerAddress& address, std::uint64_t services, std::int64_t now);
    /// The outcome of a dial or a connection. A node's failure to answer counts only if this
    /// machine was online at that time. This is known if
    ///
    /// - some node was in contact just before, or
    /// - within a minute, data arrives over a connection that was open at that time (on_contact()).
    void on_outcome(const PeerAddress& address, PeerOutcome outcome, std::int64_t now);

    /// Removes a node that turned out to be ourselves.
    void forget(const PeerAddress& address);

    BanList& bans() { return bans_; }
    const BanList& bans() const { return bans_; }

    /// From now on, a node must have these services to be of use (AddrManOptions::services). Nodes
    /// that lacked the earlier ones may be dialled again at once.
    void set_services(std::uint64_t services);

    std::size_t size() const { return table_.peers().size(); }
    std::optional<KnownPeer> find(const PeerAddress& address) const;
    /// Ordered by address.
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
    bool may_greet(const KnownPeer& peer, Reach reach, std::int64_t now) const;
    bool may_dial(const KnownPeer& peer, Reach reach, std::int64_t now) const;

    bool accept_private_;
    std::uint64_t services_;
    SplitMix64 random_;
    AddrTable table_;
    BanList bans_;
    std::set<PeerAddress> attempted_;
    std::set<PeerAddress> collisions_;  // new nodes whose tried slot is occupied
    std::set<PeerAddress> anchors_;
    std::map<PeerAddress, Silence> silences_;  // failures that this machine may have caused
    std::int64_t last_contact_ = 0;
};

}  // namespace petal::net
