#include "net/discovery/peer_draw.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace petal::net {

namespace {

using Ports = std::vector<const KnownPeer*>;
using Hosts = std::vector<Ports>;

struct Group {
    chain::Bytes name;
    Hosts hosts;
};

bool is_same_host(const PeerAddress& a, const PeerAddress& b) {
    return a.kind == b.kind && a.host == b.host;
}

std::vector<Group> grouped(const Ports& candidates, const std::set<chain::Bytes>& taken) {
    std::map<chain::Bytes, Hosts> sorted;
    for (const KnownPeer* peer : candidates) {
        chain::Bytes name = network_group(peer->address);
        if (taken.contains(name)) continue;
        Hosts& hosts = sorted[std::move(name)];
        const bool is_next_port =
            !hosts.empty() && is_same_host(hosts.back().back()->address, peer->address);
        if (!is_next_port) hosts.emplace_back();
        hosts.back().push_back(peer);
    }
    std::vector<Group> groups;
    groups.reserve(sorted.size());
    for (auto& [name, hosts] : sorted) groups.push_back({name, std::move(hosts)});
    return groups;
}

template <typename T>
std::size_t draw_place(const std::vector<T>& from, SplitMix64& random) {
    return static_cast<std::size_t>(random.next() % from.size());
}

/// A number from 0 (included) to 1 (excluded).
double draw_fraction(SplitMix64& random) {
    return static_cast<double>(random.next() >> 11U) * 0x1.0p-53;
}

double chance_of(const KnownPeer& peer) {
    constexpr double kFactor = 0.66;
    constexpr std::uint32_t kMostFailures = 8;
    return std::pow(kFactor, std::min(peer.failures, kMostFailures));
}

/// The index of a drawn group, and a node of the group.
std::pair<std::size_t, const KnownPeer*> draw_node(const std::vector<Group>& groups,
                                                   SplitMix64& random) {
    constexpr double kGrowth = 1.2;  // ends the loop soon (Bitcoin Core: AddrManImpl::Select_)
    for (double favour = 1;; favour *= kGrowth) {
        const std::size_t place = draw_place(groups, random);
        const Hosts& hosts = groups[place].hosts;
        const Ports& ports = hosts[draw_place(hosts, random)];
        const KnownPeer* peer = ports[draw_place(ports, random)];
        if (draw_fraction(random) < favour * chance_of(*peer)) return {place, peer};
    }
}

}  // namespace

std::vector<PeerAddress> draw_peers(const std::vector<const KnownPeer*>& candidates,
                                    std::size_t count, std::set<chain::Bytes>& taken,
                                    SplitMix64& random) {
    std::vector<PeerAddress> drawn;
    auto groups = grouped(candidates, taken);
    while (drawn.size() < count && !groups.empty()) {
        const auto [place, peer] = draw_node(groups, random);
        drawn.push_back(peer->address);
        taken.insert(std::move(groups[place].name));
        std::swap(groups[place], groups.back());
        groups.pop_back();
    }
    return drawn;
}

}  // namespace petal::net
