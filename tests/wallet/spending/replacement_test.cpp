// Building replacements (BIP125) and child payments (CPFP), before they are signed.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "tests/support/type_name.h"
#include "tests/wallet/spending/spending_scene.h"
#include "wallet/spending/payment.h"
#include "wallet/spending/sizes.h"

namespace petal::wallet {
namespace {

using chain::Satoshis;
using test::coin_of;

/// The request that replaces a payment, like FeeBumper's.
PaymentRequest replacing(const Payment& payment, FeeRate rate, ScriptKind change_kind) {
    PaymentRequest request;
    request.fee_rate = rate;
    request.replaced = ReplacedPayment{payment.coins, payment.fee, payment.virtual_size};
    request.change.form = change_kind;
    request.change.script_pubkey = test::own_script(change_kind, {KeyChain::change, 0});
    const auto& outputs = payment.transaction.outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (payment.change_index == i) continue;
        request.recipients.push_back({outputs[i].script_pubkey, outputs[i].value});
    }
    return request;
}

/// A payment of `amount` at 2 sat/vB from one coin.
Payment payment_of(Satoshis amount, Satoshis coin, ScriptKind kind = ScriptKind::wpkh) {
    PaymentRequest request = test::request_of(amount);
    request.change.form = kind;
    request.change.script_pubkey = test::own_script(kind, {KeyChain::change, 0});
    const std::vector<InputCoin> coins{coin_of(1, coin, kind)};
    return build_payment(request, coins, test::random_bits(1)).value();
}

Satoshis change_of(const Payment& payment) {
    return payment.transaction.outputs.at(payment.change_index.value()).value;
}

class ReplacementOfType : public testing::TestWithParam<ScriptKind> {};

INSTANTIATE_TEST_SUITE_P(Types, ReplacementOfType, testing::ValuesIn(kScriptKinds),
                         test::TypeName());

TEST_P(ReplacementOfType, PaysTheAskedRateFromTheChange) {
    const Payment old = payment_of(30'000, 100'000, GetParam());
    const auto request = replacing(old, FeeRate{5'000}, GetParam());
    const std::vector<InputCoin> others{coin_of(2, 100'000, GetParam())};
    auto payment = build_payment(request, others, test::random_bits(2)).value();
    EXPECT_EQ(payment.coins, old.coins)
        << "the change pays the fee, so that no other coin is linked to it";
    EXPECT_EQ(payment.fee, 5 * static_cast<Satoshis>(payment.virtual_size));
    EXPECT_EQ(change_of(payment), change_of(old) - (payment.fee - old.fee));
    EXPECT_EQ(payment.paid(), 30'000);
    for (const chain::TxInput& input : payment.transaction.inputs) {
        EXPECT_EQ(input.sequence, kReplaceableSequence);
    }
    ASSERT_TRUE(test::sign_payment(payment));
    EXPECT_NEAR(static_cast<double>(payment.fee),
                5.0 * static_cast<double>(payment.transaction.virtual_size()), 5);
}

TEST(Replacement, DropsChangeThatWouldBeDust) {
    const Payment old = payment_of(30'000, 32'000);
    ASSERT_TRUE(old.change_index);
    const auto request = replacing(old, FeeRate{10'000}, ScriptKind::wpkh);
    const auto payment = build_payment(request, {}, test::random_bits(2)).value();
    EXPECT_FALSE(payment.change_index);
    EXPECT_EQ(payment.fee, 2'000);
    EXPECT_EQ(payment.coins, old.coins);
}

TEST(Replacement, AddsConfirmedCoinsOfWholeAddresses) {
    const Payment old = payment_of(30'000, 32'000);
    const auto request = replacing(old, FeeRate{50'000}, ScriptKind::wpkh);
    InputCoin unconfirmed = coin_of(9, 1'000'000);
    unconfirmed.confirmed = false;
    const std::vector<InputCoin> coins{coin_of(2, 40'000, ScriptKind::wpkh, 7),
                                       coin_of(3, 50'000, ScriptKind::wpkh, 7), unconfirmed};
    const auto payment = build_payment(request, coins, test::random_bits(2)).value();
    std::set<chain::Outpoint> spent;
    for (const InputCoin& coin : payment.coins) spent.insert(coin.outpoint);
    EXPECT_EQ(spent, (std::set{old.coins[0].outpoint, coins[0].outpoint, coins[1].outpoint}));
    EXPECT_EQ(payment.fee, 50 * static_cast<Satoshis>(payment.virtual_size));
    EXPECT_TRUE(payment.change_index);
    EXPECT_EQ(payment.paid(), 30'000);
}

// At 1 sat/vB, the coin of 2,000 sat would be enough, but not for the least fee that nodes accept.
TEST(Replacement, AddsCoinsForTheLeastFeeOfAReplacement) {
    PaymentRequest all = test::request_of(0);
    all.recipients.front().takes_rest = true;
    all.fee_rate = FeeRate{50'000};
    const Payment old =
        build_payment(all, std::vector{coin_of(1, 100'000)}, test::random_bits(1)).value();
    const auto request = replacing(old, FeeRate{1'000}, ScriptKind::wpkh);
    const std::vector<InputCoin> coins{coin_of(2, 2'000), coin_of(3, 9'000)};
    const auto payment = build_payment(request, coins, test::random_bits(2)).value();
    ASSERT_EQ(payment.coins.size(), 2U);
    EXPECT_EQ(test::total_of(payment.coins), 109'000);
    EXPECT_GE(payment.fee, request.replaced->least_fee(payment.virtual_size));
}

TEST(Replacement, SaysHowMuchIsMissing) {
    PaymentRequest all = test::request_of(0);
    all.recipients.front().takes_rest = true;
    const std::vector<InputCoin> coins{coin_of(1, 100'000)};
    const Payment old = build_payment(all, coins, test::random_bits(1)).value();
    const auto request = replacing(old, FeeRate{5'000}, ScriptKind::wpkh);
    const auto refused = build_payment(request, {}, test::random_bits(2));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error, PaymentError::insufficient_funds);
    // The increase from 2 to 5 sat/vB for 110 vB, and the fee for a further input.
    EXPECT_NEAR(static_cast<double>(refused.error().missing), 330, 20 * 5);
}

TEST(Replacement, PaysTheLeastFeeThatNodesAcceptAtALowRate) {
    const Payment old = payment_of(30'000, 100'000);
    for (const std::int64_t rate : {1, 1'000, 2'000, 2'500, 2'999}) {
        const auto request = replacing(old, FeeRate{rate}, ScriptKind::wpkh);
        const auto payment = build_payment(request, {}, test::random_bits(2)).value();
        EXPECT_EQ(payment.fee, old.fee + static_cast<Satoshis>(payment.virtual_size)) << rate;
    }
}

TEST(Replacement, MustHaveAHigherRateThanTheReplaced) {
    // For a replacement that is ten times as large, the old fee and 1 sat/vB for its own size are
    // not enough: its rate must be higher, too.
    const ReplacedPayment replaced{{}, 20'000, 100};
    EXPECT_EQ(replaced.fee_rate(), FeeRate{200'000});
    EXPECT_EQ(replaced.least_fee(100), 20'100);
    EXPECT_EQ(replaced.least_fee(1'000), 200'001);
    EXPECT_EQ((ReplacedPayment{{}, chain::kMaxMoney, 1}.fee_rate()),
              FeeRate{FeeRate::kMaxSatPerKvb});
}

TEST(Replacement, KeepsRecipientsThatPetalWouldNotPay) {
    Payment old = payment_of(30'000, 100'000);
    old.transaction.outputs.push_back({0, {0x6a, 0x01, 0x42}});
    const auto request = replacing(old, FeeRate{5'000}, ScriptKind::wpkh);
    const auto payment = build_payment(request, {}, test::random_bits(2)).value();
    EXPECT_EQ(std::ranges::count(payment.transaction.outputs, old.transaction.outputs.back()), 1);
}

TEST(PayingChild, RaisesItselfAndItsParentToTheRate) {
    for (const Satoshis parent_fee : {0, 150}) {
        PaymentRequest request = test::request_of(0);
        request.recipients.front().takes_rest = true;
        request.spends_all_given = true;
        request.fee_rate = FeeRate{10'000};
        const std::vector<InputCoin> coins{coin_of(1, 100'000)};
        request.relatives = {{coins.front().outpoint.txid, {}, 150, parent_fee}};
        const auto payment = build_payment(request, coins, test::random_bits(1)).value();
        EXPECT_EQ(payment.fee + parent_fee, 10 * static_cast<Satoshis>(payment.virtual_size + 150));
        EXPECT_EQ(payment.ancestors.value().package_rate, FeeRate{10'000});
        EXPECT_EQ(payment.ancestors->bump_fee, 1'500 - parent_fee);
        request.relatives.front().fee = 50'000;
        const auto rich = build_payment(request, coins, test::random_bits(1)).value();
        EXPECT_EQ(rich.fee, 10 * static_cast<Satoshis>(rich.virtual_size))
            << "it pays at least for itself";
    }
}

TEST(PayingChild, IsRefusedIfTheOutputIsTooSmall) {
    PaymentRequest request = test::request_of(0);
    request.recipients.front().takes_rest = true;
    request.spends_all_given = true;
    request.fee_rate = FeeRate{10'000};
    request.relatives = {{coin_of(1, 1).outpoint.txid, {}, 150, std::nullopt}};
    // The child has 110 vB and its parent 150 vB, and the output must not be dust.
    const auto built = [&](Satoshis amount) {
        const std::vector<InputCoin> coins{coin_of(1, amount)};
        return build_payment(request, coins, test::random_bits(1));
    };
    const auto refused = built(2'600);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error, PaymentError::insufficient_funds);
    EXPECT_TRUE(built(2'600 + refused.error().missing));
    EXPECT_FALSE(built(2'600 + refused.error().missing - 1));
}

/// Makes random payments and their replacements.
class ReplacementMaker {
public:
    explicit ReplacementMaker(std::uint64_t seed) : random_(seed) {
        for (std::uint32_t i = 0; i < 12; ++i) {
            InputCoin coin = coin_of(i, 1, kind(), below(6));
            coins_.push_back(coin);
        }
    }

    std::uint64_t bits() { return random_(); }
    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
    }
    ScriptKind kind() {
        return kScriptKinds.at(static_cast<std::size_t>(below(kScriptKinds.size())));
    }
    /// Twelve coins of random amounts; the payment uses the first `count` of them.
    std::vector<InputCoin> coins() {
        for (InputCoin& coin : coins_) coin.output.value = 1 + (below(3'000'000) >> below(12));
        return coins_;
    }

private:
    std::mt19937_64 random_;
    std::vector<InputCoin> coins_;
};

void check_replacement(const Payment& old, const Payment& payment, FeeRate rate) {
    Satoshis in = 0;
    std::set<chain::Outpoint> spent;
    for (const InputCoin& coin : payment.coins) {
        in += coin.output.value;
        ASSERT_TRUE(spent.insert(coin.outpoint).second);
    }
    for (const InputCoin& coin : old.coins) ASSERT_TRUE(spent.contains(coin.outpoint));
    Satoshis out = 0;
    for (const chain::TxOutput& output : payment.transaction.outputs) out += output.value;
    ASSERT_EQ(payment.fee, in - out);
    const auto size = static_cast<Satoshis>(payment.virtual_size);
    ASSERT_EQ(payment.virtual_size, (signed_weight(payment.transaction, payment.coins) + 3) / 4);
    ASSERT_GE(payment.fee, old.fee + size) << "BIP125, rule 4";
    ASSERT_GT(payment.fee * static_cast<Satoshis>(old.virtual_size), old.fee * size);
    ASSERT_GE(payment.fee, rate.fee(payment.virtual_size));
    if (payment.change_index) {
        const ReplacedPayment replaced{old.coins, old.fee, old.virtual_size};
        ASSERT_EQ(payment.fee, std::max(rate.fee(payment.virtual_size),
                                        replaced.least_fee(payment.virtual_size)));
    }
    std::vector<chain::TxOutput> before = old.transaction.outputs;
    std::vector<chain::TxOutput> after = payment.transaction.outputs;
    const auto remove_change = [](std::vector<chain::TxOutput>& outputs, const Payment& of) {
        if (of.change_index) {
            outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(*of.change_index));
        }
    };
    remove_change(before, old);
    remove_change(after, payment);
    ASSERT_EQ(before, after) << "the recipients get the same amounts";
}

TEST(RandomReplacements, KeepTheRules) {
    ReplacementMaker maker(125);
    std::uint32_t built = 0;
    std::uint32_t enlarged = 0;
    std::uint32_t refused = 0;
    for (std::uint32_t i = 0; i < 4'000; ++i) {
        SCOPED_TRACE(i);
        const std::vector<InputCoin> coins = maker.coins();
        const std::vector<InputCoin> given(coins.begin(), coins.begin() + 1 + maker.below(4));
        const std::vector<InputCoin> others(coins.begin() + 4, coins.end());
        PaymentRequest request =
            test::request_of(600 + (maker.below(2'000'000) >> maker.below(10)));
        request.fee_rate = FeeRate{1 + (maker.below(60'000) >> maker.below(6))};
        request.change.form = maker.kind();
        request.change.script_pubkey =
            test::own_script(*request.change.form.kind, {KeyChain::change, 0});
        const auto old = build_payment(request, given, test::random_bits(maker.bits()));
        if (!old) continue;
        const FeeRate rate{1 + (maker.below(200'000) >> maker.below(6))};
        const auto payment = build_payment(replacing(*old, rate, *request.change.form.kind), others,
                                           test::random_bits(maker.bits()));
        if (!payment) {
            ++refused;
            ASSERT_EQ(payment.error().error, PaymentError::insufficient_funds);
            ASSERT_GT(payment.error().missing, 0);
            continue;
        }
        ++built;
        if (payment->coins.size() > old->coins.size()) ++enlarged;
        ASSERT_NO_FATAL_FAILURE(check_replacement(*old, *payment, rate));
    }
    EXPECT_GT(built, 400U);
    EXPECT_GT(enlarged, 50U);
    EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace petal::wallet
