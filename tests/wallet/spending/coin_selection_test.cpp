// The cost of unconfirmed coins, which pay for their ancestors.
#include "wallet/spending/coin_selection.h"

#include <gtest/gtest.h>

#include "tests/wallet/spending/spending_scene.h"

namespace petal::wallet {
namespace {

using chain::Satoshis;
using Indexes = std::vector<std::size_t>;

/// An input of P2WPKH costs 678 sat at 10 sat/vB.
constexpr Satoshis kInputFee = 678;

InputCoin unconfirmed_coin(std::uint32_t number, Satoshis value, std::uint32_t output = 0) {
    InputCoin coin = test::coin_of(number, value, ScriptKind::wpkh, 10 * number + output);
    coin.outpoint.index = output;
    coin.confirmed = false;
    return coin;
}

UnconfirmedRelative relative(std::uint32_t number, Satoshis fee,
                             const std::vector<std::uint32_t>& parents = {}) {
    UnconfirmedRelative result{test::coin_of(number, 1).outpoint.txid, {}, 100, fee};
    for (const std::uint32_t parent : parents) {
        result.parents.push_back(test::coin_of(parent, 1).outpoint.txid);
    }
    return result;
}

/// A target at 10 sat/vB in a wallet with these unconfirmed transactions.
class UnconfirmedCoins : public testing::Test {
protected:
    void set_relatives(std::vector<UnconfirmedRelative> relatives) {
        miner_ = MiniMiner(relatives, target.fee_rate);
        target.miner = &miner_;
    }

    SelectionTarget target{1'000, FeeRate{10'000}};

private:
    MiniMiner miner_{{}, FeeRate{0}};
};

TEST_F(UnconfirmedCoins, CostWhatTheirAncestorsLack) {
    set_relatives({relative(1, 100), relative(2, 1'000)});
    const std::vector coins{unconfirmed_coin(1, 10'000), unconfirmed_coin(2, 10'000)};
    const auto groups = group_coins(coins, target);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].amount, 10'000 - kInputFee - 900);
    EXPECT_EQ(groups[0].bump_fee, 900);
    EXPECT_EQ(groups[0].waste - groups[1].waste, 900);
    EXPECT_EQ(groups[1].amount, 10'000 - kInputFee);
    target.recipients_pay_fee = true;
    EXPECT_EQ(group_coins(coins, target)[0].amount, 10'000);
}

TEST_F(UnconfirmedCoins, AreLeftOutIfTheyCostMoreThanTheyAreWorth) {
    set_relatives({relative(1, 100)});
    EXPECT_TRUE(group_coins(std::vector{unconfirmed_coin(1, kInputFee + 900)}, target).empty());
    EXPECT_EQ(group_coins(std::vector{unconfirmed_coin(1, kInputFee + 901)}, target).size(), 1U);
}

TEST_F(UnconfirmedCoins, OfOneAddressPayForAnAncestorOnce) {
    set_relatives({relative(1, 100), relative(2, 100, {1}), relative(3, 100, {1})});
    std::vector coins{unconfirmed_coin(2, 10'000), unconfirmed_coin(3, 10'000)};
    coins[1].output.script_pubkey = coins[0].output.script_pubkey;
    const auto groups = group_coins(coins, target);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].bump_fee, 2'700);
    EXPECT_EQ(groups[0].amount, 20'000 - 2 * kInputFee - 2'700);
}

TEST_F(UnconfirmedCoins, OfSeveralGroupsPayForAnAncestorOnce) {
    set_relatives({relative(1, 100), relative(2, 100, {1}), relative(3, 100, {1})});
    const auto groups =
        group_coins(std::vector{unconfirmed_coin(2, 10'000), unconfirmed_coin(3, 10'000)}, target);
    ASSERT_EQ(groups.size(), 2U);
    target.least_change = 1'000'000;  // no change
    const Satoshis excess = 20'000 - 2 * kInputFee - 2'700 - target.amount;
    EXPECT_EQ(waste_of({0, 1}, groups, target), groups[0].waste + groups[1].waste - 900 + excess);
}

TEST_F(UnconfirmedCoins, AreWorthwhileTogether) {
    set_relatives({relative(1, 0), relative(2, 1'000, {1}), relative(3, 1'000, {1})});
    // The first transaction lacks 1,000 sat, of which each coin has 600.
    const std::vector coins{unconfirmed_coin(2, kInputFee + 600),
                            unconfirmed_coin(3, kInputFee + 600)};
    EXPECT_TRUE(group_coins(coins, target).empty());
    EXPECT_EQ(worthwhile_coins(coins, target), (Indexes{0, 1}));
    const std::vector poor{unconfirmed_coin(2, kInputFee + 400),
                           unconfirmed_coin(3, kInputFee + 400)};
    EXPECT_EQ(worthwhile_coins(poor, target), Indexes{});
    EXPECT_EQ(worthwhile_coins(std::vector{poor[0], coins[1]}, target), Indexes{});
}

TEST_F(UnconfirmedCoins, AreWorthwhileWithoutOthers) {
    set_relatives({relative(1, 0), relative(2, 0)});
    const std::vector coins{unconfirmed_coin(1, kInputFee + 600),
                            unconfirmed_coin(1, kInputFee + 600, 1),
                            unconfirmed_coin(2, kInputFee + 600), test::coin_of(9, 10'000)};
    EXPECT_EQ(worthwhile_coins(coins, target), (Indexes{0, 1, 3}));
}

}  // namespace
}  // namespace petal::wallet
