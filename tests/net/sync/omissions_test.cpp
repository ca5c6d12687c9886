// Peers that leave out transactions which their filters match, message by message.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "chain/merkle_proof.h"
#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/hand_driven_network.h"
#include "tests/support/list_watcher.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using test::ListWatcher;

/// A chain with a block that pays the watcher and a next block that spends the payment. Puppets
/// serve it.
class Omissions : public testing::Test {
protected:
    Omissions() {
        payment = chain.make_payment({{10'000, ListWatcher::script(1)}});
        chain.mine_block({payment});
        spend = test::make_spend(chain, {{chain::Outpoint{payment.txid(), 0}}},
                                 {{9'000, chain::Bytes{0x51}}});
        chain.mine_block({spend});
        paid = chain.height() - 1;
        chain.mine(5);
        watcher.set_birthday({paid, 0});
    }

    void begin(net::CrossCheckMode mode, std::size_t in_flight = 2'000) {
        net::SyncOptions options;
        options.blocks.in_flight = in_flight;
        options.expected_peers = 2;
        options.blocks.cross_check = mode;
        pings.clear();
        engine.emplace(headers, watcher, options);
        network.emplace(*engine);
        network->on_command = [this](const net::Command& command) {
            const auto* const send = std::get_if<net::Send>(&command);
            const auto* const ping = send ? std::get_if<net::Ping>(&send->message) : nullptr;
            if (ping != nullptr) pings[send->peer].push_back(ping->nonce);
        };
    }
    void greet(net::PeerId peer) {
        net::Version version;
        version.services = 0xffff;
        version.nonce = 7'000 + peer;
        version.start_height = static_cast<std::int32_t>(chain.height());
        network->inject(peer, version);
        network->inject(peer, net::Verack{});
    }
    void pong(net::PeerId peer, const std::vector<std::uint64_t>& nonces) {
        for (const std::uint64_t nonce : nonces) network->inject(peer, net::Pong{nonce});
    }
    void show_headers(net::PeerId peer) {
        net::Headers shown;
        for (std::uint32_t height = 1; height <= chain.height(); ++height) {
            shown.headers.push_back(chain.block_at(height).header);
        }
        const auto due = pings[peer];
        network->inject(peer, shown);
        pong(peer, due);
    }
    /// Greets as two peers, of which the first shows the headers.
    void greet_both(net::PeerId first, net::PeerId second) {
        greet(first);
        show_headers(first);
        greet(second);
        network->inject(second, net::Headers{});
    }
    /// Sends the block as one in which no transaction matches or, if `match` is given, its second
    /// transaction `match` does.
    void serve(net::PeerId peer, std::uint32_t height, const chain::Transaction* match = nullptr) {
        const regtest::RegtestBlock& block = chain.block_at(height);
        std::vector<bool> matches(block.txids.size());
        if (match != nullptr) matches[1] = true;
        network->inject(
            peer, net::MerkleBlock{block.header, chain::make_merkle_proof(block.txids, matches)});
        if (match != nullptr) network->inject(peer, net::Tx{*match});
    }
    struct LiarAndSecond {
        net::PeerId liar;
        net::PeerId second;
    };
    /// A peer has served all blocks without their matches; of the second, second opinions are
    /// wanted.
    LiarAndSecond begin_with_empty_answers() {
        begin(net::CrossCheckMode::all);
        const auto second = network->connect_silent_peer();
        const auto liar = network->connect_silent_peer();
        greet_both(liar, second);
        for (std::uint32_t height = paid; height <= chain.height(); ++height) serve(liar, height);
        return {liar, second};
    }
    /// Lets an honest node finish the sync, and expects that nothing is missing.
    void finish_with_honest_node() {
        const auto node = network->connect(chain);
        for (int i = 0; i < 100 && !engine->finished(); ++i) {
            network->deliver_all(node);
            network->advance(std::chrono::milliseconds{500});
        }
        EXPECT_TRUE(engine->finished());
        EXPECT_EQ(watcher.knowledge(), test::read_whole_chain(chain, watcher.watched()));
    }

    regtest::RegtestChain chain;
    std::uint32_t paid = 0;
    chain::Transaction payment;
    chain::Transaction spend;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    std::optional<net::SyncEngine> engine;
    std::optional<test::HandDrivenNetwork> network;
    std::map<net::PeerId, std::vector<std::uint64_t>> pings;
};

// The server's own filter contains the coin, so the server sends the spend. petal's copy of that
// filter does not contain the coin.
TEST_F(Omissions, OfAPaymentAreFoundByItsSpend) {
    begin(net::CrossCheckMode::none);
    const auto liar = network->connect_silent_peer();
    greet(liar);
    show_headers(liar);
    serve(liar, paid);
    serve(liar, paid + 1, &spend);
    ASSERT_TRUE(network->is_dropped(liar));
    finish_with_honest_node();
}

// Another process must not assume that blocks were searched from which the peer may have left
// something out.
TEST_F(Omissions, OfACaughtPeerAreStoredAsUnsearchedAtOnce) {
    begin(net::CrossCheckMode::none, 2);
    const auto liar = network->connect_silent_peer();
    const auto owing = network->connect_silent_peer();
    greet_both(liar, owing);
    ASSERT_GT(network->sent(owing, "getdata"), 0U);
    serve(liar, paid);
    engine->flush(network->now());
    ASSERT_EQ(watcher.sync_state().synced->height, paid);
    serve(liar, paid + 1, &spend);
    ASSERT_TRUE(network->is_dropped(liar));
    EXPECT_EQ(watcher.sync_state().synced->height, paid - 1);
}

// The first process ends before the payment's block is applied. So the filters of the next process
// hold the coin, but its watcher does not know the payment. A peer leaves the payment out, and the
// spend that another peer sends is taken for a false positive. Once the payment is found, the spend
// is found, too.
TEST_F(Omissions, OfAPaymentHideNoSpendThatWasServedMeanwhile) {
    const auto unrelated = chain.make_payment({{1'000, chain::Bytes{0x51}}});
    chain.mine_block({unrelated});
    watcher.set_birthday({paid - 2, 0});
    begin(net::CrossCheckMode::none, 2);
    const auto slow = network->connect_silent_peer();
    const auto fast = network->connect_silent_peer();
    greet_both(slow, fast);
    serve(slow, paid - 2);
    serve(fast, paid, &payment);
    engine->flush(network->now());
    ASSERT_EQ(watcher.sync_state().synced->height, paid - 2);

    begin(net::CrossCheckMode::none, 2);
    const auto liar = network->connect_silent_peer();
    const auto honest = network->connect_silent_peer();
    for (const auto peer : {liar, honest}) {
        greet(peer);
        network->inject(peer, net::Headers{});
    }
    for (std::uint32_t height = paid - 1; height < chain.height(); ++height) {
        const auto asked = (height - paid + 1) % 4 < 2 ? liar : honest;  // in turns, for two each
        serve(asked, height, height == paid + 1 ? &spend : nullptr);
    }
    engine->flush(network->now());
    serve(liar, chain.height(), &unrelated);
    ASSERT_TRUE(network->is_dropped(liar));
    network->cut(honest);
    finish_with_honest_node();
}

// What a peer left out may be found after it and another peer have disconnected.
TEST_F(Omissions, OfAPeerThatHasLeftAreSearchedAgain) {
    const auto [liar, second] = begin_with_empty_answers();
    engine->flush(network->now());
    ASSERT_EQ(watcher.sync_state().synced->height, chain.height());
    network->cut(liar);
    network->cut(network->connect_silent_peer());
    serve(second, paid, &payment);
    engine->flush(network->now());
    EXPECT_EQ(engine->status().counts.refetched_blocks, chain.height() - paid + 1);
    finish_with_honest_node();
}

// A peer owes second opinions. Another peer is caught, so the first peer is asked for the same
// blocks for the scan, too.
TEST_F(Omissions, AreRescannedByAPeerWithOutstandingCrossChecks) {
    const auto [liar, second] = begin_with_empty_answers();
    const auto of_opinions = pings[second];
    serve(second, paid, &payment);
    ASSERT_TRUE(network->is_dropped(liar));
    pong(second, of_opinions);  // it passes over the other second opinions
    serve(second, paid, &payment);
    serve(second, paid + 1, &spend);
    for (std::uint32_t height = paid + 2; height <= chain.height(); ++height) serve(second, height);
    network->advance(std::chrono::milliseconds{2'000});
    if (!engine->finished()) finish_with_honest_node();
    EXPECT_EQ(watcher.knowledge(), test::read_whole_chain(chain, watcher.watched()));
}

}  // namespace
}  // namespace petal
