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

    void begin_with_anchors();
    void begin_for_several_watchers();
    /// The run is over. Its watcher no longer needs a share of the nodes.
    void end();

    std::vector<Endpoint> choose(std::size_t places, Now now);
    std::vector<std::string> choose_seeds(std::size_t places, Now now);
    /// The time of the next choice, even if nothing happens before.
    TimePoint look_again_at(Now now) const;

    void on_connected(Now now);
    /// Bytes arrived over a connection that was opened at `connected_at`. Takes services and
    /// addresses from `collector`. Returns whether new nodes were gossiped.
    bool on_heard(const Endpoint& peer, AddrCollector& collector,
                  std::chrono::milliseconds connected_at, Now now);
    void on_service(const Endpoint& peer, PeerService service, Now now);
    void on_dial_failed(const Endpoint& peer, DialError error, Now now);
    void on_ended(const Endpoint& peer, DisconnectReason reason, PeerService service, Now now);

    /// See EndpointFinder.
    bool can_find_no_peer() const { return !finder_ || finder_->can_find_no_peer(); }
    bool has_no_candidates() const { return !finder_ || finder_->has_no_candidates(); }

    SearchReport report() const;

private:
    EndpointFinder* finder_;
    bool by_proxy_;
    std::size_t watcher_;
};

}  // namespace petal::net
