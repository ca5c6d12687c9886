// Peers found by DNS seeds and gossip, over loopback.
#include "net/io/search/endpoint_finder.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "net/discovery/addr_collector.h"
#include "net/discovery/addrman.h"
#include "net/io/dial/first_of.h"
#include "net/io/dial/peer_endpoint.h"
#include "tests/net/io/network_witness.h"
#include "tests/net/io/spv_client_fixture.h"
#include "tests/support/socks_server.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
namespace ip = boost::asio::ip;

using Hosts = std::vector<ip::address>;

/// Stands for DNS: it answers from a table, and records the names that are looked up.
struct NameServer {
    std::map<std::string, Hosts> hosts;
    std::vector<std::string> asked;
    bool hangs = false;
    ResolveError otherwise = ResolveError::no_answer;

    boost::asio::awaitable<ResolvedHost> answer(std::string name) {
        asked.push_back(name);
        if (hangs) co_await pause_forever();
        const auto found = hosts.find(name);
        if (found == hosts.end()) co_return chain::Unexpected{otherwise};
        co_return found->second;
    }
};

class EndpointFinderTest : public test::SpvClientFixture {
protected:
    EndpointFinderTest() {
        sync_options_.ask_for_addresses = true;
        addrman_options_.accept_private = true;
        addrman_ = AddrMan{addrman_options_};
        options_.timeout = milliseconds{20'000};
    }

    /// A node with the paid chain at this address.
    static std::unique_ptr<regtest::EmbeddedNode> node(const std::string& host) {
        regtest::ServerOptions options;
        options.host = host;
        return std::make_unique<regtest::EmbeddedNode>(options, test::paid_chain());
    }

    SpvResult find(std::vector<std::string> seeds, std::uint16_t port) {
        EndpointFinderOptions how;
        how.seeds = std::move(seeds);
        how.default_port = port;
        how.resolver = [this](std::string name, auto) { return names_.answer(std::move(name)); };
        EndpointFinder search{addrman_, how, now_};
        options_.search = &search;
        return sync({});
    }

    std::optional<PeerOutcome> outcome_of_peer(const regtest::EmbeddedNode& node) {
        const auto peer = addrman_.find(address_of(node.endpoint()).value());
        return peer ? peer->last_outcome : std::nullopt;
    }

    Now now_{std::chrono::duration_cast<milliseconds>(
                 std::chrono::steady_clock::now().time_since_epoch()),
             1'750'000'000};
    AddrManOptions addrman_options_;
    AddrMan addrman_{addrman_options_};
    NameServer names_;
};

TEST_F(EndpointFinderTest, QueriesNoSeedsIfOnlyOnionServicesAreDialled) {
    for (const bool onion_only : {false, true}) {
        EndpointFinderOptions how;
        how.onion_only = onion_only;
        EndpointFinder search{addrman_, how, now_};
        search.look_for(kNodeNetwork, {"seed"});
        EXPECT_TRUE(search.choose(8, now_).empty());
        EXPECT_EQ(search.choose_seeds(8, now_).empty(), onion_only);
    }
}

TEST_F(EndpointFinderTest, SyncsFromANodeThatASeedLists) {
    const auto served = node("127.1.0.1");
    names_.hosts["seed"] = {ip::make_address("127.1.0.1")};
    const auto result = find({"silent", "seed"}, served->port());
    EXPECT_EQ(result.outcome, SyncOutcome::synced);
    EXPECT_FALSE(result.search.offline);
    expect_truth(*served);
    EXPECT_EQ(outcome_of_peer(*served), PeerOutcome::served);
}

TEST_F(EndpointFinderTest, RemembersTheNodeAndAsksNoSeedTheNextTime) {
    const auto served = node("127.1.0.1");
    names_.hosts["seed"] = {ip::make_address("127.1.0.1")};
    options_.max_peers = 1;
    find({"seed"}, served->port());
    names_.asked.clear();
    EXPECT_EQ(find({"seed"}, served->port()).outcome, SyncOutcome::synced);
    EXPECT_TRUE(names_.asked.empty());
}

TEST_F(EndpointFinderTest, FollowsGossipToANodeThatServes) {
    const auto served = node("127.2.0.1");
    const PeerAddress further = address_of(served->endpoint()).value();
    // This node serves headers and then nothing more.
    regtest::ServerOptions stalling = test::with_fault(regtest::FaultKind::hang_up, 0);
    stalling.host = "127.1.0.1";
    stalling.behaviour.addresses = {{further, kNodeBloom, now_.unix_seconds}};
    regtest::EmbeddedNode first{stalling, test::paid_chain()};
    names_.hosts["seed"] = {ip::make_address("127.1.0.1")};
    const auto result = find({"seed"}, first.port());
    EXPECT_EQ(result.outcome, SyncOutcome::synced);
    expect_truth(*served);
    EXPECT_EQ(outcome_of_peer(*served), PeerOutcome::served);
}

TEST_F(EndpointFinderTest, IgnoresGossipBeforeTheHandshakeIsComplete) {
    const auto told = [this](chain::Byte number) {
        const PeerAddress address{AddressKind::ipv4, {127, 77, 0, number}, 8333};
        return GossipedAddress{address, kNodeBloom, now_.unix_seconds};
    };
    const test::ScriptedPeer peer{{[&](test::ScriptedConnection& connection) {
        connection.write(Addr{{told(1)}});
        Version version;
        version.services = kNodeNetwork | kNodeBloom;
        connection.write(version);
        connection.write(Addr{{told(2)}});
        connection.write(AddrV2{{told(3)}});
        connection.write(Verack{});
        connection.write(Addr{{told(4)}});
        connection.write(AddrV2{{told(5)}});
        connection.read_until("getheaders");
    }}};
    names_.hosts["seed"] = {ip::make_address("127.0.0.1")};
    options_.timeout.reset();
    find({"seed"}, peer.endpoint().port);
    for (chain::Byte number = 1; number <= 5; ++number) {
        EXPECT_EQ(addrman_.find(told(number).address).has_value(), number >= 4) << int{number};
    }
}

TEST_F(EndpointFinderTest, KeepsOutcomesByTheirKind) {
    regtest::ServerOptions no_filters;
    no_filters.host = "127.2.0.1";
    no_filters.behaviour.services = kNodeNetwork;
    regtest::EmbeddedNode without{no_filters, test::paid_chain()};
    names_.hosts["seed"] = {ip::make_address("127.2.0.1")};
    options_.timeout.reset();
    EXPECT_EQ(find({"seed"}, without.port()).outcome, SyncOutcome::no_usable_peer);
    EXPECT_EQ(outcome_of_peer(without), PeerOutcome::lacks_services);
    EXPECT_FALSE(
        addrman_.bans().is_banned(address_of(without.endpoint()).value(), now_.unix_seconds));
}

TEST_F(EndpointFinderTest, TakesAtMostAThousandAddressesFromAConnection) {
    const auto told = [this](chain::Byte number) {
        const PeerAddress address{AddressKind::ipv4, {127, 77, 0, number}, 8333};
        return GossipedAddress{address, kNodeBloom, now_.unix_seconds};
    };
    const test::ScriptedPeer peer{{[&](test::ScriptedConnection& connection) {
        test::shake_hands(connection, 0);
        connection.write(Addr{std::vector(kFirstGossip - 1, told(1))});
        connection.write(Ping{1});
        connection.read_until("pong");  // so that the client reads the next bytes separately
        connection.write(Addr{{told(2), told(3)}});
        connection.write(Ping{2});
        connection.read_until("pong");
    }}};
    names_.hosts["seed"] = {ip::make_address("127.0.0.1")};
    options_.timeout.reset();
    find({"seed"}, peer.endpoint().port);
    ASSERT_TRUE(addrman_.find(told(1).address).has_value());
    EXPECT_EQ(addrman_.find(told(1).address)->source, (chain::Bytes{1, 127, 0}))
        << "the network group of the source";
    EXPECT_TRUE(addrman_.find(told(2).address).has_value());
    EXPECT_FALSE(addrman_.find(told(3).address).has_value());
}

TEST_F(EndpointFinderTest, DialsNodesOfASeedAtOnce) {
    const auto served = node("127.1.0.1");
    names_.hosts["seed"] = {ip::make_address("127.1.0.1")};
    const auto start = std::chrono::steady_clock::now();
    find({"seed"}, served->port());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{5});
}

TEST_F(EndpointFinderTest, SavesTheAddrManAtTheEndAndAtIntervals) {
    int saved = 0;
    options_.saves.save_peers = [&] { ++saved; };
    options_.timeout.reset();
    find({"a"}, 1);
    EXPECT_EQ(saved, 1) << "once, at the end";

    options_.saves.save_peers = [&] {
        if (++saved == 4) client_->stop();
    };
    options_.saves.save_peers_every = milliseconds{1};
    options_.persistent = true;
    EXPECT_EQ(find({"a"}, 1).outcome, SyncOutcome::interrupted);
    EXPECT_EQ(saved, 5) << "three times, and once at the end";
}

TEST_F(EndpointFinderTest, GoesOnForEverIfPersistent) {
    // The sync is still running, although the finder has nothing left to dial or ask.
    int looks = 0;
    options_.events.on_progress = [&](const SyncStatus&, const Traffic&) {
        if (++looks == 3) client_->stop();
    };
    options_.timeout.reset();
    options_.persistent = true;
    EXPECT_EQ(find({"a"}, 1).outcome, SyncOutcome::interrupted);
    EXPECT_GE(looks, 3);
}

TEST_F(EndpointFinderTest, SaysThatTheMachineIsOfflineIfNothingAnswers) {
    options_.timeout.reset();
    const auto result = find({"a", "b"}, 1);
    EXPECT_EQ(result.outcome, SyncOutcome::no_usable_peer);
    EXPECT_TRUE(result.search.offline);
    EXPECT_EQ(names_.asked, (std::vector<std::string>{"a", "b"}));
}

TEST_F(EndpointFinderTest, SaysThatNoNodeIsKnownIfNoSeedExists) {
    options_.timeout.reset();
    names_.otherwise = ResolveError::no_such_host;
    const auto result = find({"a", "b"}, 1);
    EXPECT_EQ(result.outcome, SyncOutcome::no_usable_peer);
    EXPECT_FALSE(result.search.offline);
    EXPECT_TRUE(result.search.has_no_known_address);
}

TEST_F(EndpointFinderTest, AsksForSeedsAsWholeNames) {
    options_.timeout.reset();
    find({"seed.example", "whole.example.", "local"}, 1);
    EXPECT_EQ(names_.asked, (std::vector<std::string>{"seed.example.", "whole.example.", "local"}));
}

TEST_F(EndpointFinderTest, EndsInTimeIfDnsHangs) {
    names_.hangs = true;
    options_.timeout = milliseconds{50};
    EXPECT_EQ(find({"a"}, 1).outcome, SyncOutcome::timed_out);
}

TEST_F(EndpointFinderTest, DialsARepeatedAddressOfASeedOnce) {
    names_.hosts["liar"] = Hosts(300, ip::make_address("127.9.0.1"));
    options_.timeout.reset();
    const auto result = find({"liar"}, 2);
    EXPECT_EQ(result.outcome, SyncOutcome::no_usable_peer);
    EXPECT_EQ(result.endpoints.size(), 1U);
    EXPECT_EQ(result.endpoints.at(0).dials, 1U);
}

TEST_F(EndpointFinderTest, AsksNoDnsThroughAProxy) {
    EndpointFinderOptions how;
    how.seeds = {"seed.example.org"};
    how.default_port = 18'444;
    how.by_proxy = true;
    EndpointFinder search{addrman_, how, now_};
    EXPECT_EQ(search.choose(8, now_), (std::vector<Endpoint>{{"seed.example.org", 18'444}}));
    EXPECT_TRUE(search.choose_seeds(8, now_).empty());
    EXPECT_FALSE(search.can_find_no_peer()) << "the node is being dialled";
    search.on_dial_failed({"seed.example.org", 18'444}, DialError::proxy_timed_out, now_);
    search.choose(8, now_);
    EXPECT_TRUE(search.can_find_no_peer());
}

TEST_F(EndpointFinderTest, DialsSeedsThroughAProxyOneForEachSlot) {
    EndpointFinderOptions how;
    how.seeds = {"a.example", "b.example", "c.example"};
    how.default_port = 18'444;
    how.by_proxy = true;
    EndpointFinder search{addrman_, how, now_};
    EXPECT_EQ(search.choose(1, now_), (std::vector<Endpoint>{{"a.example", 18'444}}));
    EXPECT_TRUE(search.choose_seeds(1, now_).empty()) << "the proxy looks up the names of seeds";
    EXPECT_EQ(search.choose(1, now_), (std::vector<Endpoint>{{"b.example", 18'444}}));
}

TEST_F(EndpointFinderTest, SendsNothingPastTheProxy) {
    const auto served = node("127.2.0.1");
    const PeerAddress onion{AddressKind::onion, chain::Bytes(32, 7), 18'444};
    // The seed leads to a node that serves only headers. It gossips about an onion service, which
    // serves everything.
    regtest::ServerOptions stalling = test::with_fault(regtest::FaultKind::hang_up, 0);
    stalling.behaviour.addresses = {{onion, kNodeBloom, now_.unix_seconds}};
    regtest::EmbeddedNode first{stalling, test::paid_chain()};
    const test::SocksServer proxy{
        test::SocksManner::forwards,
        {{"seed.example.org", first.endpoint()}, {endpoint_of(onion).host, served->endpoint()}}};
    EndpointFinderOptions how;
    how.seeds = {"seed.example.org", "other.example.org"};
    how.default_port = 18'444;
    how.by_proxy = true;
    EndpointFinder search{addrman_, how, now_};
    options_.search = &search;
    options_.proxy = proxy.endpoint();
    // The proxy runs in this process, so its own connections to the nodes are overlooked.
    const test::NetworkWitness witness{{first.port(), served->port()}};
    EXPECT_EQ(sync({}).outcome, SyncOutcome::synced);
    EXPECT_EQ(witness.ports(), std::set{proxy.endpoint().port});
    EXPECT_TRUE(witness.names().empty());
    expect_truth(*served);
    std::set<std::string> asked;
    for (const auto& request : proxy.requests()) asked.insert(request.host);
    EXPECT_EQ(asked, (std::set<std::string>{"seed.example.org", "other.example.org",
                                            endpoint_of(onion).host}));
}

TEST_F(EndpointFinderTest, UsesOnlyOnionServicesOnRequest) {
    EndpointFinderOptions how;
    how.seeds = {"seed.example.org"};
    how.by_proxy = how.onion_only = true;
    const PeerAddress onion{AddressKind::onion, chain::Bytes(32, 7), 8333};
    addrman_.add(onion, 5, now_.unix_seconds, {1, 2, 3}, now_.unix_seconds);
    addrman_.add({AddressKind::ipv4, {9, 9, 9, 9}, 8333}, 5, now_.unix_seconds, {1, 2, 3},
                 now_.unix_seconds);
    EndpointFinder search{addrman_, how, now_};
    EXPECT_EQ(search.choose(8, now_), std::vector{endpoint_of(onion)});
    EXPECT_TRUE(search.choose_seeds(8, now_).empty());
}

}  // namespace
}  // namespace petal::net
