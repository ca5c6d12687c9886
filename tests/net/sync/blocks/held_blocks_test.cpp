#include "net/sync/blocks/held_blocks.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

chain::ProvenBlock block_with(chain::MerkleBranch branch) {
    chain::ProvenBlock block;
    block.block.height = 1;
    block.transactions.push_back({0, {}, {}, std::move(branch)});
    return block;
}

// Otherwise a peer that matches whole blocks could make the wallet hold more memory than is
// counted.
TEST(HeldBlocksMemory, CountsMerkleBranches) {
    HeldBlocks without;
    without.add(block_with({}));
    HeldBlocks with;
    with.add(block_with(chain::MerkleBranch(14)));
    EXPECT_EQ(with.bytes(), without.bytes() + 14 * 32);
    with.take_ready();
    EXPECT_EQ(with.bytes(), 0U);
}

}  // namespace
}  // namespace petal::net
