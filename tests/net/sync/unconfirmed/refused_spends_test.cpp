#include "net/sync/unconfirmed/refused_spends.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "chain/script/script.h"
#include "tests/support/signing.h"

namespace petal::net {
namespace {

const chain::TxOutput kCoin{7'000, test::p2wpkh_script_of(test::private_key())};

class RefusedSpendsTest : public testing::Test {
protected:
    // Spends two coins with valid signatures.
    RefusedSpendsTest() {
        for (const std::uint32_t index : {0U, 1U}) {
            spend.inputs.emplace_back().prevout = {chain::Txid{{1}}, index};
        }
        spend.outputs = {{5'000, chain::p2wpkh_script({1})}};
        for (const std::size_t i : {0U, 1U}) {
            test::sign_input(spend, i, test::private_key(), kCoin);
        }
        forged = spend;
        ++forged.inputs[1].sequence;
    }

    chain::Expected<bool, SpendFault> check(const chain::Transaction& transaction) {
        looked_up = 0;
        return refused.check(
            transaction, [this](const chain::Outpoint& outpoint) -> std::optional<chain::TxOutput> {
                ++looked_up;
                if (outpoint.index >= known) return std::nullopt;
                return kCoin;
            });
    }
    // Each output is looked up once to recognise the transaction, and a second time to verify it.
    bool was_verified() const { return looked_up == 2 * spend.inputs.size(); }

    RefusedSpends refused;
    chain::Transaction spend;
    chain::Transaction forged;
    std::uint32_t known = 2;
    std::size_t looked_up = 0;
};

TEST_F(RefusedSpendsTest, AreVerifiedOnce) {
    const auto first = check(forged);
    ASSERT_FALSE(first);
    EXPECT_TRUE(was_verified());
    const auto again = check(forged);
    ASSERT_FALSE(again);
    EXPECT_FALSE(was_verified());
    EXPECT_EQ(again.error().blame, FaultBlame::every_peer);
    EXPECT_EQ(again.error().what, first.error().what);
}

TEST_F(RefusedSpendsTest, DoNotHideAVersionWithOtherWitnesses) {
    auto broken = spend;
    broken.inputs[0].witness.clear();
    ASSERT_EQ(broken.txid(), spend.txid());
    EXPECT_FALSE(check(broken));
    EXPECT_TRUE(check(spend));
}

TEST_F(RefusedSpendsTest, AreJudgedAgainWhenMoreIsKnown) {
    auto unjudged = spend;
    // Malformed, which is found only if the output is known.
    unjudged.inputs[0].script_sig = {0x51};
    known = 0;
    EXPECT_TRUE(check(unjudged));
    known = 2;
    EXPECT_FALSE(check(unjudged));
    known = 1;
    EXPECT_FALSE(check(unjudged));
    EXPECT_TRUE(was_verified());
}

TEST_F(RefusedSpendsTest, AreForgottenOldestFirst) {
    const auto is_verified = [this](std::uint32_t lock_time) {
        auto other = forged;
        other.lock_time = lock_time;
        EXPECT_FALSE(check(other));
        return was_verified();
    };
    constexpr std::uint32_t kMost = RefusedSpends::kMaxRefused;
    for (std::uint32_t i = 0; i <= kMost; ++i) EXPECT_TRUE(is_verified(i));
    EXPECT_FALSE(is_verified(1));
    EXPECT_TRUE(is_verified(0)) << "it was the oldest, and there was one too many";
    EXPECT_TRUE(is_verified(1)) << "it was the oldest after that";
    EXPECT_FALSE(is_verified(3));
    EXPECT_FALSE(is_verified(kMost));
}

}  // namespace
}  // namespace petal::net
