/// Finds peers that the user did not name: chooses nodes of the address manager to dial, and DNS
/// seeds to query.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/discovery/addrman.h"
#include "net/discovery/addrman_supply.h"
#include "net/discovery/anchor_policy.h"
#include "net/discovery/connectivity.h"
#include "net/discovery/feeler_schedule.h"
#include "net/discovery/host_owners.h"
#include "net/discovery/seed_rounds.h"
#include "net/wire/messages.h"

namespace petal::net {

struct FinderOptions {
    /// DNS seeds, best first.
    std::vector<std::string> seeds;
    Reach reach;
    /// The interval at which feelers test nodes (Bitcoin Core: FEELER_INTERVAL).
    std::chrono::milliseconds feeler_interval{120'000};
};

/// Updates an address manager by dials, gossip and DNS seeds, and chooses nodes to dial. Seeds are
/// queried if the address manager does not suffice (AddrManSupply). If several watchers are synced,
/// each with its own filters, their peers are kept apart (HostOwners). Pure: the time is a
/// parameter. Outcomes of an address that the address manager does not hold are ignored.
class PeerFinder {
public:
    /// The maximum number of nodes accepted from one seed's answer (Bitcoin Core: 32).
    static constexpr std::size_t kMostOfSeed = 256;

    /// `addrman` must outlive the finder.
    PeerFinder(AddrMan& addrman, FinderOptions options, Now now);

    /// The nodes to dial now, at most `count`, none of them in a network group in use. They are in
    /// use from now on, until on_ended() or on_no_verdict().
    /// watcher   the number of the watcher whose filter they will get; at most its share of nodes
    ///           is chosen (HostOwners)
    std::vector<PeerAddress> choose(std::size_t count, Now now, std::size_t watcher = 0);

    /// The anchors: whether choose() begins with them, and the choice of anchors for the next run.
    AnchorPolicy& anchors() { return anchors_; }
    /// The assignment of nodes to watchers, if there are several.
    HostOwners& owners() { return owners_; }
    const HostOwners& owners() const { return owners_; }

    /// The node for a feeler to test now (FeelerSchedule::choose()). Also empty if this machine may
    /// be offline. Call this when all slots are taken; afterwards report on_feeler_answered(), or
    /// on_failed() or on_no_verdict() of feelers().
    std::optional<PeerAddress> choose_feeler(Now now);
    void on_feeler_answered(std::uint64_t services, Now now);
    FeelerSchedule& feelers() { return feelers_; }

    /// The seeds to query now; report on_seed_answer() for each.
    /// free_places   the number of peers that are still needed
    /// most          the maximum number of seeds
    std::vector<std::string> choose_seeds(std::size_t free_places, Now now,
                                          std::size_t most = SeedRounds::kAtOnce);
    /// The nodes that a seed listed; empty if it did not answer, or was only dialled through a
    /// proxy.
    void on_seed_answer(const std::string& seed, const std::vector<PeerAddress>& nodes, Now now);

    /// A name server has answered that it does not know this seed: at least, DNS lookups work.
    void on_unknown_seed() { connectivity_.on_name_server(); }

    /// A host has accepted or refused a connection.
    void on_answer(Now now);
    /// Bytes arrived over a connection that was opened at `connected_at`.
    void on_heard(std::chrono::milliseconds connected_at, Now now);
    /// The services that the node claims. From now on its host is assigned to this watcher.
    void on_version(const PeerAddress& address, std::uint64_t services, Now now,
                    std::size_t watcher = 0);
    /// The connection has begun to be useful.
    void on_service(const PeerAddress& address, PeerService service, Now now);
    /// A peer gossiped addresses, over a connection that was opened at `connected_at`;
    /// gossip_left() limits how many are accepted. Returns whether any address is new.
    /// told   the number of addresses it gossiped before
    bool on_gossip(const chain::Bytes& source, const std::vector<GossipedAddress>& nodes,
                   std::size_t told, std::chrono::milliseconds connected_at, Now now);
    /// The dialling has failed, or the connection has ended.
    void on_ended(const PeerAddress& address, DisconnectReason reason, PeerService service,
                  Now now);
    /// The dialling has failed for a reason that is not the node's.
    void on_no_verdict(const PeerAddress& address, Now now);

    /// Whether no node is left to dial and no seed to query, for now, beyond those in use.
    bool has_no_candidates() const;
    /// Whether in addition no node is in use.
    bool is_exhausted() const { return in_use_.empty() && has_no_candidates(); }
    /// Whether this machine seems to be offline: neither nodes nor seeds can be reached any more.
    bool seems_offline() const;
    /// Whether several nodes or seeds were tried, and none could be reached so far.
    bool has_reached_no_node() const;
    /// Whether the address manager is empty.
    bool has_no_known_address() const { return addrman_.size() == 0; }
    /// The time to call choose() and choose_seeds() again, even if nothing has happened. Call this
    /// after them.
    std::chrono::milliseconds look_again_at(Now now) const;

private:
    std::optional<std::chrono::milliseconds> next_seeds_at() const;

    AddrMan& addrman_;
    Reach reach_;
    AddrManSupply supply_;
    SeedRounds seeds_;
    FeelerSchedule feelers_;
    Connectivity connectivity_;
    std::set<PeerAddress> in_use_;
    HostOwners owners_;
    AnchorPolicy anchors_;
};

}  // namespace petal::net
