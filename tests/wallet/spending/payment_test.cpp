#include "wallet/spending/payment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/wallet/spending/spending_scene.h"
#include "wallet/spending/coin_selection.h"
#include "wallet/spending/sizes.h"

namespace petal::wallet {
namespace {

using chain::Satoshis;
using test::coin_of;
using test::request_of;

chain::Expected<Payment, PaymentFailure> build(const PaymentRequest& request,
                                               const std::vector<InputCoin>& coins,
                                               std::uint64_t seed = 1) {
    return build_payment(request, coins, test::random_bits(seed));
}

PaymentError error_of(const PaymentRequest& request, const std::vector<InputCoin>& coins) {
    const auto payment = build(request, coins);
    EXPECT_FALSE(payment);
    return payment ? PaymentError::no_recipient : payment.error().error;
}

TEST(Payment, PaysRecipientFeeAndChange) {
    const auto payment = build(request_of(100'000), {coin_of(1, 1'000'000)}).value();
    // 1 input of 271, 2 outputs of 124 each, and 42 fixed weight units: 561 weight units are 141
    // vB.
    EXPECT_EQ(payment.virtual_size, 141U);
    EXPECT_EQ(payment.fee, 282);
    EXPECT_EQ(payment.paid(), 100'000);
    ASSERT_TRUE(payment.change_index);
    const auto& outputs = payment.transaction.outputs;
    EXPECT_EQ(outputs.at(*payment.change_index),
              (chain::TxOutput{1'000'000 - 100'000 - 282, request_of(1).change.script_pubkey}));
    EXPECT_EQ(outputs.at(1 - *payment.change_index),
              (chain::TxOutput{100'000, test::recipient_script()}));
    EXPECT_EQ(payment.transaction.version, 2);
    EXPECT_EQ(payment.transaction.inputs.at(0).sequence, 0xffff'fffdU);
}

TEST(Payment, HasNoChangeIfCoinsMatch) {
    PaymentRequest request = request_of(100'000);
    request.fee_rate = FeeRate{10'000};
    // 42 + 124 + 2 x 271 = 708 weight units: 177 vB, and 230 sat of excess.
    const auto payment =
        build(request, {coin_of(1, 1'000'000), coin_of(2, 70'000), coin_of(3, 32'000)}).value();
    EXPECT_FALSE(payment.change_index);
    EXPECT_EQ(test::total_of(payment.coins), 102'000);
    EXPECT_EQ(payment.fee, 1'770 + 230);
}

TEST(Payment, PutsChangeAtAnyPosition) {
    std::map<std::size_t, int> positions;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        PaymentRequest request = request_of(100'000);
        request.recipients.push_back({test::recipient_script(2), 20'000});
        const auto payment = build(request, {coin_of(1, 1'000'000)}, seed).value();
        ++positions[payment.change_index.value()];
    }
    EXPECT_EQ(positions.size(), 3U);
    for (const auto& [position, count] : positions) EXPECT_GT(count, 15) << position;
}

TEST(Payment, SpendsTheCoinsOfAnAddressTogether) {
    std::vector<InputCoin> coins{coin_of(1, 60'000, ScriptKind::wpkh, 7),
                                 coin_of(2, 61'000, ScriptKind::wpkh, 7),
                                 coin_of(3, 62'000, ScriptKind::wpkh, 7)};
    const auto payment = build(request_of(1'000), coins).value();
    EXPECT_EQ(payment.coins.size(), 3U);
}

TEST(Payment, SplitsAnAddressWithMoreThanAHundredCoins) {
    std::vector<InputCoin> coins;
    for (std::uint32_t i = 0; i < 250; ++i) {
        coins.push_back(coin_of(i, 60'000, ScriptKind::wpkh, 7));
    }
    const auto payment = build(request_of(1'000), coins).value();
    EXPECT_LE(payment.coins.size(), 100U);
    EXPECT_GE(payment.coins.size(), 50U);
}

TEST(Payment, SpendsUnconfirmedChangeOnlyIfNeeded) {
    std::vector<InputCoin> coins{coin_of(1, 500'000), coin_of(2, 500'000)};
    coins.front().confirmed = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto payment = build(request_of(300'000), coins, seed).value();
        ASSERT_EQ(payment.coins.size(), 1U);
        EXPECT_TRUE(payment.coins.front().confirmed);
    }
    EXPECT_EQ(build(request_of(600'000), coins).value().coins.size(), 2U);
}

TEST(Payment, LeavesOutCoinsThatCostMoreThanTheyAdd) {
    PaymentRequest request = request_of(0);
    request.recipients.front().takes_rest = true;
    request.fee_rate = FeeRate{10'000};
    // An input of 271 weight units costs 677.5 sat.
    const auto payment = build(request, {coin_of(1, 100'000), coin_of(2, 678)}).value();
    EXPECT_EQ(payment.coins.size(), 1U);
    EXPECT_EQ(build(request, {coin_of(1, 100'000), coin_of(2, 679)}).value().coins.size(), 2U);
}

TEST(Payment, GivesTheRestToOneRecipient) {
    PaymentRequest request = request_of(30'000);
    request.recipients.push_back({test::recipient_script(2), 0, true});
    const auto payment = build(request, {coin_of(1, 50'000), coin_of(2, 50'000)}).value();
    EXPECT_FALSE(payment.change_index);
    // 42 + 2 x 124 + 2 x 271 = 832 weight units, 208 vB.
    EXPECT_EQ(payment.fee, 416);
    EXPECT_EQ(payment.transaction.outputs.at(0).value, 30'000);
    EXPECT_EQ(payment.transaction.outputs.at(1).value, 70'000 - 416);
}

TEST(Payment, SubtractsTheFeeInEqualParts) {
    PaymentRequest request = request_of(30'000);
    request.recipients.push_back({test::recipient_script(2), 40'000});
    request.recipients.push_back({test::recipient_script(3), 20'000});
    request.recipients_pay_fee = true;
    request.fee_rate = FeeRate{1'000};
    const auto payment = build(request, {coin_of(1, 500'000)}).value();
    ASSERT_TRUE(payment.change_index);
    // 42 + 4 x 124 + 271 = 809 weight units: of 203 sat, each recipient pays 67, and the first 2
    // more.
    EXPECT_EQ(payment.fee, 203);
    std::vector<Satoshis> values;
    for (const auto& output : payment.transaction.outputs) values.push_back(output.value);
    std::erase(values, 500'000 - 90'000);
    EXPECT_EQ(values, (std::vector<Satoshis>{29'931, 39'933, 19'933}));
}

TEST(Payment, SubtractsNoFeeFromExemptRecipients) {
    PaymentRequest request = request_of(30'000);
    request.recipients.front().is_exempt_from_fee = true;
    request.recipients.push_back({test::recipient_script(2), 40'000});
    request.recipients.push_back({test::recipient_script(3), 20'000});
    request.recipients_pay_fee = true;
    request.fee_rate = FeeRate{1'000};
    const auto payment = build(request, {coin_of(1, 500'000)}).value();
    std::vector<Satoshis> values;
    for (const auto& output : payment.transaction.outputs) values.push_back(output.value);
    std::erase(values, 500'000 - 90'000);
    // Of 203 sat, two recipients pay 101, and the first of them 1 more.
    EXPECT_EQ(values, (std::vector<Satoshis>{30'000, 39'898, 19'899}));
}

TEST(Payment, SpendsExactlyTheChosenCoins) {
    PaymentRequest request = request_of(10'000);
    request.spends_all_given = true;
    std::vector<InputCoin> coins{coin_of(1, 50'000), coin_of(2, 50'000), coin_of(3, 300)};
    EXPECT_EQ(build(request, coins).value().coins.size(), 3U);
    request.recipients.front().amount = 100'100;
    const auto short_of = build(request, coins);
    ASSERT_FALSE(short_of);
    EXPECT_EQ(short_of.error().error, PaymentError::insufficient_funds);
    // 42 + 124 + 3 x 271 = 979 weight units: 490 sat, of which 200 are available.
    EXPECT_EQ(short_of.error().missing, 290);
}

TEST(Payment, SaysHowMuchIsMissing) {
    // 1 input without change: 437 weight units at 2 sat/vB, rounded up here and there.
    const auto payment = build(request_of(100'000), {coin_of(1, 60'000)});
    ASSERT_FALSE(payment);
    EXPECT_EQ(payment.error().error, PaymentError::insufficient_funds);
    EXPECT_NEAR(static_cast<double>(payment.error().missing), 40'219, 4);
}

TEST(Payment, RefusesWhatNodesDoNotRelay) {
    const std::vector<InputCoin> coins{coin_of(1, 5'000'000)};
    EXPECT_EQ(error_of(request_of(293), coins), PaymentError::dust);
    EXPECT_TRUE(build(request_of(294), coins));
    PaymentRequest subtracting = request_of(575);
    subtracting.recipients_pay_fee = true;
    EXPECT_EQ(error_of(subtracting, coins), PaymentError::dust_after_fee);
    subtracting.recipients.front().amount = 576;  // the fee is 282
    EXPECT_TRUE(build(subtracting, coins));
    EXPECT_EQ(error_of(request_of(0), coins), PaymentError::amount_out_of_range);
    EXPECT_EQ(error_of(request_of(-1), coins), PaymentError::amount_out_of_range);
    EXPECT_EQ(error_of(request_of(chain::kMaxMoney + 1), coins), PaymentError::amount_out_of_range);
    PaymentRequest empty = request_of(1);
    empty.recipients.clear();
    EXPECT_EQ(error_of(empty, coins), PaymentError::no_recipient);
    PaymentRequest greedy = request_of(1);
    greedy.recipients = {{test::recipient_script(), 0, true}, {test::recipient_script(), 0, true}};
    EXPECT_EQ(error_of(greedy, coins), PaymentError::several_rests);
}

TEST(Payment, RefusesATransactionTooHeavyToBeRelayed) {
    std::vector<InputCoin> coins;
    for (std::uint32_t i = 0; i < 1'500; ++i) {
        coins.push_back(coin_of(i, 10'000, ScriptKind::wpkh, i % 20));
    }
    PaymentRequest all = request_of(0);
    all.recipients.front().takes_rest = true;
    EXPECT_EQ(error_of(all, coins), PaymentError::too_heavy);
    EXPECT_EQ(error_of(request_of(14'500'000), coins), PaymentError::too_heavy);
    EXPECT_TRUE(build(request_of(13'000'000), coins));
}

// A chain of little work can claim any amounts, and 4,393 times all money overflow 64 bits.
TEST(Payment, SpendsNoMoreThanAllMoneyOfCoinsThatClaimMore) {
    std::vector<InputCoin> coins(5'000, coin_of(1, chain::kMaxMoney));
    for (std::uint32_t i = 0; i < coins.size(); ++i) coins[i].outpoint.index = i;
    const auto payment = build(request_of(1'000'000), coins);
    ASSERT_TRUE(payment);
    ASSERT_EQ(payment->coins.size(), 1U);
    EXPECT_EQ(payment->coins.front().outpoint.index, 0U);
    EXPECT_EQ(payment->paid(), 1'000'000);
    EXPECT_TRUE(payment->change_index);

    PaymentRequest all = request_of(0);
    all.recipients.front().takes_rest = true;
    const auto emptied = build(all, coins);
    ASSERT_TRUE(emptied);
    EXPECT_EQ(emptied->coins.size(), 1U);
}

TEST(Payment, LocksTheTransactionToTheTip) {
    int at_tip = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        PaymentRequest request = request_of(10'000);
        request.tip_height = 1'000;
        const auto payment = build(request, {coin_of(1, 500'000)}, seed).value();
        const std::uint32_t lock_time = payment.transaction.lock_time;
        EXPECT_LE(lock_time, 1'000U);
        EXPECT_GT(lock_time, 900U);
        if (lock_time == 1'000) ++at_tip;
    }
    EXPECT_NEAR(at_tip, 450, 40);  // nine of ten payments
    EXPECT_EQ(build(request_of(10'000), {coin_of(1, 500'000)}).value().transaction.lock_time, 0U);
    PaymentRequest young = request_of(10'000);
    young.tip_height = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        EXPECT_EQ(build(young, {coin_of(1, 500'000)}, seed).value().transaction.lock_time, 0U);
    }
}

}  // namespace
}  // namespace petal::wallet
