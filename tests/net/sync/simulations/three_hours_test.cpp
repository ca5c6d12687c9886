// Three hours with peers from DNS seeds and gossip: they come and go, lag and lie, the network
// fails, and the machine sleeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "chain/network_params.h"
#include "net/discovery/peer_finder.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using net::DisconnectReason;
using net::PeerAddress;
using net::PeerId;
using regtest::RegtestChain;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::ListWatcher;

constexpr std::size_t kPlaces = 8;
constexpr milliseconds kTick{250};
constexpr milliseconds kLate = minutes{5};

enum class Character : std::uint8_t {
    steady,
    far,       // distant and slow
    behind,    // hears of blocks five minutes late
    gossip,    // gossips about a thousand nodes that do not exist
    restless,  // leaves every few minutes
    full,      // disconnects every peer
    mute,
    without_filters,
    of_another_network,
    omits,   // leaves out what a filter matches
    forges,  // sends false proofs
};

constexpr Character kCrowd[] = {
    Character::steady, Character::omits,  Character::without_filters,
    Character::steady, Character::full,   Character::of_another_network,
    Character::far,    Character::mute,   Character::restless,
    Character::behind, Character::full,   Character::without_filters,
    Character::steady, Character::forges, Character::restless,
    Character::gossip, Character::full,   Character::of_another_network,
    Character::far,    Character::omits,  Character::without_filters,
    Character::behind, Character::mute,   Character::steady,
    Character::steady, Character::forges, Character::restless,
};

bool is_liar(Character character) {
    return character == Character::omits || character == Character::forges;
}

/// Whether the node serves and stays connected.
bool is_good(Character character) {
    return character <= Character::gossip;
}

/// Whether the node may keep its connection. A liar may until petal requests blocks from it.
bool is_useful(Character character) {
    return is_good(character) || is_liar(character);
}

/// The n-th public address; each is in a network group of its own.
PeerAddress nth(std::size_t n) {
    return {net::AddressKind::ipv4,
            {static_cast<chain::Byte>(20 + n / 200), static_cast<chain::Byte>(n % 200), 1, 1},
            18'444};
}

/// The node with this address; empty if there is none.
std::optional<std::size_t> node_at(const PeerAddress& address) {
    for (std::size_t node = 0; node < std::size(kCrowd); ++node) {
        if (nth(node) == address) return node;
    }
    return std::nullopt;
}

regtest::NodeBehaviour behaviour_of(Character character) {
    regtest::NodeBehaviour behaviour;
    // Liars have the least lag, so they are asked first.
    if (!is_liar(character)) behaviour.lag = milliseconds{50};
    if (character == Character::far) {
        behaviour.lag = milliseconds{1'500};
        behaviour.block_time = milliseconds{300};
    }
    if (character == Character::without_filters) behaviour.services &= ~net::kNodeBloom;
    if (character == Character::omits) {
        behaviour.faults.push_back({.kind = regtest::FaultKind::omit_match});
    }
    if (character == Character::forges) {
        behaviour.faults.push_back({.kind = regtest::FaultKind::corrupt_proof});
    }
    return behaviour;
}

net::SyncOptions following_strangers() {
    net::SyncOptions options;
    options.wait_unconfirmed = net::SyncOptions::kForever;
    options.ask_for_addresses = true;
    options.expected_peers = kPlaces;
    options.blocks.cross_check = net::CrossCheckMode::all;  // only this shows what was left out
    return options;
}

/// A follower that finds its peers among the nodes, as SpvClient does over sockets.
class FoundPeers : public testing::Test {
protected:
    struct Link {
        PeerAddress address;
        std::size_t node = 0;
        milliseconds since{0};
        milliseconds leaves_at = milliseconds::max();
        std::size_t told = 0;
    };
    using Change = std::function<void(regtest::RegtestChain&)>;

    FoundPeers() {
        network.on_delivery = [this](PeerId peer, const net::Message& message) {
            learn(links.at(peer), message);
        };
        for (auto* of : {&chain, &late_chain}) grow_history(*of);
    }

    static void grow_history(regtest::RegtestChain& of) {
        of.mine(110);
        for (std::uint32_t i = 0; i < 40; ++i) {
            pay_and_spend(of, i % 5);
            of.mine(10);
        }
    }

    /// Changes the chain. Some nodes hear of the change later.
    void change(const Change& what) {
        what(chain);
        late_changes.emplace_back(network.now().steady + kLate, what);
    }

    void live_for(milliseconds time) {
        for (const auto end = network.now().steady + time; network.now().steady < end;) {
            apply_late_changes();
            look_for_peers();
            network.run_for(kTick);
            finish_dials();
            answer_for_seeds();
            hang_up();
            notice_ends();
        }
    }

    void apply_late_changes() {
        while (!late_changes.empty() && late_changes.front().first <= network.now().steady) {
            late_changes.front().second(late_chain);
            late_changes.pop_front();
        }
    }

    std::size_t free_places() const { return kPlaces - links.size() - dials.size(); }

    void look_for_peers() {
        const auto now = network.now();
        if (now.steady < next_look) return;
        for (const auto& address : finder.choose(free_places(), now)) {
            ++dials_so_far;
            // A dial to a node that does not exist takes the full timeout.
            const auto takes = node_at(address) && is_online ? milliseconds{200} : seconds{5};
            dials.emplace(now.steady + takes, address);
        }
        for (auto& seed : finder.choose_seeds(free_places(), now)) {
            questions.push_back(std::move(seed));
            ++questions_so_far;
        }
        next_look = finder.look_again_at(now);
        EXPECT_TRUE(free_places() == 0 || next_look > now.steady) << "the finder must pause";
    }

    void finish_dials() {
        while (!dials.empty() && dials.begin()->first <= network.now().steady) {
            next_look = {};
            const PeerAddress address = dials.begin()->second;
            dials.erase(dials.begin());
            const auto node = node_at(address);
            if (node && is_online) {
                connect(address, *node);
            } else {
                finder.on_ended(address, DisconnectReason::unreachable, net::PeerService::none,
                                network.now());
            }
        }
    }

    void connect(const PeerAddress& address, std::size_t node) {
        const Character character = kCrowd[node];
        const auto now = network.now();
        finder.on_answer(now);
        auto behaviour = behaviour_of(character);
        behaviour.addresses = gossip_of(node);
        const bool late = character == Character::behind;
        const PeerId peer = network.connect(late ? late_chain : chain, std::move(behaviour));
        Link& link = links[peer] = {.address = address, .node = node, .since = now.steady};
        if (character == Character::full) link.leaves_at = now.steady + seconds{1};
        if (character == Character::restless) link.leaves_at = now.steady + minutes{7};
        if (character == Character::mute) network.silence(peer);
        if (character == Character::of_another_network) {
            engine.on_bad_bytes(peer, DisconnectReason::wrong_network, {}, now);
        }
    }

    /// Some addresses of nodes that exist, and some of nodes that do not.
    std::vector<net::GossipedAddress> gossip_of(std::size_t node) const {
        std::vector<net::GossipedAddress> told;
        const auto tell = [&](std::size_t n) {
            told.push_back({nth(n), net::kNodeBloom, network.now().unix_seconds});
        };
        for (std::size_t i = 1; i <= 6; ++i) tell((node + 5 * i) % std::size(kCrowd));
        const std::size_t made_up = kCrowd[node] == Character::gossip ? 990 : 4;
        for (std::size_t i = 0; i < made_up; ++i) tell(1'000 * (node + 1) + i);
        return told;
    }

    void answer_for_seeds() {
        for (const auto& seed : std::exchange(questions, {})) {
            std::vector<PeerAddress> nodes;
            for (std::size_t n = 0; is_online && n < 10; ++n) nodes.push_back(nth(n));
            finder.on_seed_answer(seed, nodes, network.now());
            next_look = {};
        }
    }

    void hang_up() {
        for (const auto& [peer, link] : links) {
            if (link.leaves_at <= network.now().steady && network.is_open(peer)) network.cut(peer);
        }
    }

    void notice_ends() {
        std::erase_if(links, [this](const auto& entry) {
            const auto& [peer, link] = entry;
            if (network.is_open(peer)) return false;
            const auto reason = network.dropped(peer).value_or(DisconnectReason::gone);
            finder.on_ended(link.address, reason, service_of(peer, reason), network.now());
            next_look = {};
            return true;
        });
    }

    net::PeerService service_of(PeerId peer, DisconnectReason reason) const {
        if (is_misbehaviour(reason) || reason == DisconnectReason::timed_out) {
            return net::PeerService::none;
        }
        return blocks_of(peer) > 0 ? net::PeerService::advanced : net::PeerService::answered;
    }

    void learn(Link& link, const net::Message& message) {
        const auto now = network.now();
        finder.on_heard(link.since, now);
        if (const auto* version = std::get_if<net::Version>(&message)) {
            finder.on_version(link.address, version->services, now);
        }
        if (const auto* gossip = std::get_if<net::AddrV2>(&message)) {
            const auto source = net::network_group(link.address);
            finder.on_gossip(source, gossip->addresses, link.told, link.since, now);
            link.told += gossip->addresses.size();
        }
    }

    static void pay_and_spend(regtest::RegtestChain& of, std::uint32_t number) {
        const auto txid = of.pay(ListWatcher::script(number), 7'000);
        if (number % 3 == 0) {
            const auto spend = test::make_spend(of, {{{txid, 0}}}, {{6'000, chain::Bytes{0x51}}});
            of.submit(test::signed_by_watcher(spend, of));
        }
    }

    /// No message comes over the open connections any more, and none of them is closed.
    void lose_connections() {
        for (const auto& [peer, link] : links) network.silence(peer);
    }
    void fall_offline() {
        is_online = false;
        lose_connections();
    }
    void resume_listening() { is_online = true; }

    /// Every liar that was ever asked for a block is banned, and no other node is.
    void expect_only_liars_banned() const {
        const auto now = network.now().unix_seconds;
        std::size_t banned = 0;
        for (std::size_t node = 0; node < std::size(kCrowd); ++node) {
            if (!addrman.bans().is_banned(nth(node), now)) continue;
            EXPECT_TRUE(is_liar(kCrowd[node])) << "node " << node;
            ++banned;
        }
        EXPECT_GE(banned, 1U);
        for (const auto& [peer, link] : links) {
            EXPECT_TRUE(!is_liar(kCrowd[link.node]) || blocks_of(peer) == 0)
                << "node " << link.node;
        }
    }

    std::uint64_t blocks_of(PeerId peer) const {
        const auto* report = net::find_report(engine.status().peers, peer);
        return report ? report->blocks : 0;
    }

    std::size_t places_of(bool (*kind)(Character)) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            links, [&](const auto& entry) { return kind(kCrowd[entry.second.node]); }));
    }

    void expect_truth() const {
        test::Knowledge confirmed = watcher.knowledge();
        std::erase_if(confirmed, [](const auto& entry) { return !entry.second; });
        EXPECT_EQ(confirmed, test::read_whole_chain(chain, watcher.watched()));
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    }

    regtest::RegtestChain chain;
    regtest::RegtestChain late_chain;  // the same chain, some minutes ago
    std::deque<std::pair<milliseconds, Change>> late_changes;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    net::SyncEngine engine{headers, watcher, following_strangers()};
    test::SimulatedNetwork network{engine};
    net::AddrMan addrman{net::AddrManOptions{}};
    net::PeerFinder finder{addrman, {{"x5.seed.example", "seed.example"}, {}}, network.now()};
    std::map<PeerId, Link> links;
    std::multimap<milliseconds, PeerAddress> dials;  // dials by the time at which they end
    milliseconds next_look{0};
    std::vector<std::string> questions;
    std::size_t dials_so_far = 0;
    std::size_t questions_so_far = 0;
    bool is_online = true;
};

TEST_F(FoundPeers, ServeTheWholeTruthAndStayAfterThreeHours) {
    std::map<PeerId, Link> settled;
    std::size_t dials_until_settled = 0;
    for (std::uint32_t block = 0; block < 18; ++block) {
        change([block](regtest::RegtestChain& of) { pay_and_spend(of, block); });
        live_for(minutes{5});
        if (block == 5) {
            fall_offline();
            live_for(minutes{4});
            resume_listening();
        }
        if (block == 8) {
            network.sleep(minutes{40});
            lose_connections();
        }
        if (block == 11)
            change([](regtest::RegtestChain& of) { of.reorganise(of.height() - 2, 3); });
        if (block == 14) {
            settled = links;
            dials_until_settled = dials_so_far;
        }
        change([](regtest::RegtestChain& of) { of.mine(); });
        live_for(minutes{5});
        expect_truth();
        ASSERT_FALSE(HasFailure()) << "after block " << block;
    }
    expect_only_liars_banned();
    EXPECT_EQ(places_of(is_useful), kPlaces);
    EXPECT_GE(places_of(is_good), kPlaces - 2);
    for (const auto& [peer, link] : settled)
        EXPECT_TRUE(links.contains(peer)) << "settled peers stay";
    EXPECT_EQ(dials_so_far, dials_until_settled);
    EXPECT_LT(dials_so_far, 1'000U) << "no node is dialled over and over";
    EXPECT_LT(questions_so_far, 30U)
        << "there are two seeds, each of which could be asked every minute";
}

}  // namespace
}  // namespace petal
