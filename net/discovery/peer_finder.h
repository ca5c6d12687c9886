/// Finds peers if the user named none: chooses known nodes to dial, and DNS seeds to query.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/discovery/addrman.h"
#include "net/discovery/connectivity.h"
#include "net/discovery/feeler_schedule.h"
#include "net/discovery/host_owners.h"
#include "net/discovery/seed_rounds.h"
#include "net/wire/messages.h"

namespace petal::net {

struct FinderOptions {
    /// Best first.
    std::vector<std::string> seeds;
    Reach reach;
    /// The interval between feelers (Bitcoin Core: FEELER_INTERVAL).
    std::chrono::milliseconds feeler_interval{120'000};
};

/// Feeds an address manager with the results of dials, gossip and DNS seeds, and chooses nodes to
/// dial. DNS seeds are queried once the known nodes could not fill the free slots, or if none of
/// them serves within kAlone. Several watchers with filters of their own use separate peers
/// (HostOwners). Pure: the time is a parameter. Outcomes of unknown addresses are ignored.
class PeerFinder {
public:
    /// How long only known nodes are dialled (Bitcoin Core: DNSSEEDS_DELAY_FEW_PEERS).
    static constexpr std::chrono::milliseconds kAlone{11'000};

    /// `addrman` must outlive the finder.
    PeerFinder(AddrMan& addrman, FinderOptions options, Now now);

    /// Chooses up to `count` nodes to dial now, none in a network group in use. The nodes are in
    /// use until on_ended() or on_no_verdict().
    /// watcher   the number of the watcher whose filter the nodes will receive. At most the
    ///           watcher's share of nodes is chosen (HostOwners)
    std::vector<PeerAddress> choose(std::size_t count, Now now, std::size_t watcher = 0);

    /// From now on, nodes with these services are of use to this watcher, and feelers test for them
    /// (AddrMan::set_services()). These seeds are queried if the known nodes do not suffice.
    /// seeds   for all watchers
    void look_for(std::uint64_t services, std::vector<std::string> seeds, std::size_t watcher = 0);

    /// Dials the anchors first: peers that served at the end of an earlier run. They make an
    /// eclipse attack by a restart harder (Bitcoin Core: anchors.dat).
    void dial_anchors_first() { anchors_are_first_ = true; }
    /// Keeps the anchors unchanged. Used with several watchers: the next run may number the
    /// watchers differently, and an anchor would then receive the filters of two watchers.
    void keep_anchors() { anchors_are_kept_ = true; }
    /// Draws the anchors for the next run from the peers that serve now, or served until we ended
    /// the connection.
    void draw_anchors();
    /// The assignment of nodes to watchers.
    HostOwners& owners() { return owners_; }
    const HostOwners& owners() const { return owners_; }

    /// The node for a feeler to test now (FeelerSchedule::choose()). Empty also if this machine may
    /// be offline. Call this when all slots are taken. Afterwards, report on_feeler_answered(), or
    /// on_failed() or on_no_verdict() of feelers().
    std::optional<PeerAddress> choose_feeler(Now now);
    void on_feeler_answered(std::uint64_t services, Now now);
    FeelerSchedule& feelers() { return feelers_; }
    const FeelerSchedule& feelers() const { return feelers_; }

    /// The seeds to query now. Report on_seed_answer() for each.
    /// free_places   the number of peers still needed
    /// most          the maximum number of seeds
    std::vector<std::string> choose_seeds(std::size_t free_places, Now now,
                                          std::size_t most = SeedRounds::kAtOnce);
    /// The nodes that a seed listed. Empty if the seed did not answer, or was dialled through a
    /// proxy.
    void on_seed_answer(const std::string& seed, const std::vector<PeerAddress>& nodes, Now now);

    /// A name server answered that the name does not exist, so DNS lookups work.
    void on_unknown_seed() { connectivity_.on_name_server(); }

    /// A host accepted or refused a connection.
    void on_answer(Now now);
    /// Bytes arrived over a connection that was opened at `connected_at`.
    void on_heard(std::chrono::milliseconds connected_at, Now now);
    /// The services in the node's version message. The node's host is assigned to this watcher.
    void on_version(const PeerAddress& address, std::uint64_t services, Now now,
                    std::size_t watcher = 0);
    void on_service(const PeerAddress& address, PeerService service, Now now);
    /// A peer gossiped addresses over a connection that was opened at `connected_at`. gossip_left()
    /// limits how many are accepted. Returns whether any address is new.
    /// gossip_count   the number of addresses that the peer gossiped before
    bool on_gossip(const chain::Bytes& source, const std::vector<GossipedAddress>& nodes,
                   std::size_t gossip_count, std::chrono::milliseconds connected_at, Now now);
    /// The dial failed, or the connection ended.
    void on_ended(const PeerAddress& address, DisconnectReason reason, PeerService service,
                  Now now);
    /// The dial failed, but not because of the node.
    void on_no_verdict(const PeerAddress& address, Now now);

    /// Whether all known nodes are in use or paused, and all seeds were queried.
    bool has_no_candidates() const;
    /// Whether, in addition, no node is in use.
    bool is_exhausted() const { return in_use_.empty() && has_no_candidates(); }
    /// Whether this machine seems to be offline: no node answered lately, and no seed is left.
    bool seems_offline() const;
    /// Whether several nodes or seeds were tried, and none was ever reached.
    bool has_reached_no_node() const;
    /// Whether the address manager is empty.
    bool has_no_known_address() const { return addrman_.size() == 0; }
    /// The time to call choose() and choose_seeds() again, even if nothing happens before. Call
    /// this after choose() and choose_seeds().
    std::chrono::milliseconds look_again_at(Now now) const;

private:
    std::optional<std::uint64_t> services_of(std::size_t watcher) const;
    std::optional<std::chrono::milliseconds> next_seeds_at() const;

    AddrMan& addrman_;
    Reach reach_;
    std::chrono::milliseconds alone_until_;
    bool any_served_ = false;
    bool is_used_up_ = false;  // the last choice left slots free, and no new node was added since
    std::map<std::size_t, std::uint64_t> services_;  // by watcher. Absent: AddrManOptions::services
    SeedRounds seeds_;
    FeelerSchedule feelers_;
    Connectivity connectivity_;
    std::set<PeerAddress> in_use_;
    HostOwners owners_;
    std::set<PeerAddress> serving_;
    bool anchors_are_first_ = false;
    bool anchors_are_kept_ = false;
};

}  // namespace petal::net
