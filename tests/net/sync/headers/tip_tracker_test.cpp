#include "net/sync/headers/tip_tracker.h"

#include <gtest/gtest.h>

#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

class TipTrackerTest : public testing::Test {
protected:
    chain::BlockRef ref(std::uint32_t height, char letter) const {
        return {height, tree.hash(letter)};
    }

    test::LetterTree tree;
    chain::HeaderChain chain{test::regtest_params()};
    TipTracker tracker{chain};
};

TEST_F(TipTrackerTest, IsCurrentUntilTheChainMoves) {
    EXPECT_TRUE(tracker.is_current());
    EXPECT_FALSE(tracker.take_move());
    chain.accept(tree.grow("a"), test::kNow);
    EXPECT_FALSE(tracker.is_current());
    (void)tracker.take_move();
    EXPECT_TRUE(tracker.is_current());
    EXPECT_FALSE(tracker.take_move());
}

TEST_F(TipTrackerTest, TakesMovesAsOne) {
    chain.accept(tree.grow("a"), test::kNow);
    chain.accept(tree.grow("b", 'a'), test::kNow);
    const auto move = tracker.take_move();
    ASSERT_TRUE(move);
    EXPECT_EQ(move->old_tip, ref(0, '0'));
    EXPECT_EQ(move->new_tip, ref(2, 'b'));
    EXPECT_FALSE(move->is_reorganisation());
}

TEST_F(TipTrackerTest, KnowsTheForkPoint) {
    chain.accept(tree.grow("abc"), test::kNow);
    (void)tracker.take_move();
    chain.accept(tree.grow("de", 'a'), test::kNow);
    EXPECT_TRUE(tracker.is_current()) << "a branch of equal work does not become the best chain";
    chain.accept(tree.grow("f", 'e'), test::kNow);
    const auto move = tracker.take_move();
    ASSERT_TRUE(move);
    EXPECT_EQ(move->old_tip, ref(3, 'c'));
    EXPECT_EQ(move->fork, ref(1, 'a'));
    EXPECT_EQ(move->new_tip, ref(4, 'f'));
    EXPECT_TRUE(move->is_reorganisation());
}

}  // namespace
}  // namespace petal::net
