// Whole syncs over loopback, against embedded nodes and scripted peers.
#include "net/io/spv_client.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <utility>
#include <vector>

#include "net/io/dial/dial_plan.h"
#include "net/wire/codec.h"
#include "tests/net/io/spv_client_fixture.h"
#include "tests/support/ports.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::kPaidChainBlocks;
using test::paid_chain;
using test::regtest_params;
using test::ScriptedConnection;
using test::ScriptedPeer;
using test::with_fault;

constexpr milliseconds kShort{100};

using SpvClientTest = test::SpvClientFixture;

TEST_F(SpvClientTest, SyncsFromAnEmbeddedNode) {
    regtest::EmbeddedNode node{{}, paid_chain()};
    const auto result = sync({node.endpoint()});

    EXPECT_EQ(result.outcome, SyncOutcome::synced);
    EXPECT_EQ(watcher_.knowledge().size(), 10U);
    expect_truth(node);
    ASSERT_EQ(result.peers.size(), 1U);
    EXPECT_EQ(result.peers[0].peer, engine_->status().peers.at(0).id);
    EXPECT_GT(result.traffic.bytes_received, kPaidChainBlocks * 80U);
    EXPECT_GT(result.traffic.bytes_sent, kPaidChainBlocks * 36U);
    EXPECT_EQ(result.traffic.bytes_received, result.peers[0].traffic.bytes_received);
    EXPECT_FALSE(result.endpoints.at(0).last_failure.has_value());
}

TEST_F(SpvClientTest, SaysThatConnectionsAreRefused) {
    const auto failure = failure_of(test::closed_port());
    EXPECT_EQ(failure.reason, DisconnectReason::unreachable);
    EXPECT_EQ(describe(failure), "can't be reached (connection refused)");
}

TEST_F(SpvClientTest, SaysThatThePeerSendsHalfAMessage) {
    sync_options_.timeouts.handshake = kShort;
    EXPECT_EQ(reason_of([](ScriptedConnection& connection) {
                  auto version = encode_message(regtest_params().magic, Version{});
                  version.resize(version.size() / 2);
                  connection.write(version);
                  connection.hold();
              }),
              DisconnectReason::timed_out);
}

// These payloads are no transactions. If petal decoded them, it would disconnect.
TEST_F(SpvClientTest, DropsUnrequestedMessagesUnread) {
    const auto transaction =
        encode_frame(regtest_params().magic, "tx", chain::Bytes(4'000'000, 0xff));
    const auto failure = [&] {
        const ScriptedPeer peer{{[&](ScriptedConnection& connection) {
            connection.write(chain::ByteView{transaction});
            test::shake_hands(connection, 5);
            connection.write(chain::ByteView{transaction});
            connection.write(
                encode_frame(regtest_params().magic, "headers", chain::Bytes{1, 2, 3}));
            connection.hold();
        }}};
        return failure_of(peer.endpoint());
    }();
    EXPECT_EQ(failure.reason, DisconnectReason::malformed_message);
    EXPECT_TRUE(failure.detail.starts_with("headers: ")) << failure.detail;
}

TEST_F(SpvClientTest, BlamesAPeerForAnUnrequestedBlockUnread) {
    EXPECT_EQ(reason_of([](ScriptedConnection& connection) {
                  test::shake_hands(connection, 5);
                  connection.write(
                      encode_frame(regtest_params().magic, "block", chain::Bytes(1'000, 0xff)));
                  connection.hold();
              }),
              DisconnectReason::unrequested);
}

TEST_F(SpvClientTest, LeavesAPeerThatFloodsItWithUnknownMessages) {
    const auto unknown = encode_frame(regtest_params().magic, "unknown", chain::Bytes(3'900'000));
    const ScriptedPeer peer{{[&](ScriptedConnection& connection) {
        test::shake_hands(connection, 5);
        while (connection.write(chain::ByteView{unknown})) {
        }
    }}};
    const auto failure = failure_of(peer.endpoint());
    EXPECT_EQ(failure.reason, DisconnectReason::unrequested);
    EXPECT_EQ(failure.detail, "messages");
}

TEST_F(SpvClientTest, AllowsAPeerToAnnounceItsMempoolWhateverItSentBefore) {
    const auto unknown = encode_frame(regtest_params().magic, "unknown", chain::Bytes(3'900'000));
    const auto flood = [&](ScriptedConnection& connection) {
        for (int i = 0; i < 4; ++i) connection.write(chain::ByteView{unknown});
    };
    bool is_answered = false;
    sync_options_.wait_unconfirmed = SyncOptions::kForever;
    const ScriptedPeer peer{{[&](ScriptedConnection& connection) {
        test::shake_hands(connection, 0);
        flood(connection);
        connection.read_until("getheaders");
        connection.write(Headers{});
        connection.read_until("mempool");
        flood(connection);
        connection.write(Ping{9});
        is_answered = connection.read_until("pong");
        client_->stop();
        connection.hold();
    }}};
    EXPECT_EQ(sync({peer.endpoint()}).outcome, SyncOutcome::interrupted);
    EXPECT_TRUE(is_answered);
}

TEST_F(SpvClientTest, SaysThatThePeerDoesNotReadAnswers) {
    const auto ping = encode_message(regtest_params().magic, Ping{1});
    chain::Bytes pings;
    for (int i = 0; i < 10'000; ++i) pings.insert(pings.end(), ping.begin(), ping.end());
    // A few seconds would do on a fast machine.
    sync_options_.timeouts.answer = std::chrono::minutes{10};
    const ScriptedPeer peer{{[&](ScriptedConnection& connection) {
        test::shake_hands(connection, 5);
        while (connection.write(chain::ByteView{pings})) {
        }
    }}};
    const auto failure = failure_of(peer.endpoint());
    EXPECT_EQ(failure.reason, DisconnectReason::timed_out);
    EXPECT_EQ(failure.detail, "does not read (send buffer full)");
}

TEST_F(SpvClientTest, WaitsForAnUnreachablePeerUntilTheTimeout) {
    options_.timeout = kShort;
    const auto result = sync({test::closed_port()});
    EXPECT_EQ(result.outcome, SyncOutcome::timed_out);
    EXPECT_GT(result.endpoints.at(0).dials, 1U);
    EXPECT_EQ(result.endpoints[0].last_failure.value().reason, DisconnectReason::unreachable);
}

TEST_F(SpvClientTest, WaitsForAPeerThatServedAndWentAway) {
    regtest::EmbeddedNode node{with_fault(regtest::FaultKind::stall, 70), paid_chain()};
    bool away = false;
    watcher_.on_first_apply = [&] {
        node.stop_listening();
        away = true;
    };
    options_.events.on_progress = [&](const SyncStatus& status, const Traffic&) {
        if (status.phase != SyncPhase::no_peer || !std::exchange(away, false)) return;
        node.set_behaviour({});
        node.resume_listening();
    };
    const auto result = sync({node.endpoint()});
    EXPECT_EQ(result.outcome, SyncOutcome::synced);
    EXPECT_EQ(result.peers.size(), 2U);
    EXPECT_GT(result.endpoints.at(0).dials, 2U) << "some of the dials failed";
    expect_truth(node);
}

TEST_F(SpvClientTest, GivesUpOnAPeerThatServedAndStaysAway) {
    options_.redial.give_up_after = kShort;
    regtest::EmbeddedNode node{with_fault(regtest::FaultKind::stall, 70), paid_chain()};
    watcher_.on_first_apply = [&] { node.stop_listening(); };
    const auto result = sync({node.endpoint()});
    EXPECT_EQ(result.outcome, SyncOutcome::no_usable_peer);
    EXPECT_GT(result.endpoints.at(0).dials, 1U);
    ASSERT_TRUE(watcher_.sync_state().synced.has_value());
    EXPECT_GE(watcher_.sync_state().synced->height, 20U) << "the blocks that came are kept";
    EXPECT_LE(watcher_.sync_state().synced->height, 70U);
}

TEST_F(SpvClientTest, DropsAPeerThatBreaksTheRulesAgainAndAgain) {
    regtest::EmbeddedNode node{with_fault(regtest::FaultKind::corrupt_proof, 0), paid_chain()};
    options_.timeout = std::chrono::hours{1};
    const auto result = sync({node.endpoint()});
    EXPECT_EQ(result.outcome, SyncOutcome::no_usable_peer);
    EXPECT_EQ(result.endpoints[0].last_failure.value().reason, DisconnectReason::invalid_proof);
    EXPECT_EQ(result.peers.size(), DialPlan::kMaxStrikes);
    for (const auto& peer : engine_->status().peers) {
        EXPECT_EQ(peer.ended, DisconnectReason::invalid_proof);
    }
}

TEST_F(SpvClientTest, ThrowsWhatFlushingThrows) {
    regtest::EmbeddedNode node{{}, paid_chain()};
    options_.saves.flush_headers = [] { throw std::runtime_error{"disk full"}; };
    EXPECT_THROW(sync({node.endpoint()}), std::runtime_error);
}

TEST_F(SpvClientTest, FlushesHeadersAtTheEndWhateverTheOutcome) {
    int flushes = 0;
    options_.saves.flush_headers = [&] { ++flushes; };
    failure_of(test::closed_port());
    EXPECT_EQ(flushes, 1);
}

TEST_F(SpvClientTest, FlushesHeadersAfterEachFewThousandArrivals) {
    regtest::RegtestChain chain;
    chain.mine(5'000);
    regtest::EmbeddedNode node{{}, std::move(chain)};
    int flushes = 0;
    options_.saves.flush_headers = [&] { ++flushes; };
    sync({node.endpoint()});
    // 5,000 headers and 5,000 blocks cause one or two flushes, and the end of the sync one more. On
    // a slow machine, the timer adds a few.
    EXPECT_GE(flushes, 2);
    EXPECT_LE(flushes, 10);
}

TEST_F(SpvClientTest, SyncsOverIpv6) {
    regtest::ServerOptions options;
    options.host = "::1";
    std::optional<regtest::EmbeddedNode> node;
    try {
        node.emplace(options, paid_chain());
    } catch (const std::exception& error) {
        GTEST_SKIP() << "this machine has no ::1: " << error.what();
    }
    const auto named = parse_endpoint("[::1]:" + std::to_string(node->port()), 1);
    ASSERT_TRUE(named.has_value());
    EXPECT_EQ(*named, node->endpoint());
    EXPECT_EQ(sync({*named}).outcome, SyncOutcome::synced);
    expect_truth(*node);
}

TEST_F(SpvClientTest, ReportsEachPhaseAndTheEnd) {
    regtest::EmbeddedNode node{{}, paid_chain()};
    std::vector<SyncPhase> phases;
    options_.events.on_progress = [&](const SyncStatus& status, const Traffic& traffic) {
        // Connection and handshake may be too short for a report.
        const bool is_connected = status.phase >= SyncPhase::headers;
        const bool is_new = phases.empty() || phases.back() != status.phase;
        if (is_connected && is_new) phases.push_back(status.phase);
        EXPECT_GE(traffic.bytes_received, 80 * status.counts.filtered_blocks);
    };
    sync({node.endpoint()});
    EXPECT_EQ(phases, (std::vector{SyncPhase::headers, SyncPhase::blocks, SyncPhase::done}));
}

TEST_F(SpvClientTest, IsStoppedBeforeItRuns) {
    make_client({test::closed_port()});
    client_->stop();
    EXPECT_EQ(client_->run().outcome, SyncOutcome::interrupted);
}

TEST_F(SpvClientTest, IsStoppedByAnotherThreadInTheHandshake) {
    sync_options_.timeouts.handshake = std::chrono::hours{1};
    ScriptedPeer peer{{[this](ScriptedConnection& connection) {
        connection.read_until("version");
        client_->stop();
        connection.hold();
    }}};
    EXPECT_EQ(sync({peer.endpoint()}).outcome, SyncOutcome::interrupted);
}

TEST_F(SpvClientTest, KeepsWhatItVerifiedWhenItIsStopped) {
    sync_options_.blocks.per_batch = 1'000;
    regtest::EmbeddedNode node{with_fault(regtest::FaultKind::stall, 120), paid_chain()};
    options_.events.on_progress = [&](const SyncStatus& status, const Traffic&) {
        if (status.counts.filtered_blocks == 120) client_->stop();
    };
    EXPECT_EQ(sync({node.endpoint()}).outcome, SyncOutcome::interrupted);
    ASSERT_TRUE(watcher_.sync_state().synced.has_value());
    EXPECT_EQ(watcher_.sync_state().synced->height, 120U);

    node.set_behaviour({});
    options_.events.on_progress = {};
    EXPECT_EQ(sync({node.endpoint()}).outcome, SyncOutcome::synced);
    EXPECT_EQ(engine_->status().counts.filtered_blocks, headers_.tip().height - 120U);
    expect_truth(node);
}

TEST_F(SpvClientTest, IsStoppedWhileItWaitsToDialAgain) {
    options_.timeout = std::chrono::hours{1};
    options_.redial.first_backoff = std::chrono::hours{1};
    options_.redial.last_backoff = std::chrono::hours{1};
    options_.events.on_progress = [&](const SyncStatus&, const Traffic&) { client_->stop(); };
    EXPECT_EQ(sync({test::closed_port()}).outcome, SyncOutcome::interrupted);
}

TEST_F(SpvClientTest, IsStoppedBySignals) {
    for (const int signal : {SIGINT, SIGTERM}) {
        options_.stop_on_signals = true;
        sync_options_.timeouts.handshake = std::chrono::hours{1};
        ScriptedPeer peer{{[signal](ScriptedConnection& connection) {
            connection.read_until("version");
            kill(getpid(), signal);
            connection.hold();
        }}};
        EXPECT_EQ(sync({peer.endpoint()}).outcome, SyncOutcome::interrupted);
    }
}

TEST_F(SpvClientTest, IsDestroyedWithoutHavingRun) {
    make_client({test::closed_port()});
    client_->stop();
    client_.reset();
}

}  // namespace
}  // namespace petal::net
