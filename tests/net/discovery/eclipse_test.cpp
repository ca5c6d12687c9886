// How many of eight connections an attacker with eight hosts gets over many restarts.
#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "net/discovery/addrman.h"
#include "net/discovery/peer_finder.h"
#include "net/peer/random.h"

namespace petal::net {
namespace {

using chain::Byte;
using std::chrono::milliseconds;

constexpr std::size_t kPlaces = 8;
constexpr std::uint32_t kHonestGroups = 60;
constexpr std::uint32_t kHonestNodes = 120;
constexpr std::uint32_t kPortsOfAHost = 120;
constexpr std::uint32_t kPercentThatFail = 30;
constexpr std::int64_t kFirstDay = 1'750'000'000;
constexpr std::int64_t kDaySeconds = 86'400;
constexpr int kRestarts = 8;
constexpr int kGossipOfAPeer = 12;
constexpr int kFeelersOfARun = 3;

struct Attack {
    std::uint32_t hosts = 8;
    bool one_network = false;  // all of the attacker's hosts are in one /16
};

struct Defences {
    bool anchors = true;
    bool feelers = true;
    bool buckets = true;  // false: each gossiped address may go to any of the new buckets
};

PeerAddress honest_node(std::uint32_t n) {
    return {AddressKind::ipv4,
            {20, static_cast<Byte>(n % kHonestGroups), static_cast<Byte>(n / kHonestGroups), 1},
            8333};
}

bool is_attacker(const PeerAddress& address) {
    return address.host[0] == 99;
}

/// One user's address manager. Each day has one run, which ends with eight connected peers.
class User {
public:
    User(std::uint64_t seed, Attack attack, Defences defences)
        : attack_(attack), defences_(defences), seed_(seed), random_(seed) {
        addrman_.emplace(options());
        for (std::uint32_t i = 0; i < kHonestNodes; ++i) tell(honest_node(i), {'s'});
        for (std::uint32_t i = 0; i < attack_.hosts; ++i) tell(attacker_node(i), {'s'});
    }

    /// Restarts with the stored addresses, and returns how many connections the attacker has at the
    /// end.
    std::size_t run(int day) {
        now_ = {milliseconds{0}, kFirstDay + day * kDaySeconds};
        restart();
        PeerFinder finder{*addrman_, {}, now_};
        if (defences_.anchors) finder.dial_anchors_first();
        connected_.clear();
        for (int attempt = 0; attempt < 200 && connected_.size() < kPlaces; ++attempt) {
            for (const auto& address : finder.choose(kPlaces - connected_.size(), now_)) {
                dial(finder, address);
            }
            pass(milliseconds{1'000});
        }
        for (int i = 0; defences_.feelers && i < kFeelersOfARun; ++i) send_feeler(finder);
        for (const auto& address : connected_) {
            finder.on_ended(address, DisconnectReason::finished, PeerService::answered, now_);
        }
        finder.draw_anchors();
        return static_cast<std::size_t>(std::ranges::count_if(connected_, is_attacker));
    }

    /// In all runs so far.
    std::size_t dials() const { return dials_; }

private:
    AddrManOptions options() {
        AddrManOptions options;
        options.key[0] = static_cast<Byte>(seed_);
        options.random_seed = random_.next();
        options.default_port = 8333;
        return options;
    }
    /// Keeps only what `peers.db` stores.
    void restart() {
        const std::vector<KnownPeer> peers = addrman_->peers();
        const std::set<PeerAddress> anchors = addrman_->anchors();
        addrman_.emplace(options());
        for (const KnownPeer& peer : peers) addrman_->restore(peer);
        for (const PeerAddress& anchor : anchors) addrman_->restore_anchor(anchor);
    }

    PeerAddress attacker_node(std::uint32_t n) const {
        const auto host = static_cast<Byte>(n % attack_.hosts);
        const auto port = static_cast<std::uint16_t>(8333 + n / attack_.hosts);
        if (attack_.one_network) return {AddressKind::ipv4, {99, 1, host, 1}, port};
        return {AddressKind::ipv4, {99, host, 1, 1}, port};
    }

    std::uint32_t draw(std::uint32_t below) {
        return static_cast<std::uint32_t>(random_.next() % below);
    }
    void pass(milliseconds time) {
        now_.steady += time;
        now_.unix_seconds = now_.unix_seconds + time.count() / 1'000;
    }
    void tell(const PeerAddress& address, const chain::Bytes& source) {
        addrman_->add(address, kNodeNetwork | kNodeBloom, now_.unix_seconds, source,
                      now_.unix_seconds);
    }

    bool answers(const PeerAddress& address) {
        return is_attacker(address) || draw(100) >= kPercentThatFail;
    }

    void dial(PeerFinder& finder, const PeerAddress& address) {
        ++dials_;
        if (!answers(address)) {
            finder.on_ended(address, DisconnectReason::unreachable, PeerService::none, now_);
            return;
        }
        finder.on_answer(now_);
        finder.on_version(address, kNodeNetwork | kNodeBloom, now_);
        finder.on_service(address, PeerService::advanced, now_);
        connected_.insert(address);
        gossip(finder, address);
    }

    void send_feeler(PeerFinder& finder) {
        pass(FinderOptions{}.feeler_interval);
        finder.on_heard(milliseconds{0}, now_);
        const auto address = finder.choose_feeler(now_);
        if (!address) return;
        if (answers(*address)) {
            finder.on_feeler_answered(kNodeNetwork | kNodeBloom, now_);
        } else {
            finder.feelers().on_failed(DisconnectReason::unreachable, now_);
        }
    }

    /// Honest nodes gossip about all nodes, the attacker's nodes only about the attacker's.
    void gossip(PeerFinder& finder, const PeerAddress& from) {
        std::vector<GossipedAddress> told;
        for (int i = 0; i < kGossipOfAPeer; ++i) {
            const std::uint32_t attacker_nodes = attack_.hosts * kPortsOfAHost;
            const auto n = draw(kHonestNodes + attacker_nodes);
            const bool honest = n >= attacker_nodes && !is_attacker(from);
            const auto node =
                honest ? honest_node(n - attacker_nodes) : attacker_node(n % attacker_nodes);
            told.push_back({node, kNodeNetwork | kNodeBloom, now_.unix_seconds});
        }
        if (defences_.buckets) {
            finder.on_gossip(network_group(from), told, 0, now_.steady, now_);
            return;
        }
        for (const GossipedAddress& each : told) {
            const auto source = random_.next();
            const chain::Bytes own{static_cast<Byte>(source), static_cast<Byte>(source >> 8U)};
            finder.on_gossip(own, {each}, 0, now_.steady, now_);
        }
    }

    Attack attack_;
    Defences defences_;
    std::uint64_t seed_;
    SplitMix64 random_;
    std::optional<AddrMan> addrman_;
    std::size_t dials_ = 0;
    Now now_{milliseconds{0}, kFirstDay};
    std::set<PeerAddress> connected_;
};

struct Connections {
    double mean_of_last = 0;
    double mean_of_all = 0;
    double highest_daily_mean = 0;
    std::size_t worst_of_last = 0;
    double dials_of_a_run = 0;
};

/// The attacker's connections, over all users and their restarts.
Connections connections_of(Attack attack, std::uint64_t users, Defences defences = {}) {
    std::vector<std::size_t> of_day(kRestarts);
    Connections connections;
    std::size_t dials = 0;
    for (std::uint64_t seed = 1; seed <= users; ++seed) {
        User user{seed, attack, defences};
        std::size_t count = 0;
        for (int day = 0; day < kRestarts; ++day) {
            count = user.run(day);
            of_day[static_cast<std::size_t>(day)] += count;
        }
        connections.worst_of_last = std::max(connections.worst_of_last, count);
        dials += user.dials();
    }
    const auto mean = [&](std::size_t sum) {
        return static_cast<double>(sum) / static_cast<double>(users);
    };
    connections.mean_of_last = mean(of_day.back());
    connections.mean_of_all =
        mean(std::accumulate(of_day.begin(), of_day.end(), std::size_t{0})) / kRestarts;
    connections.dials_of_a_run = mean(dials) / kRestarts;
    connections.highest_daily_mean = mean(*std::ranges::max_element(of_day));
    testing::Test::RecordProperty("mean_of_last", std::to_string(connections.mean_of_last));
    testing::Test::RecordProperty("mean_of_all", std::to_string(connections.mean_of_all));
    testing::Test::RecordProperty("highest_daily_mean",
                                  std::to_string(connections.highest_daily_mean));
    testing::Test::RecordProperty("worst_of_last", std::to_string(connections.worst_of_last));
    return connections;
}

TEST(Eclipse, EightHostsOfEightNetworksGetTwoOfEightConnectionsAtMostOnAverage) {
    const auto connections = connections_of({.one_network = false}, 200);
    EXPECT_LE(connections.highest_daily_mean, 2.0);
    EXPECT_LE(connections.worst_of_last, 6U);
}

TEST(Eclipse, EightHostsOfOneNetworkGetOneConnectionAtMost) {
    const auto connections = connections_of({.one_network = true}, 40);
    EXPECT_LE(connections.worst_of_last, 1U);
    EXPECT_LE(connections.mean_of_all, 0.5);
}

// Prints the table of the README of net/discovery.
TEST(Eclipse, NoDefenceHelpsTheAttacker) {
    constexpr std::uint64_t kUsers = 40;
    constexpr double kNoise = 0.3;
    for (const Attack attack : {Attack{8, true}, Attack{8}}) {
        std::cout << std::setprecision(3) << "| " << attack.hosts << " in "
                  << (attack.one_network ? 1 : attack.hosts);
        double with_all = 0;
        for (const Defences defences : {Defences{}, Defences{.anchors = false},
                                        Defences{.feelers = false}, Defences{.buckets = false}}) {
            const auto connections = connections_of(attack, kUsers, defences);
            std::cout << " | " << connections.mean_of_all << "; " << connections.dials_of_a_run;
            if (with_all == 0) with_all = connections.mean_of_all;
            EXPECT_LE(with_all, connections.mean_of_all + kNoise);
        }
        std::cout << " |\n";
    }
}

}  // namespace
}  // namespace petal::net
