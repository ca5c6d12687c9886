#include "net/regtest/chain/orphan_pool.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/net/regtest/regtest_peer.h"
#include "tests/support/unsigned_spend.h"

namespace petal::net {
namespace {

constexpr MempoolPolicy kAmountsOnly{TransactionChecks::amounts, 0};

/// A coin, a transaction that spends it, and one that spends that; the chain has the coin.
class Orphans : public testing::Test {
protected:
    Orphans() {
        const auto coin = chain.pay(script(1), 100'000);
        chain.mine();
        parent = test::make_spend(chain, std::array{chain::Outpoint{coin, 0}},
                                  {{40'000, script(2)}, {40'000, script(2)}});
        child = spend({{parent.txid(), 0}});
        grandchild = spend({{child.txid(), 0}, {parent.txid(), 1}});
    }

    static chain::Transaction spend(const std::vector<chain::Outpoint>& coins) {
        chain::Transaction transaction;
        for (const auto& coin : coins) transaction.inputs.push_back({coin, {}, 0xfffffffd, {}});
        transaction.outputs = {{1'000, script(3)}};
        return transaction;
    }
    OrphanPool::Outcome offer(const chain::Transaction& transaction) {
        return pool.offer(transaction, kAmountsOnly);
    }
    std::size_t unconfirmed() const { return chain.mempool().entries().size(); }

    RegtestChain chain;
    OrphanPool pool{chain};
    chain::Transaction parent;
    chain::Transaction child;
    chain::Transaction grandchild;
};

TEST_F(Orphans, AreAcceptedWithTheirParent) {
    const auto last = offer(grandchild);
    EXPECT_FALSE(last.is_accepted);
    EXPECT_EQ(last.missing_parents, (std::vector{child.txid(), parent.txid()}));
    EXPECT_EQ(offer(child).missing_parents, std::vector{parent.txid()});
    EXPECT_EQ(offer(child).missing_parents, std::vector{parent.txid()}) << "once more";
    EXPECT_EQ(pool.size(), 2U);
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_EQ(unconfirmed(), 3U);
    EXPECT_EQ(pool.size(), 0U);
}

TEST_F(Orphans, WaitForAllOfTheirParents) {
    offer(grandchild);
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_EQ(pool.size(), 1U);
    EXPECT_EQ(offer(grandchild).missing_parents, std::vector{child.txid()});
    EXPECT_TRUE(offer(child).is_accepted);
    EXPECT_EQ(unconfirmed(), 3U);
}

TEST_F(Orphans, AreForgottenIfTheyAreRefusedLater) {
    child.outputs[0].value = 50'000;  // more than it spends
    offer(child);
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_EQ(unconfirmed(), 1U);
    EXPECT_EQ(pool.size(), 0U);
    EXPECT_TRUE(offer(child).missing_parents.empty());
    EXPECT_EQ(pool.size(), 0U) << "it is no orphan";
}

TEST_F(Orphans, AreBoundedInNumberAndWeight) {
    offer(child);
    for (std::uint32_t i = 0; i < OrphanPool::kMaxOrphans; ++i) offer(spend({{child.txid(), i}}));
    EXPECT_EQ(pool.size(), OrphanPool::kMaxOrphans);
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_EQ(unconfirmed(), 1U) << "the oldest had left";
    auto large = spend({{child.txid(), 1'000}});
    large.outputs[0].script_pubkey.resize(600'000);
    offer(large);
    EXPECT_EQ(pool.size(), OrphanPool::kMaxOrphans);
    large.inputs[0].prevout.index = 1'001;
    offer(large);
    EXPECT_EQ(pool.size(), 1U);
}

}  // namespace
}  // namespace petal::net
