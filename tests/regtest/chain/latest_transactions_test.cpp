#include "regtest/chain/latest_transactions.h"

#include <gtest/gtest.h>

namespace petal::regtest {
namespace {

TEST(LatestTransactions, FindsTransactionsByBothIds) {
    RegtestChain chain({0, PurseKind::p2wpkh});
    chain.mine(130);
    LatestTransactions latest(chain);
    const chain::Transaction first = chain.make_payment({{1'000'000, chain.purse().script()}});
    const chain::Transaction second = chain.make_payment({{2'000'000, chain.purse().script()}});
    ASSERT_NE(first.wtxid().bytes, first.txid().bytes);
    chain.submit(first);
    chain.submit(second);
    EXPECT_EQ(chain.mempool().find(second.wtxid()), 1U);
    EXPECT_FALSE(latest.find(second.wtxid()));
    chain.drop(first.txid());
    EXPECT_FALSE(chain.mempool().find(first.wtxid()));
    EXPECT_EQ(chain.mempool().find(second.wtxid()), 0U);
    chain.mine();
    EXPECT_FALSE(chain.mempool().find(second.wtxid()));
    EXPECT_EQ(*latest.find(second.wtxid()), second);
    EXPECT_EQ(*latest.find(second.txid()), second);
    EXPECT_FALSE(latest.find(chain::Wtxid{second.txid().bytes}));
    chain.mine();
    EXPECT_FALSE(latest.find(second.wtxid()));
}

TEST(LatestTransactions, ContainsTransactionsByBothIds) {
    RegtestChain chain({0, PurseKind::p2wpkh});
    chain.mine(130);
    LatestTransactions latest(chain);
    const chain::Transaction payment = chain.make_payment({{1'000'000, chain.purse().script()}});
    EXPECT_FALSE(latest.contains(payment.txid()));
    chain.mine_block({payment});
    EXPECT_TRUE(latest.contains(payment.txid()));
    chain.mine();
    EXPECT_FALSE(latest.contains(payment.txid()));
    const chain::Transaction other = chain.make_payment({{2'000'000, chain.purse().script()}});
    chain.mine_block({other});
    EXPECT_TRUE(latest.contains(other.wtxid()));
    EXPECT_FALSE(latest.contains(chain::Wtxid{other.txid().bytes}));
    EXPECT_FALSE(latest.contains(chain::Txid{other.wtxid().bytes}));
    chain.mine();
    EXPECT_FALSE(latest.contains(other.wtxid()));
}

}  // namespace
}  // namespace petal::regtest
