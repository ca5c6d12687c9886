/// Chooses endpoints to dial and DNS seeds to look up, through PeerFinder.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "net/discovery/addr_collector.h"
#include "net/discovery/peer_finder.h"
#include "net/io/dial/dial.h"
#include "net/io/dial/endpoint.h"
#include "net/io/dial/resolve.h"
#include "net/io/search/handshake_probe.h"
#include "net/io/search/search_report.h"

namespace petal::net {

/// Resolves names. Replaced in tests.
using SeedResolver = std::function<boost::asio::awaitable<ResolvedHost>(
    std::string, std::chrono::steady_clock::duration)>;

struct EndpointFinderOptions {
    /// The network's DNS seeds, and the default port for the nodes in their answers.
    std::vector<std::string> seeds;
    std::uint16_t default_port = 0;
    /// Whether connections go through a SOCKS5 proxy. If so, onion services can be dialled, and DNS
    /// seeds are dialled instead of looked up: the proxy resolves the name and picks a node.
    bool by_proxy = false;
    /// Dials only onion services, and queries no DNS seeds.
    bool onion_only = false;
    std::chrono::milliseconds feeler_interval = FinderOptions{}.feeler_interval;
    SeedResolver resolver = resolve;
};

/// The nodes that a DNS seed lists.
using SeedAnswer = chain::Expected<std::vector<PeerAddress>, ResolveError>;

/// Looks up a DNS seed.
/// resolver   must outlive the coroutine
/// port       of the nodes, as DNS answers have none
boost::asio::awaitable<SeedAnswer> look_up_seed(const SeedResolver& resolver, std::string seed,
                                                std::uint16_t port);

/// Adapts PeerFinder (net/discovery) to net/io: converts between addresses and endpoints, looks up
/// DNS seeds or dials them through a proxy, and counts the lookups. Not thread-safe.
class EndpointFinder {
public:
    /// `addrman` must outlive the finder.
    EndpointFinder(AddrMan& addrman, EndpointFinderOptions options, Now now);

    /// Chooses up to `places` endpoints to dial now. Call on_dial_failed() or on_ended() for each.
    /// watcher   the number of the watcher whose filter the nodes will receive (see PeerFinder)
    std::vector<Endpoint> choose(std::size_t places, Now now, std::size_t watcher = 0);
    /// Whether an endpoint of choose() may only be asked for addresses, without a filter
    /// (run_addr_fetch()). True for the name of a DNS seed if there are several watchers. The proxy
    /// does not say which node it dials, and that node may have another watcher's filter.
    bool is_for_addresses_only(const Endpoint& peer) const {
        return for_several_ && dialled_seeds_.contains(peer.host);
    }
    /// The seeds to query now. Call look_up() and on_answer() for each. An answer after
    /// on_seed_given_up() is ignored.
    std::vector<std::string> choose_seeds(std::size_t places, Now now);
    boost::asio::awaitable<SeedAnswer> look_up(std::string seed) const {
        return look_up_seed(options_.resolver, std::move(seed), options_.default_port);
    }
    void on_answer(const std::string& seed, const SeedAnswer& answer, Now now);
    void on_seed_given_up(const std::string& seed, Now now) {
        if (asked_seeds_.erase(seed) > 0) finder_.on_seed_answer(seed, {}, now);
    }

    void on_connected(Now now) { finder_.on_answer(now); }
    /// Bytes arrived over a connection that was opened at `connected_at`. Takes services and
    /// addresses from `collector`. Returns whether new nodes were gossiped.
    bool on_heard(const Endpoint& peer, AddrCollector& collector,
                  std::chrono::milliseconds connected_at, Now now, std::size_t watcher = 0);
    void on_service(const Endpoint& peer, PeerService service, Now now);
    void on_dial_failed(const Endpoint& peer, DialError error, Now now);
    void on_ended(const Endpoint& peer, DisconnectReason reason, PeerService service, Now now);

    /// See PeerFinder. No seeds are queried if only onion services are dialled.
    void look_for(std::uint64_t services, std::vector<std::string> seeds, std::size_t watcher = 0) {
        if (options_.onion_only) seeds.clear();
        finder_.look_for(services, std::move(seeds), watcher);
    }

    /// See PeerFinder.
    void begin_with_anchors() { finder_.dial_anchors_first(); }
    void begin_for_several_watchers(std::size_t watcher) {
        for_several_ = true;
        finder_.keep_anchors();
        finder_.owners().begin(watcher);
    }
    void end_for_watcher(std::size_t watcher) { finder_.owners().end(watcher); }
    void draw_anchors() { finder_.draw_anchors(); }

    /// The node for a feeler to test now (PeerFinder::choose_feeler()). Report one of the
    /// on_feeler_ functions for the node.
    std::optional<Endpoint> choose_feeler(Now now);
    /// When to call choose_feeler() next. Empty while a feeler is running.
    std::optional<std::chrono::milliseconds> next_feeler_at() const {
        return finder_.feelers().next_at();
    }
    void on_feeler_answer(const FeelerAnswer& answer, Now now);
    void on_feeler_not_connected(const Endpoint& peer, DialError error, Now now);
    /// The run ended before the feeler.
    void on_feeler_given_up() { finder_.feelers().on_no_verdict(); }

    /// Whether waiting is useless: no node is left to dial and no seed to query, or this machine
    /// seems to be offline.
    bool can_find_no_peer() const { return finder_.is_exhausted() || finder_.seems_offline(); }
    /// Whether all known nodes are in use or paused, and all seeds were queried.
    bool has_no_candidates() const { return finder_.has_no_candidates(); }
    bool has_reached_no_node() const { return finder_.has_reached_no_node(); }
    bool seems_offline() const { return finder_.seems_offline(); }
    const SeedLookups& seed_lookups() const { return lookups_; }
    bool has_no_known_address() const { return finder_.has_no_known_address(); }
    bool others_have_nodes(std::size_t watcher) const {
        return finder_.owners().any_is_of_others(watcher);
    }
    std::chrono::milliseconds look_again_at(Now now) const { return finder_.look_again_at(now); }

private:
    EndpointFinderOptions options_;
    PeerFinder finder_;
    std::set<std::string> asked_seeds_;    // queried by DNS, without an answer so far
    std::set<std::string> dialled_seeds_;  // in use
    bool for_several_ = false;
    SeedLookups lookups_;
};

}  // namespace petal::net
