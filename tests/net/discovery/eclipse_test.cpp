// How many of eight connections an attacker with eight hosts gets over many restarts.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
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
constexpr std::uint32_t kAttackerHosts = 8;
constexpr std::uint32_t kPortsOfAHost = 120;
constexpr std::uint32_t kAttackerNodes = kAttackerHosts * kPortsOfAHost;
constexpr std::uint32_t kPercentThatFail = 30;
constexpr std::int64_t kFirstDay = 1'750'000'000;
constexpr std::int64_t kDaySeconds = 86'400;
constexpr int kRestarts = 8;
constexpr int kGossipOfAPeer = 12;
constexpr int kFeelersOfARun = 3;

struct Attack {
    bool one_network = false;  // all of the attacker's hosts are in one /16
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
    User(std::uint64_t seed, Attack attack)
        : attack_(attack), random_(seed), addrman_(options_of(seed)) {
        for (std::uint32_t i = 0; i < kHonestNodes; ++i) tell(honest_node(i), {'s'});
        for (std::uint32_t i = 0; i < kAttackerHosts; ++i) tell(attacker_node(i), {'s'});
    }

    /// Restarts with the stored addresses, and returns how many connections the attacker has at the
    /// end.
    std::size_t run(int day) {
        now_ = {milliseconds{0}, kFirstDay + day * kDaySeconds};
        PeerFinder finder{addrman_, {}, now_};
        finder.anchors().dial_first();
        connected_.clear();
        for (int attempt = 0; attempt < 200 && connected_.size() < kPlaces; ++attempt) {
            for (const auto& address : finder.choose(kPlaces - connected_.size(), now_)) {
                dial(finder, address);
            }
            pass(milliseconds{1'000});
        }
        for (int i = 0; i < kFeelersOfARun; ++i) send_feeler(finder);
        for (const auto& address : connected_) {
            finder.on_ended(address, DisconnectReason::finished, PeerService::answered, now_);
        }
        finder.anchors().draw();
        return static_cast<std::size_t>(std::ranges::count_if(connected_, is_attacker));
    }

private:
    static AddrManOptions options_of(std::uint64_t seed) {
        AddrManOptions options;
        options.key[0] = static_cast<Byte>(seed);
        options.random_seed = seed;
        options.default_port = 8333;
        return options;
    }

    PeerAddress attacker_node(std::uint32_t n) const {
        const auto host = static_cast<Byte>(n % kAttackerHosts);
        const auto port = static_cast<std::uint16_t>(8333 + n / kAttackerHosts);
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
        addrman_.add(address, kNodeNetwork | kNodeBloom, now_.unix_seconds, source,
                     now_.unix_seconds);
    }

    bool answers(const PeerAddress& address) {
        return is_attacker(address) || draw(100) >= kPercentThatFail;
    }

    void dial(PeerFinder& finder, const PeerAddress& address) {
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
            const auto n = draw(kHonestNodes + kAttackerNodes);
            const bool honest = n >= kAttackerNodes && !is_attacker(from);
            const auto node =
                honest ? honest_node(n - kAttackerNodes) : attacker_node(n % kAttackerNodes);
            told.push_back({node, kNodeNetwork | kNodeBloom, now_.unix_seconds});
        }
        finder.on_gossip(network_group(from), told, 0, now_.steady, now_);
    }

    Attack attack_;
    SplitMix64 random_;
    AddrMan addrman_;
    Now now_{milliseconds{0}, kFirstDay};
    std::set<PeerAddress> connected_;
};

struct Connections {
    double mean_of_last = 0;
    double mean_of_all = 0;
    double highest_daily_mean = 0;
    std::size_t worst_of_last = 0;
};

/// The attacker's connections, over all users and their restarts.
Connections connections_of(Attack attack, std::uint64_t users) {
    std::vector<std::size_t> of_day(kRestarts);
    Connections connections;
    for (std::uint64_t seed = 1; seed <= users; ++seed) {
        User user{seed, attack};
        std::size_t count = 0;
        for (int day = 0; day < kRestarts; ++day) {
            count = user.run(day);
            of_day[static_cast<std::size_t>(day)] += count;
        }
        connections.worst_of_last = std::max(connections.worst_of_last, count);
    }
    const auto mean = [&](std::size_t sum) {
        return static_cast<double>(sum) / static_cast<double>(users);
    };
    connections.mean_of_last = mean(of_day.back());
    connections.mean_of_all =
        mean(std::accumulate(of_day.begin(), of_day.end(), std::size_t{0})) / kRestarts;
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

}  // namespace
}  // namespace petal::net
