// Syncs over loopback with several peers: the failure of one peer does not affect the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "net/io/dial/dial_plan.h"
#include "net/wire/codec.h"
#include "tests/net/io/spv_client_fixture.h"
#include "tests/support/ports.h"

namespace petal::net {
namespace {

using test::hold;
using test::paid_chain;
using test::regtest_params;
using test::ScriptedConnection;
using test::ScriptedPeer;

class SeveralPeersTest : public test::SpvClientFixture {
protected:
    /// Syncs, and goes on listening until `done` returns true.
    SpvResult sync_until(std::vector<Endpoint> endpoints, std::function<bool()> done) {
        sync_options_.wait_unconfirmed = std::chrono::hours{1};
        options_.events.on_progress = [this, done](const SyncStatus& status, const Traffic&) {
            if (status.phase == SyncPhase::listening && done()) client_->stop();
        };
        return sync(std::move(endpoints));
    }
};

TEST_F(SeveralPeersTest, ConnectsToAllAtOnceAndOnceToEach) {
    regtest::EmbeddedNode first{{}, paid_chain()};
    regtest::EmbeddedNode second{{}, paid_chain()};
    const auto both_have_answered = [this] {
        const auto& peers = engine_->status().peers;
        return peers.size() == 2 && std::ranges::all_of(peers, &PeerReport::answered);
    };
    const auto result =
        sync_until({first.endpoint(), second.endpoint(), first.endpoint()}, both_have_answered);
    expect_truth(first);
    EXPECT_EQ(first.accepted_count(), 1U);
    EXPECT_EQ(second.accepted_count(), 1U);

    ASSERT_EQ(result.endpoints.size(), 2U) << "one node was named twice";
    for (const auto& report : result.endpoints) {
        EXPECT_EQ(report.dials, 1U);
        EXPECT_FALSE(report.last_failure.has_value());
    }
    ASSERT_EQ(result.peers.size(), 2U);
    EXPECT_NE(result.peers[0].peer, result.peers[1].peer);
    auto sum = result.peers[0].traffic;
    sum += result.peers[1].traffic;
    EXPECT_EQ(result.traffic.bytes_received, sum.bytes_received);
    EXPECT_EQ(result.traffic.bytes_sent, sum.bytes_sent);
}

TEST_F(SeveralPeersTest, KeepsNoMoreConnectionsThanItMay) {
    options_.max_peers = 2;
    const regtest::EmbeddedNode nodes[] = {regtest::EmbeddedNode{{}, paid_chain()},
                                           regtest::EmbeddedNode{{}, paid_chain()}};
    regtest::EmbeddedNode spare{{}, paid_chain()};
    const auto result = sync_until({nodes[0].endpoint(), nodes[1].endpoint(), spare.endpoint()},
                                   [this] { return engine_->status().peers.size() == 2; });
    EXPECT_EQ(result.peers.size(), 2U);
    EXPECT_EQ(spare.accepted_count(), 0U);
}

TEST_F(SeveralPeersTest, ConnectsToOneMoreWhileNoBlockComes) {
    options_.max_peers = 1;
    sync_options_.has_substitutes = true;
    sync_options_.timeouts.extra_peer = std::chrono::milliseconds{1};
    regtest::EmbeddedNode first{{}, paid_chain()};
    regtest::EmbeddedNode extra{{}, paid_chain()};
    regtest::EmbeddedNode third{{}, paid_chain()};
    sync_options_.wait_unconfirmed = SyncOptions::kForever;
    options_.events.on_progress = [&](const SyncStatus& status, const Traffic&) {
        const bool has_both = status.peers.size() == 2 && status.peers[1].answered;
        if (status.phase == SyncPhase::listening && has_both) client_->stop();
    };
    const auto result = sync({first.endpoint(), extra.endpoint(), third.endpoint()});
    EXPECT_EQ(result.outcome, SyncOutcome::interrupted);
    EXPECT_EQ(extra.accepted_count(), 1U);
    EXPECT_EQ(third.accepted_count(), 0U);
}

TEST_F(SeveralPeersTest, GivesUpAPeerThatRefusesBlocksThreeTimes) {
    regtest::EmbeddedNode refuses{test::with_fault(regtest::FaultKind::hang_up, 0), paid_chain()};
    const auto result = sync({refuses.endpoint()});
    EXPECT_EQ(result.outcome, SyncOutcome::no_usable_peer);
    EXPECT_EQ(result.endpoints[0].last_failure.value().reason, DisconnectReason::upload_limit);
    EXPECT_EQ(result.endpoints[0].dials, DialPlan::kMaxStrikes);
}

TEST_F(SeveralPeersTest, DialsTheNextPeerWhenOneEnds) {
    options_.max_peers = 2;
    regtest::EmbeddedNode good{{}, paid_chain()};
    regtest::EmbeddedNode spare{{}, paid_chain()};
    const ScriptedPeer web{
        {[](ScriptedConnection& connection) { connection.write("HTTP/1.1 400 Bad Request\r\n"); }}};
    const auto result = sync_until({web.endpoint(), good.endpoint(), spare.endpoint()},
                                   [&] { return spare.accepted_count() == 1; });
    EXPECT_EQ(result.endpoints[0].dials, 1U);
    EXPECT_EQ(result.endpoints[0].last_failure.value().reason, DisconnectReason::not_bitcoin);
    EXPECT_FALSE(result.endpoints[1].last_failure.has_value());
    expect_truth(good);
}

TEST_F(SeveralPeersTest, DoesNotWaitForUselessPeers) {
    sync_options_.timeouts.handshake = std::chrono::hours{1};
    regtest::EmbeddedNode good{{}, paid_chain()};
    const ScriptedPeer silent{{hold}};
    const auto refused = test::closed_port();
    const auto result = sync({good.endpoint(), refused, silent.endpoint()});
    EXPECT_EQ(result.outcome, SyncOutcome::synced);
    EXPECT_EQ(result.endpoints[1].last_failure.value().reason, DisconnectReason::unreachable);
    EXPECT_FALSE(result.endpoints[2].last_failure.has_value());
    expect_truth(good);
}

TEST_F(SeveralPeersTest, DialsAPeerAgainThatHangsUpWhileAnotherServes) {
    regtest::EmbeddedNode good{{}, paid_chain()};
    const ScriptedPeer hangs_up{{[](ScriptedConnection&) {}, hold}};
    const auto result = sync_until({hangs_up.endpoint(), good.endpoint()},
                                   [&] { return hangs_up.accepted() == 2; });
    EXPECT_EQ(result.endpoints[0].dials, 2U);
    EXPECT_EQ(result.endpoints[0].last_failure.value().reason, DisconnectReason::gone);
    EXPECT_EQ(good.accepted_count(), 1U);
}

TEST_F(SeveralPeersTest, IsNotHeldUpByAPeerThatFloodsIt) {
    regtest::EmbeddedNode good{{}, paid_chain()};
    const auto ping = encode_message(regtest_params().magic, Ping{1});
    chain::Bytes pings;
    for (int i = 0; i < 10'000; ++i) pings.insert(pings.end(), ping.begin(), ping.end());
    const ScriptedPeer flood{{[&](ScriptedConnection& connection) {
        test::shake_hands(connection, test::kPaidChainBlocks);
        while (connection.write(chain::ByteView{pings})) {
        }
    }}};
    EXPECT_EQ(sync({good.endpoint(), flood.endpoint()}).outcome, SyncOutcome::synced);
    expect_truth(good);
}

TEST_F(SeveralPeersTest, EndsWhenAllHaveFailed) {
    const ScriptedPeer hangs_up{{[](ScriptedConnection&) {}}};
    const ScriptedPeer web{
        {[](ScriptedConnection& connection) { connection.write("HTTP/1.1 400 Bad Request\r\n"); }}};
    const auto result = sync({hangs_up.endpoint(), test::closed_port(), web.endpoint()});
    EXPECT_EQ(result.outcome, SyncOutcome::no_usable_peer);
    EXPECT_EQ(result.endpoints[0].last_failure.value().reason, DisconnectReason::gone);
    EXPECT_EQ(result.endpoints[1].last_failure.value().reason, DisconnectReason::unreachable);
    EXPECT_EQ(result.endpoints[2].last_failure.value().reason, DisconnectReason::not_bitcoin);
    for (const auto& report : result.endpoints) EXPECT_EQ(report.dials, 1U);
}

TEST_F(SeveralPeersTest, IsStoppedDuringHandshakes) {
    sync_options_.timeouts.handshake = std::chrono::hours{1};
    const ScriptedPeer silent{{hold}};
    const ScriptedPeer as_silent{{hold}};
    ScriptedPeer stops{{[this](ScriptedConnection& connection) {
        client_->stop();
        connection.hold();
    }}};
    const auto result =
        sync({silent.endpoint(), as_silent.endpoint(), test::closed_port(), stops.endpoint()});
    EXPECT_EQ(result.outcome, SyncOutcome::interrupted);
}

TEST_F(SeveralPeersTest, RethrowsTheWatchersExceptionAfterDisconnecting) {
    regtest::EmbeddedNode first{{}, paid_chain()};
    regtest::EmbeddedNode second{{}, paid_chain()};
    watcher_.fail_next_apply();
    EXPECT_THROW(sync({first.endpoint(), second.endpoint()}), std::runtime_error);
    while (first.connection_count() + second.connection_count() > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace petal::net
