#include "regtest/mempool/regtest_mempool.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/regtest/mempool/mempool_scene.h"

namespace petal::regtest {
namespace {

/// Expects that two mempools over the same coins hold the same transactions in the same order, and
/// have the same indexes.
void expect_equal(const RegtestMempool& one, const RegtestMempool& other) {
    EXPECT_EQ(one.transactions(), other.transactions());
    EXPECT_EQ(one.totals(), other.totals());
    EXPECT_EQ(one.layer().created(), other.layer().created());
    for (std::size_t i = 0; i < one.entries().size(); ++i) {
        EXPECT_EQ(one.entries()[i].txid, other.entries()[i].txid);
        EXPECT_EQ(one.find(one.entries()[i].txid), i);
        EXPECT_EQ(one.find(one.entries()[i].wtxid), i);
    }
}

class MempoolWithAFamily : public testing::Test {
protected:
    /// Submits two children of a parent, and between them an unrelated transaction.
    void submit_all() {
        const chain::Txid parent = submit_parent(scene_, 0, 2);
        submit(signed_child({{{parent, 0}, kHalf}}, {{kHalf - 1'000, receiver_script()}}));
        submit(scene_.signed_spend(1, own_script()));
        submit(signed_child({{{parent, 1}, kHalf}}, {{kHalf - 1'000, receiver_script()}}));
    }
    void submit(const Transaction& transaction) { ASSERT_EQ(scene_.refusal(transaction), ""); }

    const RegtestMempool& mempool() { return scene_.chain().mempool(); }
    const chain::Txid& txid_at(std::size_t position) { return mempool().entries()[position].txid; }

    MempoolScene scene_{{own_script(), own_script(), own_script()}};
};

TEST_F(MempoolWithAFamily, ForgetsADroppedTransactionCompletely) {
    submit_all();
    RegtestMempool without_child = mempool();
    without_child.drop(txid_at(1));
    RegtestMempool expected(mempool().layer().emptied());
    for (const std::size_t position : {0U, 2U, 3U}) {
        ASSERT_TRUE(expected.submit(mempool().transactions()[position], txid_at(position), {}));
    }
    expect_equal(without_child, expected);
    EXPECT_EQ(without_child.find(txid_at(1)), std::nullopt);
    EXPECT_EQ(without_child.find(mempool().entries()[1].wtxid), std::nullopt);
    EXPECT_FALSE(without_child.layer().is_spent({txid_at(0), 0}));

    RegtestMempool without_family = mempool();
    without_family.drop(txid_at(0));
    RegtestMempool stranger(mempool().layer().emptied());
    ASSERT_TRUE(stranger.submit(mempool().transactions()[2], txid_at(2), {}));
    expect_equal(without_family, stranger);
    without_family.drop(txid_at(0));
    expect_equal(without_family, stranger);
}

TEST_F(MempoolWithAFamily, RefusesAReplacementThatSpendsTheReplaced) {
    submit_all();
    RegtestMempool after = mempool();
    const Transaction wrong = signed_child(
        {{mempool().transactions()[0].inputs[0].prevout, kCoin}, {{txid_at(0), 0}, kHalf}},
        {{kCoin, receiver_script()}});
    const auto result = after.submit(wrong, wrong.txid(), {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), RejectReason::missing_input);
    expect_equal(after, mempool());
}

}  // namespace
}  // namespace petal::regtest
