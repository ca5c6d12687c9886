// Branches whose headers are known, and whose blocks no peer sends.
#include "net/sync/withheld_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/net/sync/awkward_scene.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal {
namespace {

using net::DisconnectReason;
using regtest::RegtestChain;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::following_with;
using test::ListWatcher;
using test::options_for;

constexpr std::uint32_t kFork = 110;

/// The first blocks of `chain`, and other ones on top. Branches of different scripts differ.
regtest::RegtestChain branch_of(std::uint32_t blocks, std::uint32_t script,
                                std::uint32_t fork = kFork) {
    regtest::RegtestChain branch;
    branch.mine(fork, ListWatcher::script(100));
    branch.mine(blocks, ListWatcher::script(script));
    return branch;
}

/// A network of nodes of which some send headers, and no blocks.
class WithholdingNetwork : public test::SimulatedNetwork {
public:
    using SimulatedNetwork::SimulatedNetwork;

    net::PeerId connect_without_blocks(const regtest::RegtestChain& chain) {
        const net::PeerId peer = connect(chain);
        withholding_.insert(peer);
        return peer;
    }

private:
    void deliver(net::PeerId peer, net::Message message) override {
        const bool is_of_block = std::holds_alternative<net::MerkleBlock>(message) ||
                                 std::holds_alternative<net::Tx>(message);
        if (is_of_block && withholding_.contains(peer)) return;
        SimulatedNetwork::deliver(peer, std::move(message));
    }

    std::set<net::PeerId> withholding_;
};

struct RecordingWatcher : ListWatcher {
    void undo_to(const chain::BlockRef& fork) override {
        ListWatcher::undo_to(fork);
        undone.push_back(fork.height);
    }
    std::vector<std::uint32_t> undone;
};

class WithheldBlocksTest : public testing::Test {
protected:
    struct Run {
        Run(WithheldBlocksTest& test, ListWatcher& watcher, net::SyncOptions options,
            net::SharedHeaders* shared = nullptr)
            : engine(test.headers, watcher, std::move(options), shared) {
            engine.events.on_withheld_block = [this](const chain::BlockRef& block) {
                withheld.push_back(block);
            };
        }
        net::SyncEngine engine;
        WithholdingNetwork network{engine};
        std::vector<chain::BlockRef> withheld;
    };

    /// As after an earlier run with a peer that has sent the headers, and no block.
    void store_headers(const regtest::RegtestChain& branch) {
        std::vector<chain::BlockHeader> all;
        for (std::uint32_t height = 1; height <= branch.height(); ++height) {
            all.push_back(branch.block_at(height).header);
        }
        ASSERT_EQ(headers.accept(all, test::SimulatedNetwork::kStartTime).error, std::nullopt);
        ASSERT_EQ(headers.tip().hash, branch.tip());
    }
    /// The watcher is synced to this chain.
    void sync_to(const regtest::RegtestChain& branch) {
        Run run(*this, watcher, options_for(1));
        run.network.connect(branch);
        ASSERT_TRUE(run.network.run());
        ASSERT_EQ(watcher.sync_state().synced->hash, branch.tip());
        watcher.undone.clear();
    }
    void expect_synced_to(const regtest::RegtestChain& branch) const {
        EXPECT_EQ(watcher.sync_state().synced->hash, branch.tip());
        EXPECT_EQ(watcher.knowledge(), test::read_whole_chain(branch, watcher.watched()));
    }

    chain::HeaderChain headers{*chain::find_network("regtest")};
    RecordingWatcher watcher;
};

// One header of the honest block's height was there first, and its peer has gone.
TEST_F(WithheldBlocksTest, OfABranchWithAsMuchWorkDoNotStopASync) {
    for (const std::size_t peers : {1U, 8U}) {
        headers = chain::HeaderChain{*chain::find_network("regtest")};
        watcher = {};
        sync_to(branch_of(0, 0));
        store_headers(branch_of(1, 1));
        const regtest::RegtestChain honest = branch_of(1, 2);
        Run run(*this, watcher, options_for(peers));
        std::vector<net::PeerId> connected;
        for (std::size_t i = 0; i < peers; ++i) connected.push_back(run.network.connect(honest));
        const auto start = run.network.now().steady;
        EXPECT_TRUE(run.network.run());
        EXPECT_LT(run.network.now().steady - start, seconds{15});
        for (const auto peer : connected) EXPECT_TRUE(run.network.is_open(peer));
        expect_synced_to(honest);
        ASSERT_EQ(run.withheld.size(), 1U);
        EXPECT_EQ(run.withheld[0].height, kFork + 1);
    }
}

TEST_F(WithheldBlocksTest, OfABranchWithMoreWorkDoNotStopASync) {
    const regtest::RegtestChain honest = branch_of(4, 2);
    for (const std::uint32_t blocks : {5U, 20U}) {
        headers = chain::HeaderChain{*chain::find_network("regtest")};
        watcher = {};
        sync_to(branch_of(0, 0));
        store_headers(branch_of(blocks, 1));
        Run run(*this, watcher, options_for(1));
        const auto peer = run.network.connect(honest);
        EXPECT_TRUE(run.network.run());
        EXPECT_TRUE(run.network.is_open(peer));
        expect_synced_to(honest);
    }
}

// Its blocks were served once. Petal follows no lighter chain instead.
TEST_F(WithheldBlocksTest, AreNoneIfTheyWereServedBefore) {
    const regtest::RegtestChain heavier = branch_of(5, 1);
    sync_to(heavier);
    Run run(*this, watcher, options_for(1));
    const regtest::RegtestChain lighter = branch_of(4, 2);
    const auto peer = run.network.connect(lighter);
    EXPECT_FALSE(run.network.run());
    EXPECT_EQ(run.network.dropped(peer), DisconnectReason::lighter_chain);
    EXPECT_EQ(headers.tip().hash, heavier.tip());
    EXPECT_TRUE(watcher.undone.empty());
}

// The lower blocks of the branch were served, and still count.
TEST_F(WithheldBlocksTest, OfABranchThatWasServedInPartAreExcludedAlone) {
    const regtest::RegtestChain served = branch_of(5, 1);
    sync_to(served);
    store_headers(branch_of(7, 1));
    Run run(*this, watcher, options_for(1));
    const regtest::RegtestChain lighter = branch_of(4, 2);
    run.network.connect(lighter);
    EXPECT_FALSE(run.network.run());
    ASSERT_EQ(run.withheld.size(), 1U);
    EXPECT_EQ(run.withheld[0].height, kFork + 6);
    EXPECT_EQ(headers.tip().hash, served.tip());
    EXPECT_TRUE(watcher.undone.empty());
}

// The peer may still be syncing.
TEST_F(WithheldBlocksTest, AreAwaitedIfThePeersAreFarBelow) {
    sync_to(branch_of(0, 0));
    store_headers(branch_of(7, 1));
    Run run(*this, watcher, options_for(1));
    const regtest::RegtestChain behind = branch_of(0, 0);
    run.network.connect(behind);
    EXPECT_FALSE(run.network.run());
    EXPECT_EQ(headers.tip().height, kFork + 7);
    EXPECT_TRUE(run.withheld.empty());
}

// A peer has sent headers on top of the chain that all peers have, and has gone.
TEST_F(WithheldBlocksTest, OnTopOfEveryPeersChainDoNotStopASync) {
    for (const std::uint32_t blocks : {1U, 6U}) {
        headers = chain::HeaderChain{*chain::find_network("regtest")};
        watcher = {};
        const regtest::RegtestChain honest = branch_of(1, 2);
        sync_to(branch_of(0, 0));
        store_headers(branch_of(1 + blocks, 2));
        Run run(*this, watcher, options_for(2));
        const auto first = run.network.connect(honest);
        const auto second = run.network.connect(honest);
        const auto start = run.network.now().steady;
        EXPECT_TRUE(run.network.run());
        EXPECT_LT(run.network.now().steady - start, seconds{15});
        EXPECT_TRUE(run.network.is_open(first) && run.network.is_open(second));
        expect_synced_to(honest);
        ASSERT_EQ(run.withheld.size(), 1U);
        EXPECT_EQ(run.withheld[0].height, kFork + 2);
    }
}

// All peers got the block late, and nobody mines the next one.
TEST_F(WithheldBlocksTest, CountAgainOnceAPeerThatLackedThemShowsThem) {
    regtest::RegtestChain honest = branch_of(1, 2);
    sync_to(honest);
    store_headers(branch_of(2, 2));
    Run run(*this, watcher, following_with(2));
    const auto peer = run.network.connect(honest);
    run.network.run_for(seconds{30});
    ASSERT_EQ(run.withheld.size(), 1U);
    EXPECT_TRUE(run.network.is_open(peer));
    expect_synced_to(honest);
    honest.mine(1, ListWatcher::script(2));
    run.network.run_for(seconds{5});
    EXPECT_EQ(honest.tip(), branch_of(2, 2).tip());
    expect_synced_to(honest);
}

TEST_F(WithheldBlocksTest, AreAwaitedWhileNoPeerIsConnected) {
    sync_to(branch_of(0, 0));
    const regtest::RegtestChain branch = branch_of(3, 1);
    store_headers(branch);
    Run run(*this, watcher, following_with(2));
    run.network.run_for(minutes{10});
    const regtest::RegtestChain other = branch_of(2, 2);
    run.network.connect(other);
    run.network.run_for(seconds{9});
    EXPECT_TRUE(run.withheld.empty()) << "the patience begins with the peer";
    run.network.connect(branch);
    run.network.run_for(seconds{30});
    EXPECT_TRUE(run.withheld.empty());
    expect_synced_to(branch);
}

TEST_F(WithheldBlocksTest, AreAwaitedIfTheRestHasTooLittleWork) {
    sync_to(branch_of(0, 0));
    store_headers(branch_of(3, 1));
    net::SyncOptions options = options_for(1);
    options.threshold.minimum_chainwork = *headers.chainwork_at(headers.hash_at(kFork + 1));
    Run run(*this, watcher, options);
    const regtest::RegtestChain other = branch_of(3, 2);
    const auto peer = run.network.connect(other);
    EXPECT_FALSE(run.network.run());
    EXPECT_TRUE(run.withheld.empty());
    EXPECT_FALSE(run.network.is_open(peer));
}

// The withholding peer stays, beside an honest one, and claims the blocks anew.
TEST_F(WithheldBlocksTest, OfAConnectedPeerAreGivenUpInAFollower) {
    regtest::RegtestChain honest = branch_of(0, 0);
    const regtest::RegtestChain lying = branch_of(3, 1);
    sync_to(honest);
    Run run(*this, watcher, following_with(2));
    const auto peer = run.network.connect(honest);
    run.network.run_for(seconds{5});
    const auto liar = run.network.connect_without_blocks(lying);
    run.network.run_for(seconds{5});
    EXPECT_EQ(headers.tip().height, kFork + 3);
    EXPECT_FALSE(run.network.is_open(liar));
    honest.mine(1, ListWatcher::script(2));
    run.network.run_for(seconds{30});
    EXPECT_TRUE(run.network.is_open(peer));
    expect_synced_to(honest);
    EXPECT_TRUE(watcher.undone.empty());

    // The same connection goes on, and the same headers change nothing any more.
    run.network.connect_without_blocks(lying);
    honest.mine(1, ListWatcher::script(2));
    run.network.run_for(seconds{5});
    expect_synced_to(honest);
    EXPECT_EQ(run.withheld.size(), 1U);
}

// The wallet keeps its confirmations, in this run and in the next one.
TEST_F(WithheldBlocksTest, UndoNothing) {
    const regtest::RegtestChain honest = branch_of(4, 2);
    const regtest::RegtestChain lying = branch_of(6, 1);
    sync_to(honest);
    const test::Knowledge before = watcher.knowledge();
    {
        Run run(*this, watcher, following_with(2));
        run.network.connect(honest);
        run.network.connect_without_blocks(lying);
        run.network.run_for(seconds{5});
        ASSERT_EQ(headers.tip().hash, lying.tip());
        run.engine.flush(run.network.now());
        expect_synced_to(honest);
    }
    {
        Run run(*this, watcher, options_for(1));
        run.network.connect(honest);
        EXPECT_FALSE(run.network.run([&] { return run.network.now().steady > seconds{6}; }));
        expect_synced_to(honest);
        EXPECT_LT(run.engine.status().synced_height, honest.height());
        EXPECT_TRUE(run.network.run());
    }
    expect_synced_to(honest);
    EXPECT_TRUE(watcher.undone.empty());
    EXPECT_EQ(watcher.knowledge(), before);
}

// The branch is real.
TEST_F(WithheldBlocksTest, AreUndoneOnceTheFirstBlockOfTheNewBranchHasArrived) {
    const regtest::RegtestChain before = branch_of(4, 2);
    const regtest::RegtestChain after = branch_of(6, 1);
    sync_to(before);
    Run run(*this, watcher, options_for(2));
    run.network.connect(before);
    run.network.connect(after);
    EXPECT_TRUE(run.network.run());
    EXPECT_EQ(watcher.undone, std::vector{kFork});
    EXPECT_EQ(watcher.sync_state().synced->hash, after.tip());
}

// Peers that claim the block and send nothing come one after the other.
TEST_F(WithheldBlocksTest, OfPeersThatComeAndGoAreGivenUp) {
    regtest::RegtestChain honest = branch_of(2, 2);
    sync_to(branch_of(0, 0));
    const regtest::RegtestChain branch = branch_of(3, 1);
    store_headers(branch);
    Run run(*this, watcher, following_with(3));
    const auto peer = run.network.connect(honest);
    regtest::NodeBehaviour silent;
    silent.faults.push_back({regtest::FaultKind::stall});
    for (int i = 0; i < 6; ++i) {
        run.network.connect(branch, silent);
        run.network.run_for(seconds{9});
    }
    EXPECT_EQ(run.withheld.size(), 1U);
    EXPECT_TRUE(run.network.is_open(peer));
    expect_synced_to(honest);
}

// A branch that was only slow.
TEST_F(WithheldBlocksTest, CountAgainOnceANewHeaderFollows) {
    sync_to(branch_of(0, 0));
    regtest::RegtestChain slow = branch_of(2, 1);
    store_headers(slow);
    const regtest::RegtestChain other = branch_of(2, 2);
    Run run(*this, watcher, following_with(2));
    run.network.connect(other);
    run.network.run_for(seconds{30});
    EXPECT_EQ(watcher.sync_state().synced->hash, other.tip());
    ASSERT_EQ(run.withheld.size(), 1U);
    run.network.connect(slow);
    run.network.run_for(seconds{30});
    EXPECT_EQ(watcher.sync_state().synced->hash, other.tip());
    slow.mine(1, ListWatcher::script(1));
    run.network.run_for(seconds{5});
    EXPECT_EQ(watcher.sync_state().synced->hash, slow.tip());
    EXPECT_EQ(run.withheld.size(), 1U);
}

// A new wallet in a folder whose headers are those of a branch without blocks.
TEST_F(WithheldBlocksTest, DoNotStopANewWatcher) {
    const regtest::RegtestChain honest = branch_of(2, 2);
    // The last one is within the branch, whose lower blocks nobody has served either.
    const chain::Birthday birthdays[] = {
        {}, {0, test::SimulatedNetwork::kStartTime}, {kFork + 3, 0}};
    for (const chain::Birthday& birthday : birthdays) {
        headers = chain::HeaderChain{*chain::find_network("regtest")};
        store_headers(branch_of(6, 1));
        RecordingWatcher fresh;
        fresh.set_birthday(birthday);
        Run run(*this, fresh, options_for(1));
        run.network.connect(honest);
        EXPECT_TRUE(run.network.run());
        ASSERT_TRUE(fresh.sync_state().synced);
        EXPECT_EQ(fresh.sync_state().synced->hash, honest.tip());
    }
}

// The peers of one watcher do not have the branch. Those of another one have sent it.
TEST_F(WithheldBlocksTest, AreNoneIfAnotherWatcherOfTheChainHasThem) {
    const regtest::RegtestChain heavier = branch_of(5, 1);
    net::SharedHeaders shared;
    RecordingWatcher others;
    Run with(*this, others, following_with(1), &shared);
    Run without(*this, watcher, following_with(1), &shared);
    const auto run_for = [&](seconds time) {
        for (auto left = milliseconds{time}; left.count() > 0; left -= milliseconds{50}) {
            with.network.run_for(milliseconds{50});
            without.network.run_for(milliseconds{50});
        }
    };
    with.network.connect(heavier);
    const regtest::RegtestChain lighter = branch_of(4, 2);
    without.network.connect(lighter);
    run_for(minutes{3});
    EXPECT_TRUE(without.withheld.empty());
    EXPECT_EQ(headers.tip().hash, heavier.tip());
    EXPECT_EQ(others.sync_state().synced->hash, heavier.tip());
}

TEST_F(WithheldBlocksTest, AreGivenUpForAllWatchersOfTheChain) {
    const regtest::RegtestChain honest = branch_of(2, 2);
    net::SharedHeaders shared;
    RecordingWatcher watchers[2];
    Run first(*this, watchers[0], following_with(1), &shared);
    Run second(*this, watchers[1], following_with(1), &shared);
    store_headers(branch_of(5, 1));
    first.network.connect(honest);
    second.network.connect(honest);
    for (int i = 0; i < 600; ++i) {
        first.network.run_for(milliseconds{50});
        second.network.run_for(milliseconds{50});
    }
    EXPECT_EQ(first.withheld.size() + second.withheld.size(), 1U);
    for (const auto& each : watchers) EXPECT_EQ(each.sync_state().synced->hash, honest.tip());
}

/// Peers come with headers of made-up branches, with as much work as the honest chain or more,
/// while it grows and petal is restarted.
class WithheldHistory : public WithheldBlocksTest {
public:
    void TestBody() override {}

    void play(std::uint64_t seed) {
        random_.seed(seed);
        honest_.mine(kFork, ListWatcher::script(100));
        begin();
        for (int step = 0; step < 12; ++step) {
            if (pick(3) == 0) {
                const std::uint32_t payee = pick(5);  // compilers evaluate arguments in any order
                honest_.mine(1 + pick(2), ListWatcher::script(payee));
            }
            if (pick(2) == 0) run_->network.connect_without_blocks(make_up());
            if (pick(6) == 0) restart();
            run_->network.run_for(milliseconds{pick(30'000)});
            ASSERT_TRUE(run_->network.is_open(peer_));
            ASSERT_TRUE(watcher.undone.empty());
        }
        honest_.mine(8, ListWatcher::script(3));
        run_->network.run_for(minutes{2});
        ASSERT_TRUE(run_->network.is_open(peer_));
        expect_synced_to(honest_);
    }
    std::size_t given_up() const { return given_up_ + run_->withheld.size(); }

private:
    std::uint32_t pick(std::uint32_t below) {
        return static_cast<std::uint32_t>(random_() % below);
    }
    const regtest::RegtestChain& make_up() {
        regtest::RegtestChain& branch = made_up_.emplace_back();
        const std::uint32_t fork = honest_.height() - pick(5);
        for (std::uint32_t height = 1; height <= fork; ++height) {
            auto [header, transactions, txids] = honest_.block_at(height);
            branch.offer_block({header, std::move(transactions)});
        }
        const auto blocks = std::max(honest_.height(), headers.tip().height) - fork + pick(3);
        branch.mine(std::max(blocks, 1U), ListWatcher::script(10 + pick(5)));
        return branch;
    }
    void begin() {
        run_.emplace(*this, watcher, following_with(3));
        peer_ = run_->network.connect(honest_);
    }
    // Nothing is stored for an exclusion.
    void restart() {
        given_up_ += run_->withheld.size();
        run_.reset();
        std::vector<chain::BlockHeader> all;
        for (std::uint32_t i = 1; i < headers.size(); ++i) {
            all.push_back(headers.header_by_number(i));
        }
        headers = chain::HeaderChain{*chain::find_network("regtest")};
        ASSERT_EQ(headers.accept(all, test::SimulatedNetwork::kStartTime).error, std::nullopt);
        begin();
    }

    std::mt19937_64 random_;
    regtest::RegtestChain honest_;
    std::deque<regtest::RegtestChain> made_up_;
    std::optional<Run> run_;
    net::PeerId peer_ = 0;
    std::size_t given_up_ = 0;
};

TEST(WithheldHistories, UndoNothingAndEndAtTheHonestTip) {
    std::size_t given_up = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        WithheldHistory history;
        history.play(seed);
        if (testing::Test::HasFailure()) return;
        given_up += history.given_up();
    }
    EXPECT_GT(given_up, 30U);
}

}  // namespace
}  // namespace petal
