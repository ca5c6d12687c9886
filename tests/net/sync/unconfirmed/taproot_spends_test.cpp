// Unconfirmed spends of taproot coins that cannot be verified.
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "tests/net/sync/unconfirmed/unconfirmed_scene.h"

namespace petal {
namespace {

using std::chrono::seconds;
using test::ChainWithTwoCoins;
using test::Follow;
using test::reaction_to;

/// Spends of taproot coins together with a coin that the watcher does not know.
class TaprootSpendsBesideOthers : public ChainWithTwoCoins {
protected:
    TaprootSpendsBesideOthers() : ChainWithTwoCoins(chain::ScriptType::p2tr) {}

    /// The signature covers all inputs, or the coin alone (SIGHASH_ANYONECANPAY).
    chain::Transaction joint_spend(const chain::Outpoint& coin, bool covers_all) {
        auto spend = unsigned_spend(coin);
        spend.inputs.emplace_back().prevout = {chain::Txid{{7}}, 0};
        const std::array outputs{output_of(coin), chain::TxOutput{1'000, chain::p2wpkh_script({})}};
        const auto covered = std::span(outputs).first(covers_all ? outputs.size() : 0);
        test::sign_input(spend, 0, key_of(coin), outputs[0], covered);
        return spend;
    }
};

// The signature covers an unknown output, so it cannot be verified.
TEST_F(TaprootSpendsBesideOthers, AreIgnoredWithoutBlame) {
    Follow follow;
    const auto peer = follow.connect(chain);
    follow.run_for(seconds{20});
    for (const auto& coin : {own, strangers}) {
        follow.show(peer, joint_spend(coin, true));
    }
    follow.run_for(seconds{3});
    EXPECT_FALSE(follow.network.is_dropped(peer));
    EXPECT_FALSE(follow.knows(joint_spend(own, true)));
    EXPECT_TRUE(follow.watcher.batches.empty());
    EXPECT_EQ(follow.memory().unconfirmed.size(), 0U);
    EXPECT_EQ(reaction_to(joint_spend(own, true), chain),
              reaction_to(joint_spend(strangers, true), chain));
}

TEST_F(TaprootSpendsBesideOthers, CountIfTheSignatureCoversOnlyTheirOwnOutput) {
    Follow follow;
    const auto peer = follow.connect(chain);
    follow.run_for(seconds{20});
    const auto spend = joint_spend(own, false);
    follow.show(peer, spend);
    follow.run_for(seconds{3});
    EXPECT_TRUE(follow.knows(spend));
    auto forged = spend;
    forged.lock_time = 7;
    follow.show(peer, forged);
    EXPECT_TRUE(follow.network.is_dropped(peer));
}

// No peer may make a coin seem spent by a script that the output does not commit to.
TEST_F(TaprootSpendsBesideOthers, ByAForgedScriptPathAreRefused) {
    auto spend = unsigned_spend(own);
    spend.inputs[0].witness = {chain::Bytes{0x51}, chain::Bytes(33, 0xc0)};
    Follow follow;
    const auto peer = follow.connect(chain);
    follow.run_for(seconds{20});
    follow.show(peer, spend);
    follow.run_for(seconds{3});
    EXPECT_TRUE(follow.network.is_dropped(peer));
    EXPECT_FALSE(follow.knows(spend));
}

}  // namespace
}  // namespace petal
