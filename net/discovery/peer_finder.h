/// Peers that the user did not name: which to dial of those in the address manager, and which seeds
/// and peers to ask for more.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/discovery/addrman.h"
#include "net/discovery/connectivity.h"
#include "net/discovery/feeler_schedule.h"
#include "net/discovery/seed_rounds.h"
#include "net/wire/messages.h"

namespace petal::net {

struct FinderOptions {
    /// Names that list nodes, in the order in which they are worth asking.
    std::vector<std::string> seeds;
    Reach reach;
    /// How often a feeler tests a node (Bitcoin Core: FEELER_INTERVAL).
    std::chrono::milliseconds feeler_interval{120'000};
};

/// Keeps an address manager up to date with what comes of dialling, gossip and DNS seeds, and says
/// which nodes to dial. Seeds are asked where the address manager can't fill the places, or when it
/// has not led to a node that serves after some seconds. Pure: the time is a parameter. Whatever it
/// is told of an address that the address manager does not have is let go.
class PeerFinder {
public:
    /// How long the address manager alone is tried (Bitcoin Core: DNSSEEDS_DELAY_FEW_PEERS).
    static constexpr std::chrono::milliseconds kAddrManAlone{11'000};
    /// Nodes that one answer of a seed may list; further ones are let go (Bitcoin Core: 32).
    static constexpr std::size_t kMostOfSeed = 256;
    /// Addresses that one connection may tell: as many as one answer holds, then one in ten seconds
    /// (Bitcoin Core: MAX_ADDR_RATE_PER_SECOND, MAX_ADDR_TO_SEND).
    static constexpr std::size_t kFirstGossip = 1'000;
    static constexpr std::chrono::milliseconds kGossipInterval{10'000};

    /// `addrman` must outlive the finder.
    PeerFinder(AddrMan& addrman, FinderOptions options, Now now);

    /// The nodes to dial now, `count` at most, none of them in a network group of those in use.
    /// They are in use from now on, until on_ended() or on_no_verdict().
    std::vector<PeerAddress> choose(std::size_t count, Now now);

    /// Has choose() begin with the anchors: the peers of an earlier run that served at its end.
    void begin_with_anchors() { with_anchors_ = true; }
    /// Draws the anchors for the next run from the peers that serve now, or did until we ended it.
    void draw_anchors() { addrman_.draw_anchors(serving_); }

    /// The node that a feeler is to test now, once in each interval: first one whose place another
    /// one wants, else one that was only heard of. Nothing while another feeler is out, or where
    /// this machine may be offline. To be called when all places are taken; wants
    /// on_feeler_answered(), on_feeler_failed() or on_feeler_without_verdict().
    std::optional<PeerAddress> choose_feeler(Now now);
    /// When to ask for the next one; nothing while one is out.
    std::optional<std::chrono::milliseconds> next_feeler_at() const { return feelers_.next_at(); }
    void on_feeler_answered(std::uint64_t services, Now now);
    void on_feeler_failed(DisconnectReason reason, Now now) { feelers_.on_failed(reason, now); }
    void on_feeler_without_verdict() { feelers_.on_no_verdict(); }

    /// The seeds to ask now; each wants on_seed_answer().
    /// free_places   how many more peers are looked for
    /// most          no more seeds than that
    std::vector<std::string> choose_seeds(std::size_t free_places, Now now,
                                          std::size_t most = SeedRounds::kAtOnce);
    /// What a seed listed; nothing where it did not answer, or was asked for other reasons.
    void on_seed_answer(const std::string& seed, const std::vector<PeerAddress>& nodes, Now now);

    /// A name server has answered that it knows no such seed: this machine can ask, at least.
    void on_unknown_seed() { connectivity_.on_name_server(); }

    /// A host has answered, with a connection or by refusing one.
    void on_answer(Now now);
    /// Something came over a connection that stands since then.
    void on_heard(std::chrono::milliseconds connected_at, Now now);
    /// What the node says of itself.
    void on_version(const PeerAddress& address, std::uint64_t services, Now now);
    /// The connection has begun to be good for something.
    void on_service(const PeerAddress& address, PeerService service, Now now);
    /// What a peer tells of others, over a connection that stands since `connected_at`. Returns
    /// whether any of it is new.
    /// told   how many it had told of before
    bool on_gossip(const chain::Bytes& source, const std::vector<GossipedAddress>& nodes,
                   std::size_t told, std::chrono::milliseconds connected_at, Now now);
    /// The dialling has failed, or the connection has ended.
    void on_ended(const PeerAddress& address, DisconnectReason reason, PeerService service,
                  Now now);
    /// The dialling has failed, and the node had no part in it.
    void on_no_verdict(const PeerAddress& address, Now now);

    /// No node is left to dial and no seed to ask, for now, beyond those in use.
    bool has_no_candidates() const;
    /// The same, and none is in use.
    bool is_exhausted() const { return in_use_.empty() && has_no_candidates(); }
    /// Nothing at all can be reached any more, for all that is known: seeds were asked in vain too.
    bool seems_offline() const;
    /// Nothing at all could be reached so far, though several were asked or dialled.
    bool reached_nobody() const;
    /// No address was ever heard of.
    bool has_no_known_address() const { return addrman_.size() == 0; }
    /// When to ask again which nodes to dial, though nothing has happened.
    std::chrono::milliseconds look_again_at(Now now) const;

private:
    bool needs_seeds(Now now) const;

    AddrMan& addrman_;
    Reach reach_;
    std::chrono::milliseconds start_;
    SeedRounds seeds_;
    FeelerSchedule feelers_;
    Connectivity connectivity_;
    std::set<PeerAddress> in_use_;
    std::set<PeerAddress> serving_;  // or did so until we had what we came for
    bool with_anchors_ = false;
    bool any_served_ = false;
    bool addrman_has_no_more_ = false;  // the last choice left places free
};

}  // namespace petal::net
