#include "net/io/search/peer_search.h"

namespace petal::net {

void PeerSearch::begin_with_anchors() {
    if (finder_) finder_->begin_with_anchors();
}

void PeerSearch::begin_for_several_watchers() {
    if (finder_) finder_->begin_for_several_watchers(watcher_);
}

void PeerSearch::end() {
    if (finder_) finder_->end_for_watcher(watcher_);
}

std::vector<Endpoint> PeerSearch::choose(std::size_t places, Now now) {
    return finder_ ? finder_->choose(places, now, watcher_) : std::vector<Endpoint>{};
}

std::vector<std::string> PeerSearch::choose_seeds(std::size_t places, Now now) {
    return finder_ ? finder_->choose_seeds(places, now) : std::vector<std::string>{};
}

PeerSearch::TimePoint PeerSearch::look_again_at(Now now) const {
    return finder_ ? TimePoint{finder_->look_again_at(now)} : TimePoint::max();
}

void PeerSearch::on_connected(Now now) {
    if (finder_) finder_->on_connected(now);
}

bool PeerSearch::on_heard(const Endpoint& peer, AddrCollector& collector,
                          std::chrono::milliseconds connected_at, Now now) {
    if (finder_) return finder_->on_heard(peer, collector, connected_at, now, watcher_);
    collector.take_gossip();  // bounds the memory
    return false;
}

void PeerSearch::on_service(const Endpoint& peer, PeerService service, Now now) {
    if (finder_) finder_->on_service(peer, service, now);
}

void PeerSearch::on_dial_failed(const Endpoint& peer, DialError error, Now now) {
    if (finder_) finder_->on_dial_failed(peer, error, now);
}

void PeerSearch::on_ended(const Endpoint& peer, DisconnectReason reason, PeerService service,
                          Now now) {
    if (finder_) finder_->on_ended(peer, reason, service, now);
}

SearchReport PeerSearch::report() const {
    if (!finder_) return {};
    return {!by_proxy_ && finder_->has_reached_no_node(), finder_->has_no_known_address(),
            finder_->others_have_nodes(watcher_), finder_->seed_lookups()};
}

}  // namespace petal::net
