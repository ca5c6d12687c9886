/// The blocks of a regtest chain, as a full node checks them.
#include <gtest/gtest.h>

#include <array>

#include "chain/block.h"
#include "chain/script/script.h"
#include "net/regtest/chain/regtest_chain.h"
#include "tests/support/unsigned_spend.h"

namespace petal::net {
namespace {

TEST(MinedRegtestBlocks, CommitToTheWitnessesThatTheyHave) {
    RegtestChain chain;
    const auto payment = chain.make_payment({{50'000, chain::p2wpkh_script({})}});
    const Block without = chain.mine_block({payment});
    EXPECT_EQ(without.transactions[0].outputs.size(), 1U);
    const std::array coins = {chain::Outpoint{payment.txid(), 0}};
    const Block with = chain.mine_block({test::make_spend(chain, coins, {{40'000, {0x51}}})});
    EXPECT_TRUE(with.transactions[1].has_witness());
    for (const Block& mined : {without, with}) {
        const chain::Block block{mined.header, mined.transactions};
        const auto txids = chain::check_transactions(block);
        ASSERT_TRUE(txids);
        EXPECT_EQ(*txids, mined.txids);
        EXPECT_TRUE(chain::check_witnesses(block.transactions, *txids));
    }
}

}  // namespace
}  // namespace petal::net
