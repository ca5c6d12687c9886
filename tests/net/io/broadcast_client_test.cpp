// Broadcasts over loopback, to embedded nodes and scripted peers.
#include "net/io/broadcast_client.h"

#include <gtest/gtest.h>

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "chain/byte_reader.h"
#include "net/io/clocks.h"
#include "net/io/dial/peer_endpoint.h"
#include "regtest/serve/embedded_node.h"
#include "tests/net/io/scripted_peer.h"
#include "tests/support/ports.h"
#include "tests/support/signing.h"
#include "tests/support/socks_server.h"
#include "tests/support/unsigned_spend.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::ScriptedConnection;
using test::ScriptedPeer;

constexpr chain::Satoshis kValue = 100'000;

/// The node has a coin of a test key. Other nodes share its chain up to that coin.
class BroadcastIo : public testing::Test {
protected:
    static regtest::RegtestChain paid_chain() {
        regtest::RegtestChain chain;
        chain.mine_block({chain.make_payment({{kValue, own_script()}})});
        return chain;
    }

    static chain::Bytes own_script() { return test::p2wpkh_script_of(test::private_key()); }

    /// Spends the coin that is in every paid_chain().
    static chain::OwnTransaction spend(chain::Satoshis fee) {
        regtest::RegtestChain chain = paid_chain();
        const chain::Txid coin = chain.block_at(chain.height()).txids.at(1);
        auto transaction = test::make_spend(chain, std::array{chain::Outpoint{coin, 0}},
                                            {{kValue - fee, own_script()}});
        test::sign_input(transaction, 0, test::private_key(), {kValue, own_script()});
        return {transaction, fee};
    }

    /// A node on a loopback address of its own, which stands for a separate machine.
    static regtest::ServerOptions at(const std::string& host) {
        regtest::ServerOptions options;
        options.host = host;
        return options;
    }

    BroadcastResult run(const chain::OwnTransaction& transaction, std::vector<Endpoint> endpoints) {
        route.endpoints = std::move(endpoints);
        return broadcast(transaction, *chain::find_network("regtest"), route, options);
    }

    static std::vector<chain::Transaction> mempool(regtest::EmbeddedNode& node) {
        return node.with_chain(
            [](regtest::RegtestChain& chain) { return chain.mempool().transactions(); });
    }

    BroadcastRoute route;
    BroadcastOptions options;
};

TEST_F(BroadcastIo, ReachesTheMempoolAndIsAnnouncedOnAnotherConnection) {
    regtest::EmbeddedNode node{at("0.0.0.0"), paid_chain()};
    const Endpoint one{"127.0.0.1", node.port()};
    const Endpoint as_another{"127.1.0.1", node.port()};
    const auto own = spend(1'000);
    const auto result = run(own, {one, as_another, one});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::relayed);
    EXPECT_EQ(result.report.announced_to, 1U);
    EXPECT_EQ(result.report.fetched_by, 1U);
    EXPECT_EQ(result.report.seen_from, 1U);
    EXPECT_EQ(result.endpoints.size(), 2U) << "one node was named twice";
    EXPECT_EQ(node.accepted_count(), 2U);
    EXPECT_FALSE(result.interrupted);
    const auto pool = mempool(node);
    ASSERT_EQ(pool.size(), 1U);
    EXPECT_EQ(pool[0], own.transaction) << "with its witness";
}

TEST_F(BroadcastIo, CountsANodeOnceThatIsReachedByTwoNames) {
    regtest::EmbeddedNode node{{}, paid_chain()};
    // 0.0.0.0 also leads to 127.0.0.1, but only the connection shows it.
    const Endpoint by_another{"0.0.0.0", node.port()};
    const auto result = run(spend(1'000), {node.endpoint(), by_another});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::accepted);
    EXPECT_EQ(result.report.accepted_by, 1U);
    EXPECT_EQ(result.report.seen_from, 0U);
    const auto doubles = std::ranges::count_if(result.endpoints, [](const auto& endpoint) {
        return endpoint.last_failure &&
               endpoint.last_failure->reason == DisconnectReason::duplicate;
    });
    EXPECT_EQ(doubles, 1);
}

class BroadcastByProxy : public BroadcastIo {
protected:
    /// Broadcasts to one node that the proxy knows by two names.
    BroadcastResult run_by_names(const std::string& one, const std::string& other) {
        regtest::EmbeddedNode node{{}, paid_chain()};
        const test::SocksServer proxy{test::SocksManner::forwards,
                                      {{one, node.endpoint()}, {other, node.endpoint()}}};
        route.proxy = proxy.endpoint();
        return run(spend(1'000), {{one, 18'444}, {other, 18'444}});
    }
};

TEST_F(BroadcastByProxy, CountsANodeOnceThatHasTwoSpellings) {
    const auto result = run_by_names("node.example", "NODE.example.");
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::accepted);
    EXPECT_EQ(result.report.seen_from, 0U);
}

TEST_F(BroadcastByProxy, CountsANodeOnceThatASeedListsUnderTwoLabels) {
    const auto result = run_by_names("xd.seed.example", "x5.seed.example");
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::accepted);
    EXPECT_EQ(result.report.seen_from, 0U);
}

TEST_F(BroadcastIo, TreatsNodesBehindOneProxyAsSeparate) {
    regtest::EmbeddedNode one{{}, paid_chain()};
    regtest::EmbeddedNode two{{}, paid_chain()};
    const test::SocksServer proxy{
        test::SocksManner::forwards,
        {{"one.example", one.endpoint()}, {"two.example", two.endpoint()}}};
    route.proxy = proxy.endpoint();
    options.timeout = milliseconds{2'000};
    const auto result = run(spend(1'000), {{"one.example", 18'444}, {"two.example", 18'444}});
    ASSERT_EQ(result.report.peers.size(), 2U);
    for (const BroadcastPeer& peer : result.report.peers) {
        EXPECT_NE(peer.state, RelayState::connecting);
    }
}

TEST_F(BroadcastIo, CountsAnnouncementsOfNodesThatWereNotTold) {
    regtest::EmbeddedNode first{at("127.0.0.1"), paid_chain()};
    regtest::EmbeddedNode second{at("127.0.0.2"), paid_chain()};
    regtest::EmbeddedNode third{at("127.0.0.3"), paid_chain()};
    regtest::EmbeddedNode fourth{at("127.0.0.4"), paid_chain()};
    // Stands for the network between the nodes: a transaction that reached one node reaches all.
    route.on_progress = [&](const BroadcastReport& report) {
        // A node that has sent its fee rate has also completed the handshake.
        const auto ready = std::ranges::count_if(
            report.peers, [](const BroadcastPeer& peer) { return peer.claims.least_fee_rate > 0; });
        if (report.fetched_by < 2 || ready < 4) return;
        for (regtest::EmbeddedNode* node : {&first, &second, &third, &fourth}) {
            node->with_chain(
                [](regtest::RegtestChain& chain) { chain.submit(spend(1'000).transaction); });
        }
    };
    const auto result = run(
        spend(1'000), {first.endpoint(), second.endpoint(), third.endpoint(), fourth.endpoint()});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::relayed);
    EXPECT_EQ(result.report.announced_to, 2U) << "the other two nodes were not told";
    EXPECT_EQ(result.report.fetched_by, 2U);
    EXPECT_EQ(result.report.seen_from, 1U) << "both nodes are in one network group";
    const auto watchers = std::ranges::count_if(result.report.peers, [](const BroadcastPeer& peer) {
        return peer.state == RelayState::relayed;
    });
    EXPECT_EQ(watchers, 2);
}

TEST_F(BroadcastIo, ReportsProgress) {
    regtest::EmbeddedNode node{{}, paid_chain()};
    std::vector<std::size_t> accepted;
    route.on_progress = [&](const BroadcastReport& report) {
        accepted.push_back(report.accepted_by);
    };
    run(spend(1'000), {node.endpoint()});
    ASSERT_GT(accepted.size(), 2U);
    EXPECT_EQ(accepted.front(), 0U);
    EXPECT_EQ(accepted.back(), 1U);
}

TEST_F(BroadcastIo, ReportsWhyAPeerRefusesTheTransaction) {
    const auto own = spend(1'000);
    const ScriptedPeer older{{[&](ScriptedConnection& connection) {
        test::shake_hands(connection, 0);
        const auto nonce = connection.payload_of("ping").value();
        connection.write(Pong{chain::ByteReader{nonce}.read_u64()});
        connection.read_until("inv");
        const chain::Hash256 txid{own.transaction.txid().bytes};
        connection.write(GetData{{{InventoryType::witness_tx, txid}}});
        connection.read_until("tx");
        connection.write(Reject{"tx", 0x42, "min relay fee not met", txid});
        connection.hold();
    }}};
    const auto result = run(own, {older.endpoint()});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::refused);
    EXPECT_EQ(result.report.peers.at(0).refusal, "min relay fee not met");
    EXPECT_EQ(result.report.fetched_by, 1U);
}

TEST_F(BroadcastIo, LearnsThatALoneNodeAcceptedTheTransaction) {
    regtest::EmbeddedNode node{{}, paid_chain()};
    const auto result = run(spend(1'000), {node.endpoint()});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::accepted);
    EXPECT_EQ(result.report.accepted_by, 1U);
    EXPECT_EQ(result.report.seen_from, 0U);
    EXPECT_FALSE(result.endpoints.at(0).last_failure) << "petal closed the connection itself";
}

TEST_F(BroadcastIo, SkipsANodeWithAHigherFeeFilter) {
    regtest::ServerOptions dear;
    dear.behaviour.mempool.least_fee_rate = 100'000;
    regtest::EmbeddedNode node{dear, paid_chain()};
    const auto result = run(spend(1'000), {node.endpoint()});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::low_fee);
    EXPECT_EQ(result.report.peers.at(0).claims.least_fee_rate, 100'000);
    EXPECT_TRUE(mempool(node).empty());
}

TEST_F(BroadcastIo, ConcludesFromSilenceThatANodeRefused) {
    regtest::ServerOptions dear;
    dear.behaviour.mempool.least_fee_rate = 100'000;
    regtest::EmbeddedNode node{dear, paid_chain()};
    auto unknown_fee = spend(1'000);
    unknown_fee.fee.reset();
    options.timeout = milliseconds{2'500};
    const auto result = run(unknown_fee, {node.endpoint()});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::dropped);
    EXPECT_EQ(result.report.fetched_by, 1U);
}

TEST_F(BroadcastIo, TellsNothingToANodeThatTakesNoTransactions) {
    regtest::ServerOptions deaf;
    deaf.behaviour.takes_transactions = false;
    regtest::EmbeddedNode node{deaf, paid_chain()};
    const auto result = run(spend(1'000), {node.endpoint()});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::no_relay);
    EXPECT_EQ(result.report.announced_to, 0U);
}

TEST_F(BroadcastIo, UsesNodesThatServeNoFilters) {
    regtest::ServerOptions plain;
    plain.behaviour.services = kNodeWitness;
    regtest::EmbeddedNode node{plain, paid_chain()};
    EXPECT_EQ(run(spend(1'000), {node.endpoint()}).report.outcome, BroadcastOutcome::accepted);
}

TEST_F(BroadcastIo, DialsTheNextNodeIfOneFails) {
    const ScriptedPeer web{
        {[](ScriptedConnection& connection) { connection.write("HTTP/1.1 400 Bad Request\r\n"); }}};
    regtest::EmbeddedNode node{{}, paid_chain()};
    route.max_peers = 1;
    const auto result = run(spend(1'000), {test::closed_port(), web.endpoint(), node.endpoint()});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::accepted);
    EXPECT_EQ(result.endpoints[0].last_failure.value().reason, DisconnectReason::unreachable);
    EXPECT_EQ(result.endpoints[1].last_failure.value().reason, DisconnectReason::not_bitcoin);
}

TEST_F(BroadcastIo, DialsTheNextNodeIfOneTakesNoTransaction) {
    regtest::ServerOptions deaf;
    deaf.behaviour.takes_transactions = false;
    regtest::ServerOptions dear;
    dear.behaviour.mempool.least_fee_rate = 100'000;
    const regtest::EmbeddedNode first{deaf, paid_chain()};
    const regtest::EmbeddedNode second{dear, paid_chain()};
    regtest::EmbeddedNode third{{}, paid_chain()};
    route.max_peers = 1;
    const auto result = run(spend(1'000), {first.endpoint(), second.endpoint(), third.endpoint()});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::accepted);
    EXPECT_EQ(result.report.peers.size(), 3U);
    EXPECT_EQ(mempool(third).size(), 1U);
}

TEST_F(BroadcastIo, PassesServicesAndGossipToTheSearch) {
    const PeerAddress further{AddressKind::ipv4, {127, 77, 0, 1}, 8333};
    const ScriptedPeer peer{{[&](ScriptedConnection& connection) {
        test::shake_hands(connection, 0, kNodeWitness);
        connection.write(Addr{{{further, kNodeBloom, 1'750'000'000}}});
        connection.hold();
    }}};
    AddrManOptions anywhere;
    anywhere.accept_private = true;
    AddrMan addrman{anywhere};
    const PeerAddress address = address_of(peer.endpoint()).value();
    addrman.add(address, kNodeBloom, 1'750'000'000, {1}, 1'750'000'000);
    EndpointFinder search{addrman, {}, read_clocks()};
    route.search = &search;
    options.timeout = milliseconds{500};
    run(spend(1'000), {});
    EXPECT_EQ(addrman.find(address).value().services, kNodeWitness);
    EXPECT_TRUE(addrman.find(further).has_value());
}

// These payloads are neither a transaction nor a block. If petal decoded them, it would disconnect.
TEST_F(BroadcastIo, DropsUnrequestedMessagesUnread) {
    const ScriptedPeer peer{{[&](ScriptedConnection& connection) {
        const auto write = [&](std::string_view command) {
            const auto& magic = chain::find_network("regtest")->magic;
            connection.write(encode_frame(magic, command, chain::Bytes(4'000'000, 0xff)));
        };
        write("tx");
        test::shake_hands(connection, 0, kNodeWitness);
        for (const auto* command : {"tx", "block", "merkleblock"}) write(command);
        connection.write(chain::Bytes(24, 'x'));
        connection.hold();
    }}};
    const auto result = run(spend(1'000), {peer.endpoint()});
    EXPECT_EQ(result.report.peers.at(0).ended, DisconnectReason::not_bitcoin);
}

TEST_F(BroadcastIo, EndsWithoutUsablePeers) {
    const ScriptedPeer closing{{[](ScriptedConnection&) {}}};
    const auto result = run(spend(1'000), {closing.endpoint()});
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::no_peer);
    EXPECT_EQ(result.endpoints[0].last_failure.value().reason, DisconnectReason::gone);
    EXPECT_EQ(run(spend(1'000), {}).report.outcome, BroadcastOutcome::no_peer);
}

TEST_F(BroadcastIo, EndsWithASignal) {
    const ScriptedPeer silent{{[](ScriptedConnection& connection) {
        raise(SIGINT);
        connection.hold();
    }}};
    route.stop_on_signals = true;
    const auto result = run(spend(1'000), {silent.endpoint()});
    EXPECT_TRUE(result.interrupted);
}

TEST_F(BroadcastIo, ConnectsOnlyThroughTheProxy) {
    regtest::EmbeddedNode node{{}, paid_chain()};
    const test::SocksServer proxy{test::SocksManner::forwards, {{"node.example", node.endpoint()}}};
    route.proxy = proxy.endpoint();
    EXPECT_EQ(run(spend(1'000), {{"node.example", 18'444}}).report.outcome,
              BroadcastOutcome::accepted);
    EXPECT_EQ(node.accepted_count(), 1U);
    EXPECT_EQ(proxy.requests().size(), 1U);
}

}  // namespace
}  // namespace petal::net
