#include "net/sync/unconfirmed/tx_sources.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/net/sync/unconfirmed/unconfirmed_scene.h"
#include "tests/support/named_peer.h"

namespace petal {
namespace {

using net::TxSources;
using News = TxSources::News;
using std::chrono::seconds;
using Peers = std::vector<net::PeerId>;
using Inputs = std::vector<chain::Outpoint>;

constexpr chain::Txid kFirst{{1}};
constexpr chain::Txid kSecond{{2}};
const Inputs kCoin{{chain::Txid{{9}}, 0}};
const Inputs kOther{{chain::Txid{{9}}, 1}};

TEST(TxSources, PeerShowsTheLastOfThoseThatConflict) {
    TxSources sources;
    EXPECT_EQ(sources.add(kFirst, kCoin, 1).news, News::first);
    EXPECT_EQ(sources.add(kFirst, kCoin, 1).news, News::none);
    EXPECT_EQ(sources.add(kFirst, kCoin, 2).news, News::more);
    EXPECT_EQ(sources.add(kSecond, kCoin, 1).news, News::conflict);
    EXPECT_EQ(sources.peers_of(kFirst, kCoin), (Peers{2}));
    EXPECT_EQ(sources.peers_of(kSecond, kCoin), (Peers{1}));
    const auto noted = sources.add(kSecond, kCoin, 2);
    EXPECT_EQ(noted.news, News::conflict) << "it showed the other one";
    EXPECT_EQ(noted.spenders, (std::vector{kSecond, kFirst}));
    EXPECT_EQ(sources.add(kSecond, kCoin, 3).news, News::more);
    EXPECT_EQ(sources.add(kFirst, kCoin, 1).news, News::conflict);
    EXPECT_EQ(sources.peers_of(kFirst, kCoin), (Peers{1}));
    EXPECT_EQ(sources.peers_of(kSecond, kCoin), (Peers{2, 3}));
    EXPECT_EQ(sources.peers_of(chain::Txid{}, kCoin), (Peers{}));
}

TEST(TxSources, PeerShowsSeveralThatDoNotConflict) {
    TxSources sources;
    EXPECT_EQ(sources.add(kFirst, kCoin, 1).news, News::first);
    EXPECT_EQ(sources.add(kSecond, kOther, 1).news, News::first);
    EXPECT_EQ(sources.peers_of(kFirst, kCoin), (Peers{1}));
    EXPECT_EQ(sources.peers_of(kSecond, kOther), (Peers{1}));
    const Inputs both{kCoin[0], kOther[0]};
    EXPECT_EQ(sources.add(chain::Txid{{3}}, both, 1).news, News::conflict);
    EXPECT_EQ(sources.peers_of(kFirst, kCoin), (Peers{}));
    EXPECT_EQ(sources.peers_of(kSecond, kOther), (Peers{}));
    EXPECT_EQ(sources.add(kFirst, kCoin, 1).news, News::conflict);
    EXPECT_EQ(sources.peers_of(chain::Txid{{3}}, both), (Peers{})) << "one input is enough";
}

TEST(TxSources, PeerChangesItsMindOnlySoOften) {
    TxSources sources;
    for (std::uint32_t i = 0; i < TxSources::kMaxWords; ++i) {
        EXPECT_NE(sources.add(kFirst, kCoin, 1).news, News::none);
        EXPECT_EQ(sources.add(kSecond, kCoin, 1).news, News::conflict);
    }
    EXPECT_EQ(sources.add(kFirst, kCoin, 1).news, News::none);
    EXPECT_EQ(sources.peers_of(kSecond, kCoin), (Peers{1}));
}

TEST(TxSources, ForgetsPeersAndTransactions) {
    TxSources sources;
    sources.add(kFirst, kCoin, 1);
    sources.add(kFirst, kCoin, 2);
    sources.add(kSecond, kOther, 2);
    sources.forget(1);
    EXPECT_EQ(sources.peers_of(kFirst, kCoin), (Peers{2}));
    sources.keep_only([](const chain::Txid& txid) { return txid == kSecond; });
    EXPECT_EQ(sources.txids(), (std::vector{kSecond}));
    EXPECT_EQ(sources.peers_of(kFirst, kCoin), (Peers{}));
    EXPECT_EQ(sources.peers_of(kSecond, kOther), (Peers{2}));
    sources.forget(2);
    EXPECT_TRUE(sources.txids().empty());
}

TEST(TxSources, NumbersAreThoseOfNodeAndGroup) {
    const auto source_at = [](const std::string& address) {
        const net::PeerIdentity identity = test::peer_at(address);
        return net::source_of(identity.group, identity.node);
    };
    const auto one = source_at("10.1.0.1:8333");
    const auto neighbour = source_at("10.1.0.2:8333");
    const auto other = source_at("10.2.0.1:8333");
    EXPECT_EQ(one, source_at("10.1.0.1:8333")) << "the same after a restart";
    EXPECT_EQ(one.network_group, neighbour.network_group);
    EXPECT_NE(one.node, neighbour.node);
    EXPECT_NE(one.network_group, other.network_group);
    for (const auto number : {one.network_group, one.node}) {
        EXPECT_GT(number, 0U);
        EXPECT_LE(number, std::uint64_t{1} << 63);
    }
}

/// Two payments of one foreign coin to an address that filters match.
class ShownConflicts : public test::ChainWithTwoCoins {
protected:
    ShownConflicts() {
        follow.emplace();
        for (auto& peer : peers) peer = follow->connect(chain);
        follow->run_for(seconds{20});
    }

    chain::Transaction pay(chain::Satoshis value, const chain::Outpoint& coin) {
        return test::make_spend(chain, {{coin}}, {{value, script()}});
    }
    chain::Bytes script() const { return output_of(is_own ? own : strangers).script_pubkey; }
    void show(std::size_t peer, const chain::Transaction& transaction) {
        follow->show(peers[peer], transaction);
    }
    /// Which of the peers the watcher was last told to show the transaction.
    std::vector<std::size_t> shown_by(const chain::Transaction& transaction) {
        std::vector<std::size_t> result;
        for (const auto& source : follow->watcher.sources_of(transaction.txid())) {
            for (std::size_t i = 0; i < peers.size(); ++i) {
                const auto& report = follow->engine.status().peers.at(i);
                const auto node = net::source_of({}, report.node).node;
                if (node == source.node) result.push_back(i);
            }
        }
        std::ranges::sort(result);
        return result;
    }

    std::optional<test::Follow> follow;
    std::array<net::PeerId, 3> peers{};
    bool is_own = true;
};

using Numbers = std::vector<std::size_t>;

// The watcher's and strangers' alike: otherwise a peer could tell them apart.
TEST_F(ShownConflicts, WatcherLearnsWhoShowsWhich) {
    for (const bool of_watcher : {true, false}) {
        is_own = of_watcher;
        const chain::Outpoint coin{chain::Txid{{7}}, is_own ? 0U : 1U};
        const auto first = pay(5'000, coin);
        const auto second = pay(4'000, coin);
        for (const std::size_t peer : {0U, 1U, 2U}) show(peer, first);
        follow->run_for(seconds{3});
        EXPECT_EQ(shown_by(first), (Numbers{0, 1, 2}));
        show(2, second);
        follow->run_for(seconds{3});
        EXPECT_EQ(shown_by(first), (Numbers{0, 1})) << "one of them shows another now";
        EXPECT_EQ(shown_by(second), (Numbers{2}));
        show(0, second);
        show(1, second);
        follow->run_for(seconds{3});
        EXPECT_EQ(shown_by(first), (Numbers{}));
        EXPECT_EQ(shown_by(second), (Numbers{0, 1, 2}));
    }
}

// Of a verified transaction, no further version is passed to the watcher.
TEST_F(ShownConflicts, FirstSourceAndConflictsAreStoredSoonOthersWithTheNextBatch) {
    const auto payment = signed_spend(own);
    show(0, payment);
    follow->run_for(seconds{3});
    const auto batches = [&] { return follow->engine.status().counts.stored_batches; };
    const auto stored = batches();
    show(1, payment);
    follow->run_for(seconds{3});
    EXPECT_EQ(batches(), stored);
    EXPECT_EQ(shown_by(payment), (Numbers{0}));
    show(1, pay(5'000, {chain::Txid{{8}}, 0}));
    follow->run_for(seconds{3});
    EXPECT_EQ(batches(), stored + 1);
    EXPECT_EQ(shown_by(payment), (Numbers{0, 1}));
    auto rival = unsigned_spend(own);
    rival.lock_time = 7;
    test::sign_input(rival, 0, key_of(own), output_of(own));
    show(2, rival);
    follow->run_for(seconds{3});
    EXPECT_EQ(batches(), stored + 2);
    show(2, payment);
    follow->run_for(seconds{3});
    EXPECT_EQ(batches(), stored + 3);
    EXPECT_EQ(shown_by(payment), (Numbers{0, 1, 2}));
    EXPECT_EQ(shown_by(rival), (Numbers{}));
}

TEST_F(ShownConflicts, PeerThatHasLeftShowsNothing) {
    const auto first = pay(5'000, {chain::Txid{{7}}, 0});
    show(0, first);
    show(1, first);
    follow->run_for(seconds{3});
    follow->network.cut(peers[1]);
    const auto second = pay(4'000, {chain::Txid{{7}}, 0});
    show(2, second);
    follow->run_for(seconds{3});
    EXPECT_EQ(shown_by(first), (Numbers{0}));
    EXPECT_EQ(shown_by(second), (Numbers{2}));
}

TEST_F(ShownConflicts, SourcesAreStoredWhenTheSyncEnds) {
    const auto payment = signed_spend(own);
    show(0, payment);
    follow->run_for(seconds{3});
    show(1, payment);
    EXPECT_EQ(shown_by(payment), (Numbers{0}));
    follow->engine.flush(follow->network.now());
    EXPECT_EQ(shown_by(payment), (Numbers{0, 1}));
}

}  // namespace
}  // namespace petal
