#include "tests/wallet/spending/random_payments.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "chain/script/dust.h"
#include "chain/transaction_rules.h"
#include "tests/wallet/spending/spending_scene.h"
#include "wallet/spending/coin_selection.h"
#include "wallet/spending/payment.h"
#include "wallet/spending/sizes.h"

namespace petal::wallet {
namespace {

using chain::Satoshis;

constexpr std::uint32_t kAddresses = 40;

/// The scripts are derived only once, because this takes longer than the rest of the test.
const chain::Bytes& known_script(ScriptKind kind, std::uint32_t index) {
    static const auto scripts = [] {
        std::array<std::vector<chain::Bytes>, kScriptKinds.size()> result;
        for (const ScriptKind each : kScriptKinds) {
            for (std::uint32_t i = 0; i < kAddresses; ++i) {
                result.at(static_cast<std::size_t>(each))
                    .push_back(test::own_script(each, {KeyChain::receive, i}));
            }
        }
        return result;
    }();
    return scripts.at(static_cast<std::size_t>(kind)).at(index);
}

/// The coins of a wallet and the payment requested from it.
struct RandomCase {
    std::vector<InputCoin> coins;
    PaymentRequest request;
};

class CaseMaker {
public:
    explicit CaseMaker(std::uint64_t seed) : random_(seed) {}

    RandomCase make() {
        RandomCase made;
        const std::uint64_t count = below(4) == 0 ? below(400) : below(30);
        for (std::uint32_t i = 0; i < count; ++i) made.coins.push_back(coin(i));
        made.request.fee_rate = FeeRate{static_cast<std::int64_t>(amount(200'000))};
        made.request.recipients_pay_fee = below(4) == 0;
        made.request.change.form = kind();
        made.request.change.script_pubkey = known_script(
            *made.request.change.form.kind, static_cast<std::uint32_t>(below(kAddresses)));
        if (below(2) == 0) made.request.tip_height = static_cast<std::uint32_t>(below(900'000));
        const std::uint64_t recipients = 1 + (below(3) == 0 ? below(6) : 0);
        const Satoshis all = test::total_of(made.coins) + 1'000;
        for (std::uint64_t i = 0; i < recipients; ++i) {
            made.request.recipients.push_back(
                {script(), 1 + amount(static_cast<std::uint64_t>(all))});
        }
        if (below(6) == 0) made.request.recipients.back().takes_rest = true;
        return made;
    }

private:
    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    /// A random amount below `bound`, of any order of magnitude.
    Satoshis amount(std::uint64_t bound) {
        return static_cast<Satoshis>(below(bound) >> below(12));
    }
    ScriptKind kind() { return kScriptKinds.at(below(kScriptKinds.size())); }
    chain::Bytes script() {
        if (below(8) == 0) return chain::witness_program_script(5, chain::Bytes(2 + below(39), 1));
        return known_script(kind(), static_cast<std::uint32_t>(below(kAddresses)));
    }
    InputCoin coin(std::uint32_t number) {
        InputCoin made;
        made.outpoint.txid.bytes.at(0) = static_cast<chain::Byte>(number);
        made.outpoint.index = number;
        made.form = kind();
        made.path.index = static_cast<std::uint32_t>(below(kAddresses));
        made.output = {1 + amount(100'000'000), known_script(*made.form.kind, made.path.index)};
        made.confirmed = below(5) != 0;
        return made;
    }

    std::mt19937_64 random_;
};

void check_coins(const RandomCase& input, const Payment& payment) {
    std::set<chain::Outpoint> known;
    for (const InputCoin& coin : input.coins) known.insert(coin.outpoint);
    std::set<chain::Outpoint> spent;
    ASSERT_EQ(payment.transaction.inputs.size(), payment.coins.size());
    for (std::size_t i = 0; i < payment.coins.size(); ++i) {
        ASSERT_EQ(payment.transaction.inputs[i].prevout, payment.coins[i].outpoint);
        ASSERT_TRUE(known.contains(payment.coins[i].outpoint));
        ASSERT_TRUE(spent.insert(payment.coins[i].outpoint).second) << "the coin is selected twice";
    }
}

void check_fee(const RandomCase& input, const Payment& payment) {
    const Satoshis at_rate = input.request.fee_rate.fee(payment.virtual_size);
    ASSERT_GE(payment.fee, at_rate);
    if (payment.change_index || input.request.recipients.back().takes_rest) {
        ASSERT_EQ(payment.fee, at_rate);
        return;
    }
    // Without change, the excess is at most the cost of a change output plus its least value.
    const std::size_t change_weight = output_weight(input.request.change.script_pubkey);
    const Satoshis later = kLongTermFeeRate.fee_of_weight(input_weight(input.request.change.form));
    const Satoshis inputs = static_cast<Satoshis>(payment.coins.size());
    const Satoshis change_cost = input.request.fee_rate.fee_of_weight(change_weight + 8) + 1 +
                                 std::max<Satoshis>(later, 0) + inputs;
    const Satoshis least_change =
        std::max(later + 1, chain::dust_threshold(input.request.change.script_pubkey));
    ASSERT_LE(payment.fee - at_rate, change_cost + least_change);
}

void check_outputs(const RandomCase& input, const Payment& payment) {
    Satoshis out = payment.fee;
    for (const chain::TxOutput& output : payment.transaction.outputs) {
        ASSERT_GT(output.value, 0);
        ASSERT_GE(output.value, chain::dust_threshold(output.script_pubkey));
        out += output.value;
    }
    ASSERT_EQ(out, test::total_of(payment.coins));
    ASSERT_EQ(payment.transaction.outputs.size(),
              input.request.recipients.size() + (payment.change_index ? 1 : 0));
    std::vector<chain::TxOutput> paid = payment.transaction.outputs;
    if (payment.change_index) {
        ASSERT_EQ(paid.at(*payment.change_index).script_pubkey, input.request.change.script_pubkey);
        paid.erase(paid.begin() + static_cast<std::ptrdiff_t>(*payment.change_index));
    }
    for (std::size_t i = 0; i < paid.size(); ++i) {
        const Recipient& recipient = input.request.recipients[i];
        ASSERT_EQ(paid[i].script_pubkey, recipient.script_pubkey);
        if (recipient.takes_rest) continue;
        if (input.request.recipients_pay_fee) {
            ASSERT_LE(paid[i].value, recipient.amount);
        } else {
            ASSERT_EQ(paid[i].value, recipient.amount);
        }
    }
}

/// The signed transaction has the size that the fee was computed for, or less if signatures are
/// shorter.
void check_signed(Payment payment) {
    const std::size_t expected = signed_weight(payment.transaction, payment.coins);
    ASSERT_TRUE(test::sign_payment(payment));
    ASSERT_LE(payment.transaction.weight(), expected);
    // One signature in a hundred is a byte shorter, which is 4 weight units outside of a witness.
    ASSERT_GE(payment.transaction.weight() + 8 + payment.coins.size(), expected);
}

}  // namespace

void check_random_payments(std::uint64_t seed, std::uint32_t wallets) {
    CaseMaker maker(seed);
    std::uint32_t built = 0;
    std::uint32_t changeless = 0;
    for (std::uint32_t i = 0; i < wallets; ++i) {
        SCOPED_TRACE(i);
        const RandomCase input = maker.make();
        const auto payment = build_payment(input.request, input.coins, test::random_bits(i));
        if (!payment) {
            const PaymentFailure& failure = payment.error();
            if (failure.error == PaymentError::insufficient_funds) {
                ASSERT_GT(failure.missing, 0);
            }
            continue;
        }
        ++built;
        if (!payment->change_index) ++changeless;
        ASSERT_NO_FATAL_FAILURE(check_coins(input, *payment));
        ASSERT_NO_FATAL_FAILURE(check_outputs(input, *payment));
        ASSERT_NO_FATAL_FAILURE(check_fee(input, *payment));
        if (i % 100 != 0) continue;
        ASSERT_NO_FATAL_FAILURE(check_signed(*payment));
    }
    EXPECT_GT(built, wallets / 4);
    EXPECT_GT(changeless, wallets / 50);
}

void check_random_selections(std::uint64_t seed, std::uint32_t wallets) {
    CaseMaker maker(seed);
    std::uint32_t drawn = 0;
    for (std::uint32_t i = 0; i < wallets; ++i) {
        const RandomCase input = maker.make();
        SelectionTarget target;
        target.amount = input.request.recipients.front().amount;
        target.fee_rate = input.request.fee_rate;
        target.change_fee = target.fee_rate.fee_of_weight(124);
        target.change_cost = target.change_fee + kLongTermFeeRate.fee_of_weight(271);
        target.least_change = 679;
        target.wanted_change = kLeastWantedChange;
        target.max_weight = chain::kMaxRelayedWeight;
        const auto groups = group_coins(input.coins, target);
        const auto draw = draw_coins(groups, target.amount + target.change_fee + kLeastWantedChange,
                                     target.max_weight, test::random_bits(i));
        if (!draw) continue;
        ++drawn;
        const auto selection = select_coins(input.coins, target, test::random_bits(i));
        ASSERT_TRUE(selection);
        ASSERT_LE(selection->waste, waste_of(*draw, groups, target)) << i;
    }
    EXPECT_GT(drawn, wallets / 4);
}

}  // namespace petal::wallet
