#include "net/discovery/peer_finder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "net/discovery/addr_collector.h"
#include "net/discovery/known_peer.h"
#include "net/peer/timers.h"

namespace petal::net {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookAgain{10'000};

}  // namespace

PeerFinder::PeerFinder(AddrMan& addrman, FinderOptions options, Now now)
    : addrman_(addrman),
      reach_(options.reach),
      alone_until_(now.steady + kAlone),
      seeds_(std::move(options.seeds)),
      feelers_(addrman, options.reach, options.feeler_interval, now.steady),
      connectivity_(now.steady) {}

void PeerFinder::look_for(std::uint64_t services, std::vector<std::string> seeds,
                          std::size_t watcher) {
    services_[watcher] = services;
    addrman_.set_services(services);
    seeds_.replace(std::move(seeds));
    is_used_up_ = false;
}

std::optional<std::uint64_t> PeerFinder::services_of(std::size_t watcher) const {
    const auto found = services_.find(watcher);
    return found == services_.end() ? std::nullopt : std::optional{found->second};
}

void PeerFinder::draw_anchors() {
    if (!anchors_are_kept_) addrman_.draw_anchors(serving_);
}

std::vector<PeerAddress> PeerFinder::choose(std::size_t count, Now now, std::size_t watcher) {
    count = std::min(count, owners_.share(watcher));
    if (count == 0 || !has_come(connectivity_.dial_at(), now)) return {};
    std::set<chain::Bytes> groups;
    for (const PeerAddress& address : in_use_) groups.insert(network_group(address));
    if (const auto& tested = feelers_.tested()) groups.insert(network_group(*tested));
    auto chosen = addrman_.choose(
        count, groups, reach_, now.unix_seconds, anchors_are_first_,
        [&](const PeerAddress& address) { return owners_.may_serve(address, watcher); },
        services_of(watcher));
    is_used_up_ = chosen.size() < count;
    for (const PeerAddress& address : chosen) {
        in_use_.insert(address);
        owners_.on_dialled(address, watcher);
        addrman_.on_attempt(address, now.unix_seconds);
    }
    return chosen;
}

std::vector<std::string> PeerFinder::choose_seeds(std::size_t free_places, Now now,
                                                  std::size_t most) {
    if (free_places == 0 || !has_come(next_seeds_at(), now)) return {};
    if (seeds_.begin_round()) connectivity_.end_pause(now.steady);
    return seeds_.choose(most);
}

// Seeds are queried when needed, but not before the pause after the last round.
std::optional<milliseconds> PeerFinder::next_seeds_at() const {
    const bool are_needed = is_used_up_ || connectivity_.has_only_failures();
    if (!are_needed && any_served_) return std::nullopt;
    return std::max(std::optional{are_needed ? milliseconds{0} : alone_until_},
                    seeds_.next_round_at());
}

void PeerFinder::on_seed_answer(const std::string& seed, const std::vector<PeerAddress>& nodes,
                                Now now) {
    addrman_.add_listed(seed, nodes, now.unix_seconds);
    if (!nodes.empty()) {
        is_used_up_ = false;
        connectivity_.on_name_server();
        connectivity_.on_traffic();
    }
    seeds_.on_answer(!nodes.empty(), now.steady);
}

void PeerFinder::on_answer(Now now) {
    connectivity_.on_contact(now.steady);
    addrman_.on_contact(now.unix_seconds, now.unix_seconds);
}

void PeerFinder::on_heard(milliseconds connected_at, Now now) {
    connectivity_.on_traffic();
    const auto lasts = std::chrono::floor<std::chrono::seconds>(now.steady - connected_at);
    addrman_.on_contact(now.unix_seconds - lasts.count(), now.unix_seconds);
}

void PeerFinder::on_version(const PeerAddress& address, std::uint64_t services, Now now,
                            std::size_t watcher) {
    owners_.on_version(address, watcher);
    addrman_.on_version(address, services, now.unix_seconds);
}

void PeerFinder::on_service(const PeerAddress& address, PeerService service, Now now) {
    any_served_ = true;
    if (service != PeerService::none) serving_.insert(address);
    if (service != PeerService::advanced) return;
    addrman_.on_outcome(address, PeerOutcome::served, now.unix_seconds);
}

bool PeerFinder::on_gossip(const chain::Bytes& source, const std::vector<GossipedAddress>& nodes,
                           std::size_t gossip_count, milliseconds connected_at, Now now) {
    const std::size_t left = gossip_left(gossip_count, now.steady - connected_at);
    bool any_new = false;
    for (const auto& node : std::span{nodes}.first(std::min(nodes.size(), left))) {
        any_new |= addrman_.add(node.address, node.services, node.time, source, now.unix_seconds);
    }
    if (any_new) is_used_up_ = false;
    return any_new;
}

void PeerFinder::on_ended(const PeerAddress& address, DisconnectReason reason, PeerService service,
                          Now now) {
    in_use_.erase(address);
    owners_.on_ended(address);
    if (service != PeerService::none) any_served_ = true;
    if (reason == DisconnectReason::finished && service != PeerService::none) {
        serving_.insert(address);
    } else {
        serving_.erase(address);
    }
    if (reason == DisconnectReason::unreachable) {
        connectivity_.on_failure(seeds_.is_over(), now.steady);
    }
    if (reason == DisconnectReason::self) addrman_.forget(address);
    if (const auto outcome = outcome_of(reason, service)) {
        addrman_.on_outcome(address, *outcome, now.unix_seconds);
    }
    if (is_proof_of_bad_data(reason)) {
        addrman_.bans().ban(address,
                            {.until = now.unix_seconds + BanList::kBanSeconds, .by_user = false});
    }
}

std::optional<PeerAddress> PeerFinder::choose_feeler(Now now) {
    const bool is_online = any_served_ && !connectivity_.has_failures();
    return feelers_.choose(in_use_, is_online, now);
}

void PeerFinder::on_feeler_answered(std::uint64_t services, Now now) {
    if (feelers_.tested()) on_answer(now);
    feelers_.on_answered(services, now);
}

void PeerFinder::on_no_verdict(const PeerAddress& address, Now now) {
    in_use_.erase(address);
    owners_.on_ended(address);
    connectivity_.on_failure(seeds_.is_over(), now.steady);
}

bool PeerFinder::has_no_candidates() const {
    return is_used_up_ && seeds_.is_over();
}

bool PeerFinder::seems_offline() const {
    return connectivity_.has_only_failures() && seeds_.is_over();
}

bool PeerFinder::has_reached_no_node() const {
    // A few unreachable nodes say nothing about this machine.
    const bool tells = seeds_.has_seeds() || connectivity_.has_only_failures();
    return tells && connectivity_.has_reached_nothing();
}

milliseconds PeerFinder::look_again_at(Now now) const {
    auto time = now.steady + kLookAgain;
    // choose() and choose_seeds() have acted on times that have passed.
    for (const auto& at : {std::optional{connectivity_.dial_at()}, next_seeds_at()}) {
        if (at && !has_come(at, now)) time = std::min(time, *at);
    }
    return time;
}

}  // namespace petal::net
