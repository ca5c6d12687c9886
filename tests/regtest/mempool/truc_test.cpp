/// Transactions of version 3 (BIP431).
#include "regtest/mempool/truc.h"

#include <gtest/gtest.h>

#include "tests/regtest/mempool/mempool_scene.h"

namespace petal::regtest {
namespace {

TEST(MempoolVersion3, KeepsToItsOwnVersion) {
    MempoolScene scene({own_script(), own_script()});
    const chain::Txid parent = submit_parent(scene, 0, 2);
    const chain::Txid restricted = submit_parent(scene, 1, 3);
    const auto child_of = [](const chain::Txid& txid, std::int32_t version) {
        return signed_child({{{txid, 0}, kHalf}}, {{kHalf - 1'000, receiver_script()}}, version);
    };
    EXPECT_EQ(scene.refusal(child_of(parent, 3)), "TRUC-violation");
    EXPECT_EQ(scene.refusal(child_of(restricted, 2)), "TRUC-violation");
    EXPECT_EQ(scene.refusal(child_of(restricted, 3)), "");
    scene.chain().mine();
    EXPECT_EQ(scene.refusal(child_of(parent, 3)), "")
        << "a confirmed parent may be spent by any version";
}

TEST(MempoolVersion3, KeepsFamiliesOfOneParentAndOneChild) {
    MempoolScene scene({own_script(), own_script()});
    const chain::Txid one = submit_parent(scene, 0, 3);
    const chain::Txid two = submit_parent(scene, 1, 3);
    const Transaction of_both = signed_child({{{one, 0}, kHalf}, {{two, 0}, kHalf}},
                                             {{2 * kHalf - 1'000, own_script()}}, 3);
    EXPECT_EQ(scene.refusal(of_both), "TRUC-violation");
    const Transaction child = signed_child({{{one, 0}, kHalf}}, {{kHalf - 1'000, own_script()}}, 3);
    EXPECT_EQ(scene.refusal(child), "");
    const Transaction grandchild =
        signed_child({{{child.txid(), 0}, kHalf - 1'000}}, {{kHalf - 2'000, own_script()}}, 3);
    EXPECT_EQ(scene.refusal(grandchild), "TRUC-violation");
    // A reorganisation can leave larger families in the mempool. None of their members is evicted
    // as a sibling.
    const Transaction rich = signed_child({{{one, 1}, kHalf}}, {{kHalf - 50'000, own_script()}}, 3);
    scene.chain().submit(grandchild);
    EXPECT_EQ(scene.refusal(rich), "TRUC-violation");
    scene.chain().drop(child.txid());
    scene.chain().submit(of_both);
    EXPECT_EQ(scene.refusal(rich), "TRUC-violation");
    scene.chain().drop(of_both.txid());
    EXPECT_EQ(scene.refusal(rich), "");
    // submit() checks no policy. It evicts no sibling either, although one of the two parents has a
    // child already.
    const Transaction of_two = signed_child({{{two, 1}, kHalf}}, {{kHalf, own_script()}}, 3);
    scene.chain().submit(of_two);
    scene.chain().submit(of_both);
    EXPECT_EQ(scene.chain().mempool().transactions().size(), 5U);
}

TEST(MempoolVersion3, EvictsNoneOfTwoSiblings) {
    MempoolScene scene({own_script()});
    constexpr chain::Satoshis kThird = kCoin / 4;
    Transaction parent = scene.spend(0, 0);
    parent.version = 3;
    parent.outputs.assign(3, {kThird, own_script()});
    parent = resigned(std::move(parent));
    const auto child = [&](std::uint32_t output, chain::Satoshis fee) {
        return signed_child({{{parent.txid(), output}, kThird}}, {{kThird - fee, own_script()}}, 3);
    };
    // A block may hold both children, and a reorganisation returns them.
    scene.chain().mine_block({parent, child(0, 1'000), child(1, 1'000)});
    scene.chain().invalidate(scene.chain().tip());
    ASSERT_EQ(scene.chain().mempool().transactions().size(), 3U);
    EXPECT_EQ(scene.refusal(child(2, 50'000)), "TRUC-violation");
    EXPECT_EQ(scene.refusal(child(1, 50'000)), "")
        << "it conflicts with one of the two and replaces it";
}

TEST(MempoolVersion3, EvictsTheSiblingThatPaysLess) {
    MempoolScene scene({own_script()});
    const chain::Txid parent = submit_parent(scene, 0, 3);
    const auto child = [&](std::uint32_t output, chain::Satoshis fee) {
        return signed_child({{{parent, output}, kHalf}}, {{kHalf - fee, receiver_script()}}, 3);
    };
    ASSERT_EQ(scene.refusal(child(0, 1'000)), "");
    EXPECT_EQ(scene.refusal(child(1, 1'000)), "insufficient fee (including sibling eviction)");
    EXPECT_EQ(scene.refusal(child(0, 1'000 - 1)), "insufficient fee")
        << "it is a conflict in any case";
    const Transaction better = child(1, 2'000);
    EXPECT_EQ(scene.refusal(better), "");
    const auto& left = scene.chain().mempool().transactions();
    ASSERT_EQ(left.size(), 2U);
    EXPECT_EQ(left[0].txid(), parent);
    EXPECT_EQ(left[1], better);
}

TEST(MempoolVersion3, IsSmall) {
    MempoolScene scene({own_script()});
    const auto with_outputs = [](const chain::Outpoint& spent, chain::Satoshis value,
                                 std::size_t outputs) {
        std::vector<chain::TxOutput> paid(outputs, {1'000, own_script()});
        paid.push_back({value - 1'000 * static_cast<std::int64_t>(outputs) - 20'000, own_script()});
        return signed_child({{spent, value}}, std::move(paid), 3);
    };
    const chain::Outpoint coin = scene.spend(0, 0).inputs[0].prevout;
    // 109.25 vB and 31 vB for each further output. From 253 outputs on, the count takes three bytes
    // instead of one.
    EXPECT_EQ(scene.refusal(with_outputs(coin, kCoin, 319)), "TRUC-violation");
    const Transaction parent = with_outputs(coin, kCoin, 318);
    EXPECT_EQ(scene.refusal(parent), "");
    const chain::Outpoint change{parent.txid(), 318};
    const chain::Satoshis value = parent.outputs.back().value;
    EXPECT_EQ(scene.refusal(with_outputs(change, value, 29)), "TRUC-violation");
    EXPECT_EQ(scene.refusal(with_outputs(change, value, 28)), "");
}

}  // namespace
}  // namespace petal::regtest
