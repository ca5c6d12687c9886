// The embedded node on its port, seen from a plain client.
#include <gtest/gtest.h>

#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "chain/script/script.h"
#include "regtest/serve/embedded_node.h"
#include "tests/support/plain_client.h"
#include "tests/support/test_chain.h"

namespace petal::regtest {
namespace {

using test::PlainClient;

net::GetData filtered_blocks(const RegtestChain& chain, std::uint32_t count) {
    net::GetData request;
    for (std::uint32_t height = 1; height <= count; ++height) {
        const auto hash = chain.block_at(height).header.hash();
        request.entries.push_back({net::InventoryType::filtered_block, {hash.bytes}});
    }
    return request;
}

TEST(EmbeddedNode, ServesSeveralClientsAtOnce) {
    EmbeddedNode node;
    PlainClient first{node.endpoint()};
    PlainClient second{node.endpoint()};
    second.shake_hands();
    first.shake_hands();
    EXPECT_EQ(node.connection_count(), 2U);
    EXPECT_EQ(node.accepted_count(), 2U);
}

TEST(EmbeddedNode, LimitsTheNumberOfClients) {
    ServerOptions options;
    options.max_connections = 1;
    EmbeddedNode node{options};
    std::optional<PlainClient> first{node.endpoint()};
    first->shake_hands();
    EXPECT_TRUE(PlainClient{node.endpoint()}.is_closed_by_node());
    first.reset();
    while (node.connection_count() > 0) std::this_thread::yield();
    PlainClient{node.endpoint()}.shake_hands();
}

TEST(EmbeddedNode, ConnectsWithoutListening) {
    EmbeddedNode listening;
    ServerOptions options;
    options.listens = false;
    EmbeddedNode silent{options};
    EXPECT_EQ(silent.port(), 0);
    silent.run(
        [&](RegtestChain&, NodePeers& peers) { peers.add_node(to_string(listening.endpoint())); });
    while (listening.connection_count() == 0) std::this_thread::yield();
    const auto tip =
        listening.with_chain([](RegtestChain& chain) { return chain.mine(3), chain.tip(); });
    while (silent.with_chain([](RegtestChain& chain) { return chain.tip(); }) != tip) {
        std::this_thread::yield();
    }
}

TEST(EmbeddedNode, EndsAllConnectionsWhileTheNetworkIsInactive) {
    EmbeddedNode node;
    PlainClient client{node.endpoint()};
    client.shake_hands();
    node.run([](RegtestChain&, NodePeers& peers) {
        peers.set_network_active(false);
        EXPECT_FALSE(peers.is_network_active());
    });
    EXPECT_TRUE(client.is_closed_by_node());
    EXPECT_THROW(PlainClient{node.endpoint()}, boost::system::system_error);
    TotalTraffic traffic;
    node.run([&](RegtestChain&, NodePeers& peers) {
        peers.set_network_active(true);
        traffic = peers.total_traffic();
    });
    EXPECT_GT(traffic.sent, 0U) << "also of connections that ended";
    EXPECT_GT(traffic.received, 0U);
    PlainClient{node.endpoint()}.shake_hands();
}

TEST(EmbeddedNode, PingsOnRequest) {
    EmbeddedNode node;
    PlainClient client{node.endpoint()};
    client.shake_hands();
    const auto first = client.receive<net::Ping>();  // after the handshake
    client.send(net::Pong{first.nonce});
    client.send(net::Ping{1});
    EXPECT_EQ(client.receive<net::Pong>().nonce, 1U) << "so the node has the answer, too";
    node.run([](RegtestChain&, NodePeers& peers) { peers.ping_all(); });
    EXPECT_NE(client.receive<net::Ping>().nonce, first.nonce);
}

TEST(EmbeddedNode, AnnouncesMinedBlocksToAllPeers) {
    EmbeddedNode node;
    PlainClient client{node.endpoint()};
    client.shake_hands();
    client.send(net::Ping{7});
    client.receive<net::Pong>();
    const auto tip = node.with_chain([](RegtestChain& chain) {
        chain.mine();
        return chain.tip();
    });
    EXPECT_EQ(client.receive<net::Inv>().entries.at(0).hash.bytes, tip.bytes);
}

TEST(EmbeddedNode, ReturnsResultsAndExceptionsOfChainCalls) {
    EmbeddedNode node;
    EXPECT_EQ(node.with_chain([](RegtestChain& chain) { return chain.height(); }), 0U);
    node.with_chain([](RegtestChain& chain) { chain.mine(3); });
    EXPECT_EQ(node.with_chain([](RegtestChain& chain) { return chain.height(); }), 3U);
    EXPECT_THROW(node.with_chain([](RegtestChain&) { throw std::runtime_error{"no"}; }),
                 std::runtime_error);
}

TEST(EmbeddedNode, AsksForTheParentOfAnOrphan) {
    EmbeddedNode node;
    PlainClient client(node.endpoint());
    client.shake_hands();
    const chain::Txid parent{{7}};
    chain::Transaction orphan;
    orphan.inputs = {{{parent, 0}, {}, 0xfffffffd, {}}};
    orphan.outputs = {{10'000, chain::p2wpkh_script({})}};
    client.send(net::Tx{orphan});
    EXPECT_EQ(client.receive<net::GetData>(),
              (net::GetData{{{net::InventoryType::tx, {parent.bytes}}}}));
}

/// A chain whose own payments are signed, as those of peers must be.
RegtestChain chain_with_signing_purse() {
    RegtestChain chain({.purse = PurseKind::p2wpkh});
    chain.mine(150);
    return chain;
}

TEST(EmbeddedNode, ServesOthersBetweenTheTransactionsOfAPeer) {
    constexpr std::size_t kTransactions = 40;
    auto chain = chain_with_signing_purse();
    std::vector<chain::Transaction> payments;
    for (std::size_t i = 0; i < kTransactions; ++i) {
        payments.push_back(chain.make_payment({{1'000, chain::p2wpkh_script({})}}));
    }
    std::optional<std::size_t> taken;  // the mempool's size when the other peer's version arrives
    ServerOptions options;
    options.on_change = [&taken](const RegtestChain& served, const NodePeers& peers) {
        const auto records = peers.peers();
        if (taken || records.size() < 2 || !records[1].version) return;
        taken = served.mempool().entries().size();
    };
    EmbeddedNode node{options, std::move(chain)};
    PlainClient busy{node.endpoint()};
    busy.shake_hands();
    busy.send(net::Ping{1});
    busy.receive<net::Pong>();
    std::optional<PlainClient> other;
    node.with_chain([&](RegtestChain&) {  // so that the node sees the messages of both at once
        for (const auto& payment : payments) busy.send(net::Tx{payment});
        other.emplace(node.endpoint());
        other->send(net::Version{.nonce = 5, .user_agent = "/other:0/"});
    });
    other->receive<net::Verack>();
    busy.hang_up();
    while (node.connection_count() > 1) std::this_thread::yield();
    node.run([&](RegtestChain& served, NodePeers&) {
        EXPECT_LT(taken.value(), kTransactions / 2);
        EXPECT_EQ(served.mempool().entries().size(), kTransactions)
            << "although the sender has disconnected";
    });
}

TEST(EmbeddedNode, HangsUpOnInvalidMessages) {
    EmbeddedNode node;
    PlainClient client{node.endpoint()};
    client.send(chain::Bytes(24, 'x'));
    EXPECT_TRUE(client.is_closed_by_node());
}

TEST(EmbeddedNode, HangsUpIfItsBehaviourDemandsIt) {
    ServerOptions options;
    options.behaviour.services = net::kNodeNetwork;
    EmbeddedNode node{options};
    PlainClient client{node.endpoint()};
    client.shake_hands();
    client.send(net::Mempool{});
    EXPECT_TRUE(client.is_closed_by_node());
}

TEST(EmbeddedNode, TellsOfItsConnectionsAndClosesThem) {
    EmbeddedNode node;
    PlainClient first{node.endpoint()};
    first.shake_hands();
    PlainClient second{node.endpoint()};
    second.shake_hands();
    first.send(net::FeeFilter{2'000});
    first.send(net::Unknown{"gossip"});
    first.send(net::Ping{1});
    first.receive<net::Pong>();
    node.run([&](RegtestChain&, NodePeers& peers) {
        const auto records = peers.peers();
        ASSERT_EQ(records.size(), 2U);
        EXPECT_EQ(records[0].id, 1U);
        EXPECT_EQ(records[0].bound, to_string(node.endpoint()));
        EXPECT_EQ(records[0].address.substr(0, 10), "127.0.0.1:");
        EXPECT_EQ(records[0].version->user_agent, "/plain:0/");
        EXPECT_GT(records[0].traffic.bytes_received, 0U);
        EXPECT_GT(records[0].connected_time, 1'700'000'000);
        EXPECT_FALSE(records[0].relay.is_on);
        EXPECT_EQ(records[0].relay.fee_filter, 2'000);
        const MessageTraffic& traffic = records[0].traffic;
        EXPECT_EQ(traffic.received.at("ping"), 32U) << "a header and a nonce of eight bytes";
        EXPECT_EQ(traffic.sent.at("pong"), 32U);
        EXPECT_EQ(traffic.received.at("*other*"), 24U);
        EXPECT_GE(traffic.last_received, records[0].connected_time);
        EXPECT_GE(traffic.last_sent, records[0].connected_time);
        EXPECT_TRUE(peers.disconnect(1));
        EXPECT_FALSE(peers.disconnect(3));
    });
    EXPECT_TRUE(first.is_closed_by_node());
    second.send(net::Ping{2});
    EXPECT_EQ(second.receive<net::Pong>().nonce, 2U);
}

TEST(EmbeddedNode, ChangesItsFaultsOnOpenConnections) {
    EmbeddedNode node;
    const auto request = node.with_chain([](RegtestChain& chain) {
        chain.mine();
        return filtered_blocks(chain, 1);
    });
    PlainClient first{node.endpoint()};
    PlainClient second{node.endpoint()};
    for (PlainClient* client : {&first, &second}) {
        client->shake_hands();
        client->send_filter_that_matches_everything();
        client->send(request);
        client->receive<net::MerkleBlock>();
    }
    NodeBehaviour behaviour;
    behaviour.faults = {{.kind = FaultKind::hang_up, .after_blocks = 1}};
    node.run(
        [&](RegtestChain&, NodePeers& peers) { peers.set_faults(peers.peers()[0].id, behaviour); });
    first.send(request);
    first.receive<net::MerkleBlock>();  // the node has started its count again
    first.send(request);
    EXPECT_TRUE(first.is_closed_by_node());
    second.send(request);
    second.receive<net::MerkleBlock>();
    second.send(request);
    second.receive<net::MerkleBlock>();
    behaviour.faults = {{.kind = FaultKind::hang_up}};
    node.run([&](RegtestChain&, NodePeers& peers) { peers.set_behaviour_of_all(behaviour); });
    second.send(request);
    EXPECT_TRUE(second.is_closed_by_node());
    PlainClient third{node.endpoint()};
    third.shake_hands();
    third.send_filter_that_matches_everything();
    third.send(request);
    EXPECT_TRUE(third.is_closed_by_node());
}

TEST(EmbeddedNode, WaitsForAClientThatDoesNotRead) {
    constexpr std::uint32_t kBlocks = 400;
    constexpr std::size_t kRequests = 30;  // the answers exceed all buffers between the two
    RegtestChain chain;
    chain.mine(kBlocks);
    const auto all = filtered_blocks(chain, kBlocks);
    ServerOptions options;
    EmbeddedNode node{options, std::move(chain)};
    PlainClient client{node.endpoint()};
    client.shake_hands();
    client.send_filter_that_matches_everything();
    for (std::size_t i = 0; i < kRequests; ++i) client.send(all);
    client.send(net::Ping{42});
    std::size_t blocks = 0;
    for (; blocks < kRequests * kBlocks; ++blocks) client.receive<net::MerkleBlock>();
    EXPECT_EQ(client.receive<net::Pong>().nonce, 42U)
        << "the pong comes after the answers to all earlier requests";
}

TEST(EmbeddedNode, DropsTheRequestsOfAClientThatHasGone) {
    constexpr std::size_t kMessages = 1'900;
    auto chain = chain_with_signing_purse();
    chain.mine(350);
    const auto payment = chain.make_payment({{1'000, chain::p2wpkh_script({})}});
    EmbeddedNode node{{}, std::move(chain)};
    PlainClient client{node.endpoint(), 4'096};
    client.shake_hands();
    // The client sends more requests than the node lets wait. A transaction comes after requests
    // whose answers exceed all buffers between the two.
    const net::GetHeaders request{std::vector<chain::BlockHash>(net::kMaxLocatorEntries), {}};
    for (std::size_t i = 0; i < kMessages; ++i) {
        if (i == 250) client.send(net::Tx{payment});
        client.send(request);
    }
    const auto requested_bytes = [&] {
        std::uint64_t bytes = 0;
        node.run([&](RegtestChain&, NodePeers& peers) {
            const auto received = peers.peers().at(0).traffic.received;
            if (received.contains("getheaders")) bytes = received.at("getheaders");
        });
        return bytes;
    };
    while (requested_bytes() < 5'000'000) std::this_thread::yield();
    client.hang_up();
    while (node.connection_count() > 0) std::this_thread::yield();
    EXPECT_TRUE(node.with_chain([](auto& served) { return served.mempool().entries().empty(); }));
}

TEST(EmbeddedNode, ServesOthersWhileItReadsLargeBlocks) {
    constexpr std::uint32_t kBlocks = 30;
    RegtestChain chain;
    chain.mine(kBlocks, chain::Bytes(300'000, 0x51));
    const auto all = filtered_blocks(chain, kBlocks);
    // Bytes of merkleblocks at the time when the other peer's version arrives.
    std::uint64_t answered = 0;
    ServerOptions options;
    options.on_change = [&answered](const RegtestChain&, const NodePeers& peers) {
        const auto records = peers.peers();
        if (records.size() < 2 || !records[1].version) return;
        const auto& sent = records[0].traffic.sent;
        answered = sent.contains("merkleblock") ? sent.at("merkleblock") : 0;
    };
    EmbeddedNode node{options, std::move(chain)};
    PlainClient busy{node.endpoint()};
    busy.shake_hands();
    busy.send(net::FilterLoad{{1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}});  // a filter that matches nothing
    busy.send(net::Ping{1});
    busy.receive<net::Pong>();
    std::optional<PlainClient> other;
    node.with_chain([&](RegtestChain&) {  // so that the node sees the messages of both at once
        busy.send(all);
        other.emplace(node.endpoint());
        other->send(net::Version{.nonce = 5, .user_agent = "/other:0/"});
    });
    other->receive<net::Verack>();
    for (std::uint32_t i = 0; i < kBlocks; ++i) busy.receive<net::MerkleBlock>();
    node.run([&](RegtestChain&, NodePeers& peers) {
        const auto in_all = peers.peers().at(0).traffic.sent.at("merkleblock");
        EXPECT_LT(answered, in_all / 2);
    });
}

TEST(EmbeddedNode, DelaysBlocksOnEachConnectionSeparately) {
    using Clock = std::chrono::steady_clock;
    constexpr std::uint32_t kBlocks = 20;
    constexpr std::chrono::milliseconds kBlockTime{5};
    RegtestChain chain;
    chain.mine(kBlocks);
    const auto all = filtered_blocks(chain, kBlocks);
    ServerOptions options;
    options.behaviour.block_time = kBlockTime;
    EmbeddedNode node{options, std::move(chain)};
    PlainClient busy{node.endpoint()};
    PlainClient idle{node.endpoint()};
    busy.shake_hands();
    idle.shake_hands();
    busy.send_filter_that_matches_everything();

    const auto start = Clock::now();
    busy.send(all);
    idle.send(net::Ping{1});
    idle.receive<net::Pong>();
    busy.send(net::Ping{2});
    for (std::uint32_t i = 0; i < kBlocks; ++i) busy.receive<net::MerkleBlock>();
    EXPECT_GE(Clock::now() - start, kBlocks * kBlockTime - std::chrono::milliseconds{1});
    EXPECT_EQ(busy.receive<net::Pong>().nonce, 2U);
}

TEST(EmbeddedNode, GoesAwayAndComesBackOnTheSamePort) {
    EmbeddedNode node;
    PlainClient client{node.endpoint()};
    client.shake_hands();
    node.stop_listening();
    EXPECT_TRUE(client.is_closed_by_node());
    EXPECT_THROW(PlainClient{node.endpoint()}, boost::system::system_error);
    node.resume_listening();
    PlainClient{node.endpoint()}.shake_hands();
    node.resume_listening();
    PlainClient{node.endpoint()}.shake_hands();
}

TEST(EmbeddedNode, SaysThatItsPortIsTaken) {
    const EmbeddedNode node;
    ServerOptions options;
    options.port = node.port();
    EXPECT_THROW(EmbeddedNode{options}, boost::system::system_error);
}

TEST(EmbeddedNode, EndsWhileAConnectionStands) {
    std::optional<PlainClient> client;
    {
        EmbeddedNode node;
        client.emplace(node.endpoint());
        client->shake_hands();
    }
    EXPECT_TRUE(client->is_closed_by_node());
}

}  // namespace
}  // namespace petal::regtest
