// Which peers are on another branch than the best chain, and which of them are dropped.
#include "net/sync/peer_chains.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <utility>

#include "tests/support/list_watcher.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

using std::chrono::seconds;

/// The best chain is a-b-c-d-e-f-g; a test adds branches.
class PeerChainsTest : public testing::Test {
protected:
    explicit PeerChainsTest(SyncOptions options = {})
        : sync(chain, watcher, std::move(options), nullptr, events) {
        store("abcdefg");
    }

    void store(std::string_view letters, char parent = '0') {
        ASSERT_EQ(chain.accept(tree.grow(letters, parent), test::kNow).added, letters.size());
    }
    /// A peer that has sent all of its headers. The last one is `last`.
    SyncPeer& add(PeerId id, char last) {
        sync.peers.add(Peer(id, {}, {.services = 0}, {}, {}), {}, {});
        SyncPeer& peer = *sync.peers.find(id);
        HeaderSync& headers = peer.headers.emplace(PeerHeaders{HeaderSync{0}}).sync;
        (void)headers.request(chain, id, now);
        EXPECT_TRUE(headers.on_headers(Headers{}, chain, now));
        EXPECT_TRUE(headers.at_end());
        chains.on_shown(peer, tree.hash(last));
        return peer;
    }

    test::LetterTree tree;
    chain::HeaderChain chain{test::regtest_params()};
    test::ListWatcher watcher;
    SyncEvents events;
    SyncContext sync;
    PeerChains chains{sync};
    Now now{seconds{50}, test::kNow};
};

TEST_F(PeerChainsTest, DistinguishOtherBranchesFromRaces) {
    store("vwxyz", 'b');  // two blocks lower
    EXPECT_FALSE(chains.is_on_other(add(1, 'g')));
    EXPECT_FALSE(chains.is_on_other(add(2, 'c'))) << "the peer is behind";
    EXPECT_TRUE(chains.is_on_other(add(3, 'y')));
    EXPECT_FALSE(chains.is_on_other(add(4, 'z'))) << "as much work, five blocks back";
    store("ABCDEFG");
    EXPECT_TRUE(chains.is_on_other(add(5, 'G'))) << "as much work, seven blocks back";
}

TEST_F(PeerChainsTest, RememberTheBlockThatSharesMostWithTheBestChain) {
    store("xy", 'd');
    SyncPeer& peer = add(1, 'e');
    chains.on_shown(peer, tree.hash('x'));
    EXPECT_EQ(peer.chain.shown, tree.hash('e'));
    chains.on_shown(peer, chain::BlockHash{});
    EXPECT_EQ(peer.chain.shown, tree.hash('e')) << "an unknown block is ignored";
    chains.on_shown(peer, tree.hash('f'));
    EXPECT_EQ(peer.chain.shown_height, 6U);
}

TEST_F(PeerChainsTest, FollowAReorganisation) {
    SyncPeer& peer = add(1, 'g');
    store("stuvwxyz", 'b');
    ASSERT_EQ(chain.tip().hash, tree.hash('z'));
    chains.on_reorganised();
    EXPECT_EQ(peer.chain.shown_height, 2U);
    EXPECT_TRUE(chains.is_on_other(peer));
}

TEST_F(PeerChainsTest, DropAPeerThatStaysOnAnotherChain) {
    store("xy", 'b');
    SyncPeer& peer = add(1, 'y');
    EXPECT_EQ(chains.judged_at(peer), std::nullopt);
    chains.update_switch_times(now);
    EXPECT_EQ(chains.judged_at(peer), now.steady + seconds{10});
    chains.suspend_judgement(true);
    EXPECT_EQ(chains.judged_at(peer), std::nullopt);
    chains.suspend_judgement(false);
    const auto outcome = chains.on_other_for_long(peer);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().reason, DisconnectReason::lighter_chain);
    EXPECT_EQ(outcome.error().detail,
              "its chain forks off the stored one after block 2, ends at block 4 and has no more "
              "work");
    EXPECT_FALSE(chains.any_on_best());
}

// Forgetting the stored headers helps against neither.
TEST_F(PeerChainsTest, NameTheExclusionOfAPeersBranch) {
    store("xy", 'b');
    SyncPeer& peer = add(1, 'y');
    chain.exclude(tree.hash('x'), chain::Exclusion::withheld);
    auto violation = chains.on_other_for_long(peer).error();
    EXPECT_EQ(violation.reason, DisconnectReason::excluded_branch);
    EXPECT_NE(violation.detail.find("and has a block that no peer sends"), std::string::npos);
    chain.exclude(tree.hash('x'), chain::Exclusion::invalid);
    violation = chains.on_other_for_long(peer).error();
    EXPECT_EQ(violation.reason, DisconnectReason::excluded_branch);
    EXPECT_NE(violation.detail.find("and has an invalid block"), std::string::npos);
}

TEST_F(PeerChainsTest, JudgeAPeerAgainWhenTheBestChainsPeerLeaves) {
    store("xy", 'b');
    SyncPeer& peer = add(1, 'y');
    SyncPeer& best = add(2, 'g');
    chains.update_switch_times(now);
    EXPECT_TRUE(chains.any_on_best());
    EXPECT_TRUE(chains.on_other_for_long(peer));
    EXPECT_EQ(chains.judged_at(peer), std::nullopt) << "it was judged already";
    sync.peers.remove(best, DisconnectReason::gone);
    chains.on_end();
    chains.update_switch_times(now);
    EXPECT_NE(chains.judged_at(peer), std::nullopt);
    EXPECT_FALSE(chains.on_other_for_long(peer));
}

class EndlessPeerChains : public PeerChainsTest {
protected:
    static SyncOptions endless() {
        SyncOptions options;
        options.wait_unconfirmed = SyncOptions::kForever;
        return options;
    }
    EndlessPeerChains() : PeerChainsTest(endless()) {}
};

TEST_F(EndlessPeerChains, KeepAPeerWhoseChainMayGrow) {
    store("xy", 'b');
    SyncPeer& peer = add(1, 'y');
    chains.update_switch_times(now);
    EXPECT_TRUE(chains.on_other_for_long(peer));
    chains.on_end();
    EXPECT_TRUE(peer.chain.stays_on_other);
}

}  // namespace
}  // namespace petal::net
