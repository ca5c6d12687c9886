/// The blocks of a regtest chain, as a full node checks them.
#include <gtest/gtest.h>

#include <array>

#include "chain/block.h"
#include "chain/script/script.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

TEST(MinedRegtestBlocks, CommitToTheWitnessesThatTheyHave) {
    RegtestChain chain;
    const auto payment = chain.make_payment({{50'000, chain::p2wpkh_script({})}});
    const RegtestBlock without = chain.mine_block({payment});
    EXPECT_EQ(without.transactions[0].outputs.size(), 1U);
    const std::array coins = {chain::Outpoint{payment.txid(), 0}};
    const RegtestBlock with =
        chain.mine_block({test::make_spend(chain, coins, {{40'000, {0x51}}})});
    EXPECT_TRUE(with.transactions[1].has_witness());
    for (const RegtestBlock& mined : {without, with}) {
        const chain::Block block{mined.header, mined.transactions};
        const auto txids = chain::check_transactions(block);
        ASSERT_TRUE(txids);
        EXPECT_EQ(*txids, mined.txids);
        EXPECT_TRUE(chain::check_witnesses(block.transactions, *txids));
    }
}

// One that replaced a transaction of a block, for example.
TEST(MinedRegtestBlocks, LeaveOutWhatFitsInNoBlock) {
    RegtestChain chain;
    const chain::Bytes too_many_sigops(1'000, 0xae);
    const auto unfit = chain.submit(chain.make_payment({{50'000, too_many_sigops}}));
    const std::array of_unfit = {chain::Outpoint{unfit, 0}};
    const auto child = chain.submit(test::make_spend(chain, of_unfit, {{1'000, {0x51}}}));
    const auto payment = chain.pay(chain::p2wpkh_script({}), 5'000);
    chain.mine();
    const RegtestBlock& mined = chain.block_at(chain.height());
    ASSERT_EQ(mined.txids.size(), 2U);
    EXPECT_EQ(mined.txids[1], payment);
    EXPECT_NE(chain.mempool().transaction(child), nullptr);
}

}  // namespace
}  // namespace petal::regtest
