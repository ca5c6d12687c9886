// A census over loopback.
#include "net/io/census.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <set>

#include "net/io/clocks.h"
#include "net/io/dial/peer_endpoint.h"
#include "tests/net/io/spv_client_fixture.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
namespace ip = boost::asio::ip;

class CensusTest : public testing::Test {
protected:
    CensusTest() {
        AddrManOptions how;
        how.accept_private = true;
        how.services = 0;
        addrman_ = AddrMan{how};
        options_.magic = test::regtest_params().magic;
        options_.resolver = [this](std::string name, auto) { return answer(std::move(name)); };
    }

    boost::asio::awaitable<ResolvedHost> answer(std::string name) {
        ++asked_[name];
        const auto known = lists_.find(name);
        if (known == lists_.end()) co_return chain::Unexpected{ResolveError::no_such_host};
        co_return known->second;
    }

    regtest::EmbeddedNode& serve(const std::string& host, std::uint64_t services,
                                 std::uint16_t port = 0) {
        regtest::ServerOptions options;
        options.host = host;
        options.port = port;
        options.behaviour.services = services;
        return *nodes_.emplace_back(std::make_unique<regtest::EmbeddedNode>(options));
    }
    PeerAddress know(const Endpoint& peer, chain::Bytes source = {1, 2, 3}) {
        const PeerAddress address = address_of(peer).value();
        const auto now = unix_time_now();
        addrman_.add(address, 0, now, source, now);
        return address;
    }

    std::vector<std::unique_ptr<regtest::EmbeddedNode>> nodes_;
    AddrMan addrman_{AddrManOptions{}};
    CensusOptions options_;
    std::map<std::string, std::vector<ip::address>> lists_;
    std::map<std::string, int> asked_;
};

TEST_F(CensusTest, LearnsTheServicesOfEachNode) {
    const std::uint64_t services[] = {kNodeNetwork | kNodeBloom, kNodeNetworkLimited,
                                      kNodeNetwork | kNodeCompactFilters, 0};
    std::multiset<std::uint64_t> expected(std::begin(services), std::end(services));
    std::map<PeerAddress, std::uint64_t> known;
    for (const std::uint64_t bits : services) {
        const std::string host = "127." + std::to_string(known.size() + 1) + ".0.1";
        known.emplace(know(serve(host, bits).endpoint()), bits);
    }
    const auto before = unix_time_now();
    const CensusResult census = take_census(addrman_, options_);
    EXPECT_EQ(std::multiset(census.services.begin(), census.services.end()), expected);
    EXPECT_EQ(census.known, 4U);
    EXPECT_EQ(census.greeted, 4U);
    EXPECT_TRUE(census.is_complete);
    for (const auto& [address, bits] : known) {
        const KnownPeer peer = addrman_.find(address).value();
        EXPECT_EQ(peer.services, bits);
        EXPECT_GE(peer.services_time, before);
        EXPECT_EQ(peer.last_outcome, PeerOutcome::answered);
    }
    for (const auto& node : nodes_) EXPECT_EQ(node->accepted_count(), 1U);
}

TEST_F(CensusTest, GreetsTheNodesThatSeedsList) {
    auto& node = serve("127.1.0.1", kNodeNetwork);
    auto& other = serve("127.2.0.1", kNodeNetwork, node.port());
    options_.default_port = node.port();
    lists_["seed"] = {ip::make_address("127.1.0.1"), ip::make_address("127.2.0.1")};
    options_.seeds = {"seed", "unknown"};
    // Nodes that only a list by services has shown distort the shares.
    const PeerAddress listed = know(other.endpoint(), {'x', '9', '.', 's'});
    auto& hidden = serve("127.3.0.1", kNodeNetwork);
    know(hidden.endpoint(), {'x', 'd', '.', 's'});
    const CensusResult census = take_census(addrman_, options_);
    EXPECT_EQ(census.services.size(), 2U);
    EXPECT_EQ(census.seed_lookups.answered, 1U);
    EXPECT_EQ(census.seed_lookups.unknown, 1U);
    EXPECT_GT(addrman_.find(listed)->services_time, 0);
    EXPECT_EQ(hidden.accepted_count(), 0U);
    EXPECT_EQ(asked_, (std::map<std::string, int>{{"seed", 1}, {"unknown", 1}}));
}

TEST_F(CensusTest, QueriesNoSeedThroughAProxy) {
    options_.seeds = {"seed"};
    options_.proxy = Endpoint{"127.0.0.1", 1};
    take_census(addrman_, options_);
    options_.proxy.reset();
    options_.onion_only = true;
    take_census(addrman_, options_);
    EXPECT_TRUE(asked_.empty());
}

TEST_F(CensusTest, ShowsANodeNothingButAVersion) {
    std::atomic<bool> sent_more = false;
    const test::ScriptedPeer peer{{[&](test::ScriptedConnection& connection) {
        connection.read_until("version");
        connection.write(Version{});
        sent_more = !connection.read(1).empty();
    }}};
    know(peer.endpoint());
    EXPECT_EQ(take_census(addrman_, options_).services.size(), 1U);
    EXPECT_FALSE(sent_more);
}

TEST_F(CensusTest, HasBounds) {
    std::vector<std::unique_ptr<test::ScriptedPeer>> silent;
    for (int i = 0; i < 4; ++i) {
        silent.push_back(std::make_unique<test::ScriptedPeer>(
            std::vector<test::ScriptedPeer::Script>{test::hold}));
    }
    // One node of each host.
    for (const auto& peer : silent) know(peer->endpoint());
    know(serve("127.1.0.1", kNodeNetwork).endpoint());
    know(serve("127.2.0.1", kNodeNetwork).endpoint());
    options_.at_once = 1;
    options_.most_nodes = 2;
    options_.timeout = milliseconds{500};
    const CensusResult census = take_census(addrman_, options_);
    EXPECT_EQ(census.known, 3U);
    int greeted = 0;
    for (const auto& peer : silent) greeted += peer->accepted();
    for (const auto& node : nodes_) greeted += static_cast<int>(node->accepted_count());
    EXPECT_LE(greeted, 2);
    EXPECT_LT(census.duration, milliseconds{5'000});
}

}  // namespace
}  // namespace petal::net
