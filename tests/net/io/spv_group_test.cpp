// Syncs of several watchers over one header chain, over loopback.
#include "net/io/spv_group.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <stdexcept>

#include "net/discovery/addrman.h"
#include "net/io/clocks.h"
#include "net/io/dial/peer_endpoint.h"
#include "net/io/search/endpoint_finder.h"
#include "tests/net/io/spv_client_fixture.h"
#include "tests/support/socks_server.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::NoticingWatcher;

class SpvGroupTest : public testing::Test {
protected:
    struct Sync {
        Sync(chain::HeaderChain& headers, SharedHeaders& shared, SyncOptions options)
            : engine(headers, watcher, std::move(options), &shared) {}

        NoticingWatcher watcher;
        SyncEngine engine;
    };

    SpvGroupTest() { options_.timeout = milliseconds{20'000}; }

    Sync& add(SpvOptions options) {
        SyncOptions how;
        how.blocks.per_batch = 20;
        Sync& sync = syncs_.emplace_back(headers_, shared_, how);
        group_.add(sync.engine, test::regtest_params(), std::move(options));
        return sync;
    }

    static std::unique_ptr<regtest::EmbeddedNode> node(const std::string& host,
                                                       std::uint16_t port = 0) {
        regtest::ServerOptions options;
        options.host = host;
        options.port = port;
        return std::make_unique<regtest::EmbeddedNode>(options, test::paid_chain());
    }

    void expect_truth(const Sync& sync) const {
        const regtest::RegtestChain chain = test::paid_chain();
        EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
    }

    chain::HeaderChain headers_{test::regtest_params()};
    SharedHeaders shared_;
    std::deque<Sync> syncs_;
    SpvOptions options_;
    SpvGroup group_;
};

TEST_F(SpvGroupTest, SyncsSeveralWatchersFromOneNodeAndFetchesHeadersOnce) {
    const auto served = node("127.0.0.1");
    options_.endpoints = {served->endpoint()};
    for (int i = 0; i < 3; ++i) add(options_);
    std::uint64_t headers = 0;
    const auto ends = group_.run();
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(ends.at(i).result.outcome, SyncOutcome::synced);
        EXPECT_EQ(ends[i].failure, nullptr);
        expect_truth(syncs_[i]);
        headers += syncs_[i].engine.status().counts.headers;
    }
    EXPECT_EQ(headers, headers_.tip().height);
}

TEST_F(SpvGroupTest, ContinuesTheOtherSyncsIfOneFails) {
    const auto served = node("127.0.0.1");
    options_.endpoints = {served->endpoint()};
    int failures = 0;
    options_.events.on_exception = [&failures](const std::exception_ptr&) { ++failures; };
    for (int i = 0; i < 3; ++i) add(options_);
    syncs_[0].watcher.fail_next_apply();
    const auto ends = group_.run();
    EXPECT_NE(ends.at(0).failure, nullptr);
    EXPECT_EQ(failures, 1);
    for (std::size_t i = 1; i < 3; ++i) {
        EXPECT_EQ(ends.at(i).result.outcome, SyncOutcome::synced);
        EXPECT_EQ(ends[i].failure, nullptr);
        expect_truth(syncs_[i]);
    }
}

TEST_F(SpvGroupTest, StopsAllSyncsTogether) {
    options_.persistent = true;
    const test::ScriptedPeer silent{{test::hold, test::hold}};
    options_.endpoints = {silent.endpoint()};
    options_.events.on_progress = [this](const SyncStatus& status, const Traffic&) {
        if (status.phase == SyncPhase::handshake) group_.stop();
    };
    for (int i = 0; i < 2; ++i) add(options_);
    for (const auto& end : group_.run()) {
        EXPECT_EQ(end.result.outcome, SyncOutcome::interrupted);
    }
}

/// Syncs from nodes that are found and not named by the user.
class SpvGroupWithSearchTest : public SpvGroupTest {
protected:
    SpvGroupWithSearchTest() { options_.search = &search_; }

    void know(const regtest::EmbeddedNode& node) {
        const PeerAddress address = address_of(node.endpoint()).value();
        addrman_.add(address, kNodeNetwork | kNodeBloom, unix_time_now(), {1, address.host[1]},
                     unix_time_now());
    }

    static std::set<std::string> peers_of(const Sync& sync) {
        std::set<std::string> addresses;
        for (const PeerReport& peer : sync.engine.status().peers) addresses.insert(peer.address);
        return addresses;
    }

    /// The addresses that a seed lists.
    static boost::asio::awaitable<ResolvedHost> two_hosts() {
        co_return std::vector{boost::asio::ip::make_address("127.1.0.1"),
                              boost::asio::ip::make_address("127.2.0.1")};
    }

    /// Waits until it is cancelled.
    static boost::asio::awaitable<ResolvedHost> silence() {
        asio::steady_timer timer{co_await asio::this_coro::executor, std::chrono::hours{1}};
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
        co_return chain::Unexpected(ResolveError::no_answer);
    }

    static AddrManOptions accept_private() {
        AddrManOptions options;
        options.accept_private = true;
        return options;
    }

    AddrMan addrman_{accept_private()};
    EndpointFinder search_{addrman_, {}, read_clocks()};
};

TEST_F(SpvGroupWithSearchTest, ShowsNoNodeTheFiltersOfTwoWatchers) {
    std::vector<std::unique_ptr<regtest::EmbeddedNode>> nodes;
    for (const char* host : {"127.1.0.1", "127.2.0.1", "127.3.0.1", "127.4.0.1"}) {
        nodes.push_back(node(host));
        know(*nodes.back());
    }
    options_.max_peers = 2;
    for (int i = 0; i < 2; ++i) add(options_);
    for (const auto& end : group_.run()) EXPECT_EQ(end.result.outcome, SyncOutcome::synced);
    auto first = peers_of(syncs_[0]);
    const auto second = peers_of(syncs_[1]);
    EXPECT_FALSE(first.empty());
    EXPECT_FALSE(second.empty());
    const std::size_t apart = first.size() + second.size();
    first.insert(second.begin(), second.end());
    EXPECT_EQ(first.size(), apart);
}

TEST_F(SpvGroupWithSearchTest, LeavesAWatcherWithoutPeersRatherThanShareOne) {
    const auto only = node("127.1.0.1");
    know(*only);
    options_.timeout = milliseconds{1'500};
    for (int i = 0; i < 2; ++i) add(options_);
    const auto ends = group_.run();
    EXPECT_EQ(ends.at(0).result.outcome, SyncOutcome::synced);
    EXPECT_EQ(ends.at(1).result.outcome, SyncOutcome::timed_out);
    EXPECT_TRUE(peers_of(syncs_[1]).empty());
}

// Only the first watcher asks the seed. Without help, the second would look again after ten
// seconds.
TEST_F(SpvGroupWithSearchTest, OffersTheNodesOfASeedToAllWatchers) {
    const auto first = node("127.1.0.1");
    const auto second = node("127.2.0.1", first->port());
    EndpointFinderOptions how;
    how.seeds = {"seed"};
    how.default_port = first->port();
    how.resolver = [](const std::string&, auto) { return two_hosts(); };
    EndpointFinder search{addrman_, how, read_clocks()};
    options_.search = &search;
    options_.max_peers = 1;
    options_.timeout = milliseconds{8'000};
    for (int i = 0; i < 2; ++i) add(options_);
    for (const auto& end : group_.run()) EXPECT_EQ(end.result.outcome, SyncOutcome::synced);
}

// Otherwise, no other sync would ever see the end of the round.
TEST_F(SpvGroupWithSearchTest, CountsASeedOnceThatDoesNotAnswerBeforeTheEnd) {
    EndpointFinderOptions how;
    how.seeds = {"silent"};
    how.resolver = [this](const std::string&, auto) {
        group_.stop();
        return silence();
    };
    EndpointFinder search{addrman_, how, read_clocks()};
    options_.search = &search;
    add(options_);
    EXPECT_EQ(group_.run().at(0).result.outcome, SyncOutcome::interrupted);
    EXPECT_TRUE(search.can_find_no_peer());
}

// An exception of the resolver ends its coroutine and reaches the handler of the io_context.
TEST_F(SpvGroupWithSearchTest, EndsAllSyncsIfAFailureCannotBeReported) {
    EndpointFinderOptions how;
    how.seeds = {"seed"};
    how.resolver = [](const std::string&, auto) -> boost::asio::awaitable<ResolvedHost> {
        throw std::runtime_error("lookup");
    };
    EndpointFinder search{addrman_, how, read_clocks()};
    options_.search = &search;
    options_.events.on_exception = [](const std::exception_ptr&) {
        throw std::runtime_error("output");
    };
    add(options_);
    const test::ScriptedPeer silent{{test::hold}};
    options_.search = nullptr;
    options_.endpoints = {silent.endpoint()};
    options_.persistent = true;
    add(options_);
    const auto ends = group_.run();
    try {
        std::rethrow_exception(ends.at(0).failure);
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "lookup");
    }
    EXPECT_EQ(ends.at(1).failure, nullptr);
    EXPECT_EQ(ends.at(1).result.outcome, SyncOutcome::interrupted);
}

/// Seeds behind a proxy: the proxy resolves the seed's name and picks a node.
class SpvGroupByProxyTest : public SpvGroupWithSearchTest {
protected:
    /// Runs two syncs that know only two seeds, and keeps the addresses that the search collects.
    std::vector<SpvGroup::End> run_by(const test::SocksServer& proxy) {
        EndpointFinderOptions how;
        how.seeds = {"a.example", "b.example"};
        how.default_port = 18'444;
        how.by_proxy = true;
        EndpointFinder search{addrman_, how, read_clocks()};
        options_.search = &search;
        options_.proxy = proxy.endpoint();
        options_.max_peers = 1;
        for (int i = 0; i < 2; ++i) add(options_);
        return group_.run();
    }
};

TEST_F(SpvGroupByProxyTest, ShowsNoFilterToANodeThatTheProxyPicks) {
    // Both names lead to the same node.
    std::vector<std::unique_ptr<regtest::EmbeddedNode>> nodes;
    test::SocksServer::Hosts hosts;
    regtest::ServerOptions telling;
    telling.host = "127.1.0.1";
    for (const char* host : {"127.2.0.1", "127.3.0.1"}) {
        nodes.push_back(node(host));
        const PeerAddress address = address_of(nodes.back()->endpoint()).value();
        telling.behaviour.addresses.push_back(
            {address, kNodeNetwork | kNodeBloom, unix_time_now()});
        hosts[host] = nodes.back()->endpoint();
    }
    regtest::EmbeddedNode picked{telling, test::paid_chain()};
    for (const char* seed : {"a.example", "b.example"}) hosts[seed] = picked.endpoint();
    const test::SocksServer proxy{test::SocksManner::forwards, hosts};
    for (const auto& end : run_by(proxy)) EXPECT_EQ(end.result.outcome, SyncOutcome::synced);
    const auto first = peers_of(syncs_[0]);
    const auto second = peers_of(syncs_[1]);
    EXPECT_EQ(first.size(), 1U);
    EXPECT_EQ(second.size(), 1U);
    EXPECT_NE(first, second);
    for (const auto& peers : {first, second}) {
        EXPECT_FALSE(peers.contains("a.example:18444") || peers.contains("b.example:18444"));
    }
    EXPECT_GT(picked.accepted_count(), 0U);
    EXPECT_TRUE(addrman_.anchors().empty()) << "anchors would belong to one watcher";
}

}  // namespace
}  // namespace petal::net
