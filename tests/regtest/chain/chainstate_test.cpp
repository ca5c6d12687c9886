#include "regtest/chain/chainstate.h"

#include <gtest/gtest.h>

#include <array>

#include "regtest/chain/regtest_chain.h"

namespace petal::regtest {
namespace {

/// The hashes of the chain's blocks 1 to 3.
std::array<chain::BlockHash, 3> branch_of(const RegtestChain& chain) {
    std::array<chain::BlockHash, 3> hashes;
    for (std::uint32_t i = 0; i < 3; ++i) hashes[i] = chain.block_at(i + 1).header.hash();
    return hashes;
}

TEST(InvalidBlocks, TakeTheirDescendantsAlongAndNoOthers) {
    RegtestChain chain;
    chain.mine(3);
    const auto first = branch_of(chain);
    chain.invalidate(first[1]);
    EXPECT_EQ(chain.tip(), first[0]);
    chain.mine(2);
    const auto second = branch_of(chain);
    EXPECT_EQ(second[0], first[0]);
    chain.invalidate(second[0]);
    EXPECT_EQ(chain.height(), 0U) << "both branches descend from the invalid block";
}

TEST(InvalidBlocks, AreReconsideredWithAncestorsAndDescendants) {
    RegtestChain chain;
    chain.mine(3);
    const auto first = branch_of(chain);
    chain.invalidate(first[2]);
    chain.invalidate(first[0]);
    EXPECT_EQ(chain.height(), 0U);
    chain.reconsider(first[1]);
    EXPECT_EQ(chain.tip(), first[2]);

    chain.invalidate(first[1]);
    chain.mine(2);
    const auto second = branch_of(chain);
    chain.invalidate(second[1]);
    EXPECT_EQ(chain.tip(), first[0]);
    chain.reconsider(first[2]);
    EXPECT_EQ(chain.tip(), first[2]);
    chain.invalidate(first[1]);
    EXPECT_EQ(chain.tip(), first[0]) << "the other branch is still marked as invalid";
}

TEST(InvalidBlocks, LeaveTheFirstOfSeveralBestBranches) {
    RegtestChain chain;
    chain.mine(2);
    const auto first = chain.tip();
    chain.reorganise(1, 2);
    const auto second = chain.tip();
    chain.mine();
    chain.invalidate(chain.tip());
    EXPECT_EQ(chain.tip(), second);
    chain.invalidate(second);
    EXPECT_EQ(chain.tip(), first);
    chain.reconsider(second);
    EXPECT_EQ(chain.height(), 4U) << "with the descendants of the reconsidered block";
}

// A separate search for the ancestors of each block would take minutes here.
TEST(InvalidBlocks, CostTimeInProportionToTheChain) {
    RegtestChain chain;
    chain.mine(20'000);
    const auto tip = chain.tip();
    const auto first = chain.block_at(1).header.hash();
    chain.invalidate(first);
    EXPECT_EQ(chain.height(), 0U);
    chain.reconsider(first);
    EXPECT_EQ(chain.tip(), tip);
}

}  // namespace
}  // namespace petal::regtest
