// Servers that leave transactions out. No answer of such a server shows it, but the answer of
// another server does.
#include "net/sync/blocks/second_opinions.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/cross_checker.h"
#include "net/sync/state/sync_context.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/named_peer.h"
#include "tests/support/simulated_network.h"
#include "tests/support/test_chain.h"

namespace petal {
namespace {

using net::CrossCheckMode;
using net::DisconnectReason;
using std::chrono::milliseconds;
using test::ListWatcher;

regtest::NodeBehaviour liar(regtest::Fault fault) {
    regtest::NodeBehaviour behaviour;
    behaviour.block_time = std::chrono::milliseconds{1};
    behaviour.faults = {std::move(fault)};
    return behaviour;
}

regtest::NodeBehaviour honest() {
    regtest::NodeBehaviour behaviour;
    behaviour.block_time = std::chrono::milliseconds{1};
    return behaviour;
}

class LyingServers : public testing::Test {
protected:
    LyingServers() {
        chain.mine(110);
        for (std::uint32_t i = 0; i < 40; ++i) {
            chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(i % 20)}})});
            chain.mine(14);
        }
        truth = test::read_whole_chain(chain, 30);
    }

    struct Result {
        std::vector<std::optional<DisconnectReason>> ended;
        bool whole_truth = false;
        net::SyncStatus status;
    };

    Result sync(CrossCheckMode mode, const std::vector<regtest::NodeBehaviour>& nodes,
                std::uint64_t seed = 1) {
        chain::HeaderChain headers(*chain::find_network("regtest"));
        ListWatcher watcher;
        net::SyncOptions options;
        options.blocks.cross_check = mode;
        options.expected_peers = nodes.size();
        options.random_seed = seed;
        net::SyncEngine engine(headers, watcher, options);
        test::SimulatedNetwork network(engine);
        for (const auto& node : nodes) network.connect(chain, node);
        EXPECT_TRUE(network.run());
        Result result;
        for (const auto& peer : engine.status().peers) result.ended.push_back(peer.ended);
        result.whole_truth = watcher.knowledge() == truth;
        result.status = engine.status();
        return result;
    }

    regtest::Fault omission(std::uint32_t every) {
        regtest::Fault fault;
        fault.kind = regtest::FaultKind::omit_match;
        fault.every = every;
        return fault;
    }

    regtest::RegtestChain chain;
    test::Knowledge truth;
};

TEST_F(LyingServers, AreBelievedWithoutCrossChecks) {
    const auto result = sync(CrossCheckMode::none, {liar(omission(1)), honest()});
    EXPECT_FALSE(result.whole_truth);
    EXPECT_EQ(result.ended[0], std::nullopt);
    EXPECT_EQ(result.status.counts.cross_checked_blocks, 0U);
}

TEST_F(LyingServers, AreCaughtIfEveryBlockIsCrossChecked) {
    regtest::Fault of_one_address = omission(1);
    of_one_address.script = ListWatcher::script(7);
    for (const auto& fault : {omission(1), omission(10), of_one_address}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const auto result = sync(CrossCheckMode::all, {honest(), liar(fault), honest()}, seed);
            EXPECT_TRUE(result.whole_truth);
            EXPECT_EQ(result.ended[0], std::nullopt);
            EXPECT_EQ(result.ended[1], DisconnectReason::left_out);
            EXPECT_EQ(result.ended[2], std::nullopt);
            EXPECT_EQ(result.status.peers[1].misbehaviour, 1U);
        }
    }
}

TEST_F(LyingServers, AreCaughtBySamplesAtTheExpectedRate) {
    int caught = 0;
    constexpr int kRuns = 25;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
        const auto result = sync(CrossCheckMode::sample, {liar(omission(1)), honest()}, seed);
        EXPECT_LT(result.status.counts.cross_checked_blocks, 150U);
        if (!result.ended[0]) continue;
        ++caught;
        EXPECT_EQ(result.ended[0], DisconnectReason::left_out);
        EXPECT_TRUE(result.whole_truth)
            << "all blocks that only the liar served are requested again";
    }
    // Each server serves half of the forty payments, and one block in twenty is requested from
    // both. With its second opinions, the liar escapes with a probability near 0.95 to the power of
    // forty.
    EXPECT_GT(caught, 15);
    EXPECT_LT(caught, kRuns);
}

TEST_F(LyingServers, CostHonestPeersNothing) {
    for (const auto mode : {CrossCheckMode::sample, CrossCheckMode::all}) {
        const auto result = sync(mode, std::vector(3, honest()));
        EXPECT_TRUE(result.whole_truth);
        for (const auto& ended : result.ended) EXPECT_EQ(ended, std::nullopt);
        const bool all = mode == CrossCheckMode::all;
        EXPECT_EQ(result.status.counts.cross_checked_blocks >= chain.height(), all);
    }
}

TEST_F(LyingServers, AreCrossCheckedEvenByAMuchSlowerPeer) {
    chain.mine(3'000);
    auto slow = honest();
    slow.block_time = milliseconds{40};
    const auto result = sync(CrossCheckMode::all, {honest(), slow});
    EXPECT_TRUE(result.whole_truth);
    EXPECT_GE(result.status.counts.cross_checked_blocks, chain.height());
}

TEST_F(LyingServers, AreNotDoubtedIfThereIsOnlyOne) {
    const auto result = sync(CrossCheckMode::all, {honest()});
    EXPECT_TRUE(result.whole_truth);
    EXPECT_EQ(result.status.counts.cross_checked_blocks, 0U);
}

/// The rule by itself: peers 1 and 2 have answered for given blocks, and peers 3 and 4 may be
/// asked.
class Opinions : public testing::Test {
protected:
    net::SecondOpinions::Answer answer(net::PeerId peer, std::uint32_t height) {
        net::SecondOpinions::Answer result;
        result.peer = peer;
        result.block.block.height = height;
        return result;
    }
    void add(net::PeerId peer, std::initializer_list<std::uint32_t> heights) {
        for (const auto height : heights) check.add(answer(peer, height));
    }
    net::SecondOpinions::Answer large(std::uint32_t height, std::size_t bytes = 1'000'000) {
        auto result = answer(1, height);
        auto& proven = result.block.transactions.emplace_back();
        proven.transaction.outputs.push_back({1, chain::Bytes(bytes)});
        return result;
    }
    void make_room() {
        while (check.is_full()) check.drop_lowest();
    }
    std::vector<std::uint32_t> take(net::PeerId peer, std::size_t max = 100,
                                    std::uint32_t last = 10'000) {
        const auto any_peer = [](net::PeerId) { return true; };
        const auto is_silent = [this](net::PeerId other) { return silent.contains(other); };
        std::vector<std::uint32_t> heights;
        for (const auto& block : check.take(peer, max, last, any_peer, is_silent)) {
            heights.push_back(block.height);
        }
        return heights;
    }
    bool is_pending(bool can_ask) {
        return check.is_pending([=](net::PeerId, std::uint32_t) { return can_ask; },
                                [this](net::PeerId other) { return silent.contains(other); });
    }

    using Heights = std::vector<std::uint32_t>;
    std::set<net::PeerId> silent;
    net::SecondOpinions check{CrossCheckMode::all, 1};
};

TEST_F(Opinions, AreRequestedOfOtherPeersUpToTheirHeight) {
    add(1, {3, 5, 7});
    add(2, {4, 6});
    EXPECT_EQ(take(2, 1), (Heights{3}));
    EXPECT_EQ(take(2, 100, 5), (Heights{5}));
    EXPECT_EQ(take(1), (Heights{4, 6}));
    EXPECT_EQ(take(1), Heights{});
    EXPECT_EQ(take(3), (Heights{7}));
    EXPECT_TRUE(check.awaits(2, 3));
    EXPECT_FALSE(check.awaits(1, 3));
}

TEST_F(Opinions, AreRequestedOnlyOfPeersThatMayCheckTheFirst) {
    add(1, {3});
    add(2, {4});
    const auto blocks = check.take(
        3, 100, 100, [](net::PeerId first) { return first == 2; },
        [](net::PeerId) { return false; });
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_EQ(blocks[0].height, 4U);
}

TEST_F(Opinions, AreForgottenWhenABlockIsSearchedAgain) {
    add(1, {3, 4});
    EXPECT_EQ(take(3, 1), (Heights{3}));
    add(2, {3, 4});
    EXPECT_FALSE(check.awaits(3, 3));
    EXPECT_EQ(take(2), Heights{});
    EXPECT_EQ(take(1), (Heights{3, 4}));
}

TEST_F(Opinions, AreRequestedOfAnotherPeerIfOneIsLost) {
    add(1, {3, 4});
    EXPECT_EQ(take(3, 1), (Heights{3}));
    EXPECT_EQ(take(4, 1), (Heights{4}));
    check.on_lost(3);
    EXPECT_FALSE(check.awaits(3, 3));
    EXPECT_TRUE(check.awaits(4, 4));
    EXPECT_EQ(take(4), (Heights{3}));
}

TEST_F(Opinions, AreDroppedAboveTheForkPoint) {
    add(1, {3, 5});
    EXPECT_EQ(take(3), (Heights{3, 5}));
    add(1, {2, 4});
    add(2, {6});
    check.drop_above(3);
    EXPECT_TRUE(check.awaits(3, 3));
    EXPECT_FALSE(check.awaits(3, 5));
    EXPECT_EQ(take(4), (Heights{2}));
    check.drop_above(0);
    EXPECT_FALSE(is_pending(true));
}

TEST_F(Opinions, AreReplacedByALaterAnswer) {
    add(1, {3});
    add(2, {3});  // replaces the answer of peer 1
    EXPECT_FALSE(check.is_pending([](net::PeerId first, auto) { return first == 1; },
                                  [](net::PeerId) { return false; }));
    check.drop_above(2);
    EXPECT_FALSE(is_pending(true));
}

TEST_F(Opinions, ArePendingWhileDueOrStillToBeRequested) {
    EXPECT_FALSE(is_pending(true));
    add(1, {3});
    EXPECT_TRUE(is_pending(true));
    EXPECT_FALSE(is_pending(false));
    EXPECT_EQ(take(3), (Heights{3}));
    EXPECT_TRUE(is_pending(false));
    silent = {3};
    EXPECT_FALSE(is_pending(false));
    EXPECT_TRUE(is_pending(true)) << "another peer can be asked instead";
}

TEST_F(Opinions, AreRequestedAgainIfAPeerIsSilent) {
    add(1, {3, 4});
    EXPECT_EQ(take(3), (Heights{3, 4}));
    EXPECT_EQ(take(4), Heights{});
    silent = {3};
    EXPECT_EQ(take(1), Heights{}) << "it gave the first answer";
    EXPECT_EQ(take(4, 1), (Heights{3}));
    EXPECT_TRUE(check.awaits(4, 3));
    EXPECT_TRUE(check.awaits(3, 3)) << "a late answer still counts";
    EXPECT_FALSE(check.awaits(1, 3));
}

// A peer passes over blocks that it does not have yet. In this order no block that it has comes
// after them, so it is not to blame.
TEST_F(Opinions, AreRequestedInTheOrderOfTheChain) {
    add(1, {5, 7});
    add(2, {4, 6});
    EXPECT_EQ(take(3), (Heights{4, 5, 6, 7}));
}

TEST_F(Opinions, OfTheLowestBlocksAreDroppedAboveTheMemoryBound) {
    for (std::uint32_t height = 1; height <= 14; ++height) EXPECT_TRUE(check.add(large(height)));
    EXPECT_FALSE(check.is_full());
    EXPECT_EQ(check.room(), 1U);
    EXPECT_TRUE(check.add(large(15)));
    EXPECT_TRUE(check.is_full());
    EXPECT_FALSE(check.add(large(16)));
    EXPECT_TRUE(check.add(large(15))) << "it replaces the one that is kept";
    make_room();
    EXPECT_TRUE(check.add(large(16)));
    EXPECT_EQ(take(3, 1), (Heights{2}));
    check.drop_above(7);
    EXPECT_FALSE(check.is_full());
}

// Otherwise its block would be sent and refused again and again.
TEST_F(Opinions, AreTooManyAfterOneHadNoRoom) {
    EXPECT_TRUE(check.add(large(1, 7'000'000)));
    EXPECT_FALSE(check.is_full());
    EXPECT_FALSE(check.add(large(2, 9'500'000)));
    EXPECT_TRUE(check.add(answer(1, 3)));
    EXPECT_TRUE(check.is_full());
    check.forget(3);
    EXPECT_TRUE(check.is_full());
    check.forget(1);
    EXPECT_FALSE(check.is_full());
    EXPECT_TRUE(check.add(large(2, 20'000'000))) << "any block has room alone";
}

TEST_F(Opinions, OfTheLowestBlocksAreDroppedIfTooManyWait) {
    for (std::uint32_t height = 2; height <= 1'001; ++height) add(1 + height % 2, {height});
    EXPECT_TRUE(check.is_full());
    make_room();
    add(1, {1'002});  // replaces block 2, which peer 1 served
    EXPECT_EQ(take(3, 1, 4), (Heights{4}));
    EXPECT_EQ(take(3, 1, 5), (Heights{3}));
    EXPECT_TRUE(check.is_full());
    make_room();
    add(1, {1'003});  // replaces block 3, which was requested
    EXPECT_FALSE(check.awaits(3, 3));
    EXPECT_TRUE(check.awaits(3, 4));
    EXPECT_EQ(take(3, 1, 6), (Heights{6}));
    make_room();
    add(1, {1'004});  // replaces block 4, which was requested
    make_room();
    add(1, {1'005});  // replaces block 5, which was not requested
    EXPECT_FALSE(check.awaits(3, 4));
    EXPECT_TRUE(check.awaits(3, 6));
    EXPECT_EQ(take(3, 1, 7), (Heights{7}));
}

/// Answers of peers with a filter that contains script 0.
class FilteredOpinions : public Opinions {
protected:
    FilteredOpinions() { filter.insert(chain::watch_element(ListWatcher::script(0))); }

    net::SecondOpinions::Answer answer_with(net::PeerId peer,
                                            const std::vector<chain::Transaction>& transactions) {
        auto result = answer(peer, 7);
        result.filter = std::make_shared<const bloom::BloomFilter>(filter);
        for (const auto& transaction : transactions) {
            const auto position = static_cast<std::uint32_t>(result.block.transactions.size() + 1);
            result.block.transactions.push_back({position, transaction.txid(), transaction});
        }
        return result;
    }
    net::SecondOpinions::Verdict compare(const std::vector<chain::Transaction>& first,
                                         const std::vector<chain::Transaction>& second) {
        check.add(answer_with(1, first));
        take(3);
        return check.compare(answer_with(3, second));
    }

    bloom::BloomFilter filter{bloom::filter_size(10, 1e-6), 5, bloom::UpdateMode::all};
};

// After sending the payment, the server's filter contained its outpoint.
TEST_F(FilteredOpinions, ShowAnOmittedSpendOfTheSameBlock) {
    chain::Transaction payment;
    payment.outputs.push_back({10'000, ListWatcher::script(0)});
    chain::Transaction spend;
    spend.inputs.emplace_back().prevout = {payment.txid(), 0};
    const auto verdict = compare({payment}, {payment, spend});
    EXPECT_TRUE(verdict.has_more);
    EXPECT_EQ(verdict.omitters, std::vector<net::PeerId>{1});
}

// Many coinbases are malformed after the height, which may be a false positive: Bitcoin Core sends
// such a transaction, btcd does not.
TEST_F(FilteredOpinions, DoNotBlameAPeerForAMatchInAMalformedScript) {
    chain::Transaction coinbase;
    coinbase.inputs.emplace_back().script_sig = {0x03, 0x35, 0x0c, 0x08, 0x4b};
    filter.insert(chain::Bytes{0x35, 0x0c, 0x08});
    const auto verdict = compare({}, {coinbase});
    EXPECT_TRUE(verdict.has_more);
    EXPECT_TRUE(verdict.omitters.empty());
}

/// The part of a sync that decides which peers are asked, with peers that have sent no message.
class CrossCheckerTest : public testing::Test {
protected:
    static net::SyncOptions options() {
        net::SyncOptions options;
        options.blocks.cross_check = CrossCheckMode::all;
        options.expected_peers = 2;
        return options;
    }
    net::SyncPeer& add(net::PeerId id, const std::string& address) {
        sync.peers.add(net::Peer(id, {}, {}, {}, {}), test::peer_at(address), {});
        net::SyncPeer& peer = *sync.peers.find(id);
        peer.headers.emplace(net::PeerHeaders{net::HeaderSync{0, {}}});
        return peer;
    }
    bool answer(const net::SyncPeer& first, std::uint32_t height, std::size_t bytes = 0) {
        net::Delivery delivery;
        delivery.filter = std::make_shared<const bloom::BloomFilter>(bloom::filter_size(1, 0.5), 0,
                                                                     bloom::UpdateMode::all);
        delivery.block.block.height = height;
        auto& proven = delivery.block.transactions.emplace_back();
        proven.transaction.outputs.push_back({1, chain::Bytes(bytes)});
        return checker.on_first_answer(first, delivery);
    }
    /// The height of the block that the peer is asked about, if any.
    std::optional<std::uint32_t> ask(const net::SyncPeer& peer) {
        const auto blocks = checker.take(peer, 1, 9);
        return blocks.empty() ? std::nullopt : std::optional(blocks[0].height);
    }

    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    const net::SyncEvents events{};
    net::SyncContext sync{headers, watcher, options(), nullptr, events};
    net::CrossChecker checker{sync};
};

// All nodes of one network group may belong to the attacker.
TEST_F(CrossCheckerTest, AsksAPeerOfAnotherNetworkGroupIfThereIsOne) {
    net::SyncPeer& first = add(1, "203.0.113.1");
    net::SyncPeer& neighbour = add(2, "203.0.200.2");
    net::SyncPeer& other = add(3, "198.51.100.3");
    answer(first, 5);
    EXPECT_EQ(ask(first), std::nullopt);
    EXPECT_EQ(ask(neighbour), std::nullopt);
    EXPECT_EQ(ask(other), 5U);
    checker.on_lost(3);
    sync.peers.remove(other, DisconnectReason::gone);
    EXPECT_EQ(ask(neighbour), 5U) << "a neighbour is better than no other peer";
}

// The sync goes on without a second peer, so the first answers would fill the memory.
TEST_F(CrossCheckerTest, KeepsAThousandAnswersWhileThereIsNoPeerToAsk) {
    net::SyncPeer& first = add(1, "203.0.113.1");
    for (std::uint32_t height = 1; height <= 1'001; ++height) {
        answer(first, height);
        EXPECT_FALSE(checker.is_full()) << "more blocks are requested";
    }
    EXPECT_EQ(ask(add(2, "198.51.100.2")), 2U) << "block 1 was dropped";
}

// Nor may a peer push the answers out that would show what it left out.
TEST_F(CrossCheckerTest, TakesNoAnswerAboveTheMemoryBoundWhileThereIsAPeerToAsk) {
    net::SyncPeer& first = add(1, "203.0.113.1");
    headers.accept(test::mine_headers(test::regtest_params().genesis, 20), test::kNow);
    add(2, "198.51.100.2").chain.claimed_height = 20;
    std::uint32_t height = 1;
    while (answer(first, height, 1'000'000) && height < 20) ++height;
    EXPECT_EQ(height, 16U) << "of 1 MB each";
    EXPECT_TRUE(checker.is_full());
    EXPECT_EQ(ask(*sync.peers.find(2)), 1U);
}

}  // namespace
}  // namespace petal
