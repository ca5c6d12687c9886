/// The peer search of one sync or broadcast.
#pragma once

#include <cassert>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "net/io/search/endpoint_finder.h"
#include "net/io/search/search_report.h"

namespace petal::net {

/// The access of one run to an EndpointFinder, which runs may share. Without a finder (the user
/// named all peers), no peer is found, and events are ignored.
class PeerSearch {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    /// finder     null, or must outlive the search
    /// by_proxy   connections go through a proxy, so failures do not show that this machine is
    ///            offline
    /// watcher    the number of the run's watcher (see PeerFinder)
    explicit PeerSearch(EndpointFinder* finder, bool by_proxy, std::size_t watcher = 0)
        : finder_(finder), by_proxy_(by_proxy), watcher_(watcher) {}

    bool is_on() const { return finder_ != nullptr; }
    /// Only if is_on().
    EndpointFinder& finder() const {
        assert(finder_);
        return *finder_;
    }

    void begin_with_anchors() {
        if (finder_) finder_->begin_with_anchors();
    }
    void begin_for_several_watchers() {
        if (finder_) finder_->begin_for_several_watchers(watcher_);
    }
    /// The run is over. Its watcher no longer needs a share of the nodes.
    void end() {
        if (finder_) finder_->end_for_watcher(watcher_);
    }

    std::vector<Endpoint> choose(std::size_t places, Now now) {
        return finder_ ? finder_->choose(places, now, watcher_) : std::vector<Endpoint>{};
    }
    std::vector<std::string> choose_seeds(std::size_t places, Now now) {
        return finder_ ? finder_->choose_seeds(places, now) : std::vector<std::string>{};
    }
    /// The time of the next choice, even if nothing happens before.
    TimePoint look_again_at(Now now) const {
        return finder_ ? TimePoint{finder_->look_again_at(now)} : TimePoint::max();
    }

    void on_connected(Now now) {
        if (finder_) finder_->on_connected(now);
    }
    /// Bytes arrived over a connection that was opened at `connected_at`. Takes services and
    /// addresses from `collector`. Returns whether new nodes were gossiped.
    bool on_heard(const Endpoint& peer, AddrCollector& collector,
                  std::chrono::milliseconds connected_at, Now now) {
        if (finder_) return finder_->on_heard(peer, collector, connected_at, now, watcher_);
        collector.take_gossip();  // bounds the memory
        return false;
    }
    void on_service(const Endpoint& peer, PeerService service, Now now) {
        if (finder_) finder_->on_service(peer, service, now);
    }
    void on_dial_failed(const Endpoint& peer, DialError error, Now now) {
        if (finder_) finder_->on_dial_failed(peer, error, now);
    }
    void on_ended(const Endpoint& peer, DisconnectReason reason, PeerService service, Now now) {
        if (finder_) finder_->on_ended(peer, reason, service, now);
    }

    /// See EndpointFinder.
    bool can_find_no_peer() const { return !finder_ || finder_->can_find_no_peer(); }
    bool has_no_candidates() const { return !finder_ || finder_->has_no_candidates(); }

    SearchReport report() const {
        if (!finder_) return {};
        return {!by_proxy_ && finder_->has_reached_no_node(), finder_->has_no_known_address(),
                finder_->others_have_nodes(watcher_), finder_->seed_lookups()};
    }

private:
    EndpointFinder* finder_;
    bool by_proxy_;
    std::size_t watcher_;
};

}  // namespace petal::net
