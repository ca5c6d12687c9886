#include "regtest/chain/orphan_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "tests/regtest/regtest_peer.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

constexpr MempoolPolicy kAmountsOnly{TransactionChecks::amounts, 0};
constexpr OrphanPool::ConnectionId kPeer = 1;
constexpr OrphanPool::ConnectionId kOther = 2;

/// A coin, a transaction that spends it, and a child of that transaction. Only the coin is in the
/// chain.
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
    OrphanPool::Outcome offer(const chain::Transaction& transaction,
                              OrphanPool::ConnectionId peer = kPeer) {
        offered.insert(transaction.wtxid());
        return pool.offer(transaction, peer, kAmountsOnly);
    }
    bool is_kept(const chain::Transaction& transaction) {
        return pool.announce({transaction.wtxid().bytes}, kPeer).has_value();
    }
    /// How many of the offered transactions the pool keeps.
    std::size_t kept() {
        constexpr OrphanPool::ConnectionId kCounting = 3;
        const auto count = std::ranges::count_if(offered, [this](const chain::Wtxid& wtxid) {
            return pool.announce({wtxid.bytes}, kCounting).has_value();
        });
        pool.forget_peer(kCounting);
        return static_cast<std::size_t>(count);
    }
    /// A transaction that weighs more than 2,400,000.
    static chain::Transaction spend_largely(const std::vector<chain::Outpoint>& coins) {
        auto transaction = spend(coins);
        transaction.outputs[0].script_pubkey.resize(600'000);
        return transaction;
    }
    std::size_t unconfirmed() const { return chain.mempool().entries().size(); }

    RegtestChain chain;
    OrphanPool pool{chain};
    std::set<chain::Wtxid> offered;
    chain::Transaction parent;
    chain::Transaction child;
    chain::Transaction grandchild;
};

TEST_F(Orphans, AreAcceptedOnceAnyoneSubmitsTheirParent) {
    offer(child);
    ASSERT_TRUE(chain.offer(parent, kAmountsOnly));
    pool.catch_up(kAmountsOnly);
    EXPECT_EQ(unconfirmed(), 2U);
    EXPECT_EQ(kept(), 0U);
}

TEST_F(Orphans, LeaveThePoolIfTheyAreAcceptedThemselves) {
    offer(child);
    ASSERT_TRUE(chain.offer(parent, kAmountsOnly));
    EXPECT_TRUE(offer(child).is_accepted);
    EXPECT_EQ(kept(), 0U);
}

TEST_F(Orphans, AreAcceptedWithTheirParent) {
    const auto last = offer(grandchild);
    EXPECT_FALSE(last.is_accepted);
    EXPECT_EQ(last.missing_parents, (std::vector{child.txid(), parent.txid()}));
    EXPECT_EQ(offer(child).missing_parents, std::vector{parent.txid()});
    EXPECT_EQ(offer(child).missing_parents, std::vector{parent.txid()})
        << "the parent is still missing";
    EXPECT_EQ(kept(), 2U);
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_EQ(unconfirmed(), 3U);
    EXPECT_EQ(kept(), 0U);
}

TEST_F(Orphans, AreAcceptedWithSeveralParentsAtOnce) {
    const auto other = chain.make_payment({{50'000, script(2)}, {50'000, script(2)}});
    offer(spend({{parent.txid(), 1}, {other.txid(), 0}}));
    offer(spend({{other.txid(), 1}}));
    offer(child);
    const auto waiting = spend({{parent.txid(), 0}, {chain::Txid{{7}}, 0}});
    offer(waiting);
    ASSERT_TRUE(chain.offer(parent, kAmountsOnly));
    ASSERT_TRUE(chain.offer(other, kAmountsOnly));
    pool.catch_up(kAmountsOnly);
    EXPECT_EQ(unconfirmed(), 5U);
    EXPECT_EQ(kept(), 1U);
    EXPECT_TRUE(is_kept(waiting));
}

TEST_F(Orphans, WaitWhileNothingIsAccepted) {
    offer(child);
    offer(grandchild);
    EXPECT_FALSE(offer(spend({{chain::Txid{{7}}, 0}})).is_accepted);
    chain.mine();
    pool.catch_up(kAmountsOnly);
    EXPECT_EQ(kept(), 3U);
    EXPECT_EQ(unconfirmed(), 0U);
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_EQ(unconfirmed(), 3U);
}

TEST_F(Orphans, WaitForAllOfTheirParents) {
    offer(grandchild);
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_EQ(kept(), 1U);
    EXPECT_EQ(offer(grandchild).missing_parents, std::vector{child.txid()});
    EXPECT_TRUE(offer(child).is_accepted);
    EXPECT_EQ(unconfirmed(), 3U);
}

TEST_F(Orphans, AreForgottenIfTheyAreRefusedLater) {
    child.outputs[0].value = 50'000;  // more than the input's value
    offer(child);
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_EQ(unconfirmed(), 1U);
    EXPECT_EQ(kept(), 0U);
    EXPECT_TRUE(offer(child).missing_parents.empty());
    EXPECT_EQ(kept(), 0U) << "it is invalid and not an orphan";
}

TEST_F(Orphans, AreBoundedInNumberAndWeight) {
    offer(child);
    for (std::uint32_t i = 0; i < OrphanPool::kMaxOrphans; ++i) offer(spend({{child.txid(), i}}));
    EXPECT_EQ(kept(), OrphanPool::kMaxOrphans);
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_EQ(unconfirmed(), 1U) << "the oldest orphan was evicted";
    auto large = spend_largely({{child.txid(), 1'000}});
    offer(large);
    EXPECT_EQ(kept(), OrphanPool::kMaxOrphans);
    large.inputs[0].prevout.index = 1'001;
    offer(large);
    EXPECT_EQ(kept(), 1U);
}

TEST_F(Orphans, NameEachMissingParentOnce) {
    EXPECT_EQ(offer(spend({{child.txid(), 5}, {child.txid(), 6}})).missing_parents,
              std::vector{child.txid()});
}

TEST_F(Orphans, KeepTheirAgeWhileTheyWait) {
    offer(grandchild);
    offer(parent);
    for (std::uint32_t i = 0; i < OrphanPool::kMaxOrphans; ++i) offer(spend({{child.txid(), i}}));
    EXPECT_FALSE(is_kept(grandchild));
}

TEST_F(Orphans, ThatAreTooHeavyEvictNoOthers) {
    offer(child);
    auto heavy = spend({{child.txid(), 0}});
    heavy.inputs[0].witness = {chain::Bytes(OrphanPool::kMaxWeight)};
    offer(heavy);
    EXPECT_TRUE(is_kept(child));
    EXPECT_FALSE(is_kept(heavy));
}

TEST_F(Orphans, CountTheirWeightWhileTheyWait) {
    const chain::Txid unknown{{7}};
    offer(spend_largely({{parent.txid(), 0}, {unknown, 0}}));
    offer(spend_largely({{parent.txid(), 1}}));
    EXPECT_EQ(kept(), 1U) << "both together are too heavy";
    offer(spend_largely({{parent.txid(), 0}, {unknown, 0}}));
    offer(parent);
    EXPECT_EQ(kept(), 1U) << "its other parent is missing";
    offer(spend_largely({{unknown, 1}}));
    EXPECT_EQ(kept(), 1U) << "the weight still counts";
}

TEST_F(Orphans, ThatAreAcceptedMakeRoom) {
    offer(spend_largely({{parent.txid(), 0}}));
    offer(parent);
    EXPECT_EQ(kept(), 0U);
    offer(spend({{chain::Txid{{7}}, 0}}));
    offer(spend_largely({{chain::Txid{{7}}, 1}}));
    EXPECT_EQ(kept(), 2U);
}

TEST_F(Orphans, StayWithAnAnnouncerIfTheyAreEvictedFromAnother) {
    offer(child, kOther);
    offer(child);
    for (std::uint32_t i = 0; i < OrphanPool::kMaxOrphans; ++i) offer(spend({{child.txid(), i}}));
    pool.forget_peer(kPeer);
    EXPECT_EQ(kept(), 1U);
}

TEST_F(Orphans, AreEvictedFromThePeerThatHasMost) {
    const auto large = spend_largely({{child.txid(), 1'000}});
    offer(large, kOther);
    for (std::uint32_t i = 0; i < OrphanPool::kMaxOrphans; ++i) offer(spend({{child.txid(), i}}));
    EXPECT_TRUE(is_kept(large))
        << "its share of the weight is smaller than the other peer's share of the number";
}

TEST_F(Orphans, OfOnePeerAreNotEvictedByThoseOfAnother) {
    // One orphan, offered again and again.
    for (std::size_t i = 0; i <= OrphanPool::kMaxOrphans; ++i) offer(child, kOther);
    for (std::uint32_t i = 0; i < OrphanPool::kMaxOrphans; ++i) offer(spend({{child.txid(), i}}));
    EXPECT_EQ(kept(), OrphanPool::kMaxOrphans);
    EXPECT_FALSE(is_kept(spend({{child.txid(), 0}})))
        << "the oldest orphan of the peer with the most was evicted";
    EXPECT_TRUE(is_kept(child));
}

TEST_F(Orphans, AreEvictedFromThePeerWithTheMostWeight) {
    auto large = spend_largely({{child.txid(), 0}});
    offer(large, kOther);
    for (std::uint32_t i = 1; i < OrphanPool::kMaxOrphans; ++i) offer(spend({{child.txid(), i}}));
    large.inputs[0].prevout.index = 1'000;
    offer(large, kOther);
    EXPECT_EQ(kept(), OrphanPool::kMaxOrphans);
    EXPECT_TRUE(is_kept(large));
}

TEST_F(Orphans, StayUntilTheirLastAnnouncerLeaves) {
    offer(child);
    offer(grandchild);
    offer(child, kOther);  // the same orphan from a second peer
    EXPECT_TRUE(pool.announce({grandchild.wtxid().bytes}, kOther));
    pool.forget_peer(kPeer);
    EXPECT_EQ(kept(), 2U);
    pool.forget_peer(kOther);
    EXPECT_EQ(kept(), 0U);
}

TEST_F(Orphans, AreDroppedWithTheirPeer) {
    const auto large = spend_largely({{child.txid(), 0}});
    offer(large);
    pool.forget_peer(kPeer);
    offer(child, kOther);
    offer(large);
    EXPECT_EQ(kept(), 2U);
}

TEST_F(Orphans, AreKnownByTheirWtxidsAlone) {
    auto with_witness = child;
    with_witness.inputs[0].witness = {chain::Bytes{1}};
    offer(with_witness);
    EXPECT_FALSE(pool.announce({child.txid().bytes}, kOther));
    EXPECT_EQ(pool.announce({with_witness.wtxid().bytes}, kOther), std::vector{parent.txid()});
    EXPECT_EQ(offer(grandchild).missing_parents, (std::vector{child.txid(), parent.txid()}));
    EXPECT_EQ(pool.announce({grandchild.wtxid().bytes}, kOther),
              (std::vector{child.txid(), parent.txid()}));
    offer(child);
    EXPECT_EQ(offer(grandchild).missing_parents, std::vector{parent.txid()});
}

TEST_F(Orphans, AreOfferedOnceABlockHasTheirParent) {
    offer(grandchild);
    offer(child);
    pool.catch_up(kAmountsOnly);
    EXPECT_EQ(kept(), 2U) << "nothing has changed";
    chain.mine_block({parent});
    chain.mine();
    pool.catch_up(kAmountsOnly);
    EXPECT_EQ(unconfirmed(), 2U);
    EXPECT_EQ(kept(), 0U);
}

TEST_F(Orphans, LeaveOnceABlockHasThemOrAConflict) {
    const auto rival = spend({{parent.txid(), 1}});
    offer(child);
    offer(grandchild);
    chain.mine_block({parent, child, rival});
    pool.catch_up(kAmountsOnly);
    EXPECT_EQ(kept(), 0U);
    EXPECT_EQ(unconfirmed(), 0U);
    auto large = spend({{chain::Txid{{7}}, 0}});
    large.outputs[0].script_pubkey.resize(999'900);
    offer(large);
    EXPECT_EQ(kept(), 1U) << "their weight is no longer counted either";
}

TEST_F(Orphans, ExcludeTransactionsOfBlocks) {
    offer(parent);
    offer(child);
    offer(grandchild);
    chain.mine();
    EXPECT_FALSE(offer(parent).is_accepted);
    EXPECT_TRUE(offer(child).missing_parents.empty());
    EXPECT_EQ(kept(), 0U) << "although all of the child's outputs are spent";
}

TEST_F(Orphans, AreNotAcceptedTwice) {
    EXPECT_TRUE(offer(parent).is_accepted);
    EXPECT_FALSE(offer(parent).is_accepted);
}

}  // namespace
}  // namespace petal::regtest
