#include "wallet/spending/payment.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "chain/enum_table.h"
#include "chain/script/dust.h"
#include "chain/transaction_rules.h"
#include "wallet/ledger/amount.h"
#include "wallet/spending/coin_search.h"
#include "wallet/spending/coin_selection.h"
#include "wallet/spending/sizes.h"

namespace petal::wallet {

using chain::Satoshis;

bool has_rest(const std::vector<Recipient>& recipients) {
    return std::ranges::any_of(recipients, &Recipient::takes_rest);
}

namespace {

using BuiltPayment = chain::Expected<Payment, PaymentFailure>;

Satoshis sum_of(std::span<const InputCoin> coins) {
    Satoshis sum = 0;
    for (const InputCoin& coin : coins) sum = add_amounts(sum, coin.output.value);
    return sum;
}

/// The sum of the requested amounts.
Satoshis asked_amount(const PaymentRequest& request) {
    Satoshis sum = 0;
    for (const Recipient& recipient : request.recipients) {
        if (!recipient.takes_rest) sum += recipient.amount;
    }
    return sum;
}

std::optional<PaymentFailure> find_fault(const PaymentRequest& request) {
    if (request.recipients.empty()) return PaymentFailure{PaymentError::no_recipient};
    Satoshis sum = 0;
    std::size_t rests = 0;
    for (std::size_t i = 0; i < request.recipients.size(); ++i) {
        const Recipient& recipient = request.recipients[i];
        if (recipient.takes_rest && ++rests > 1) {
            return PaymentFailure{PaymentError::several_rests, i};
        }
        if (recipient.takes_rest) continue;
        if (recipient.amount <= 0 || recipient.amount > chain::kMaxMoney - sum) {
            return PaymentFailure{PaymentError::amount_out_of_range, i};
        }
        sum += recipient.amount;
        if (recipient.amount < chain::dust_threshold(recipient.script_pubkey)) {
            return PaymentFailure{PaymentError::dust, i};
        }
    }
    return std::nullopt;
}

chain::Transaction without_inputs(const PaymentRequest& request) {
    chain::Transaction transaction;
    for (const Recipient& recipient : request.recipients) {
        transaction.outputs.push_back({recipient.amount, recipient.script_pubkey});
    }
    return transaction;
}

Satoshis least_change_of(const PaymentRequest& request) {
    const Satoshis spend = kLongTermFeeRate.fee_of_weight(input_weight(request.change.form));
    return std::max(spend + 1, chain::dust_threshold(request.change.script_pubkey));
}

/// A random target of the order of the payment, but at least kLeastWantedChange (Bitcoin Core:
/// GenerateChangeTarget).
Satoshis wanted_change_for(Satoshis amount, const RandomBits& random) {
    constexpr Satoshis kMost = 1'000'000;
    const Satoshis upper = std::min(2 * amount, kMost);
    if (upper <= kLeastWantedChange) return kLeastWantedChange;
    const auto range = static_cast<std::uint64_t>(upper - kLeastWantedChange);
    return kLeastWantedChange + static_cast<Satoshis>(random_below(range, random));
}

SelectionTarget target_of(const PaymentRequest& request, const MiniMiner& miner, std::size_t coins,
                          const RandomBits& random) {
    SelectionTarget target;
    target.fee_rate = request.fee_rate;
    target.miner = &miner;
    target.recipients_pay_fee = request.recipients_pay_fee;
    // Marker and flag, a longer count of inputs, and rounding to whole virtual bytes.
    const std::size_t fixed = without_inputs(request).weight() + 2 + (coins < 0xfd ? 0 : 8) + 3;
    const std::size_t change_weight = output_weight(request.change.script_pubkey);
    const Satoshis change_fee = request.fee_rate.fee_of_weight(change_weight);
    target.amount = asked_amount(request);
    if (!request.recipients_pay_fee) {
        target.amount += request.fee_rate.fee_of_weight(fixed);
        target.change_fee = change_fee;
    }
    target.change_cost =
        change_fee + kLongTermFeeRate.fee_of_weight(input_weight(request.change.form));
    target.least_change = least_change_of(request);
    const auto recipients = static_cast<Satoshis>(request.recipients.size());
    target.wanted_change = wanted_change_for(asked_amount(request) / recipients, random);
    const std::size_t outputs = fixed + change_weight + 8;  // 8: a longer count of outputs
    target.max_weight = outputs < chain::kMaxRelayedWeight ? chain::kMaxRelayedWeight - outputs : 0;
    return target;
}

/// The coins at these indexes.
std::vector<InputCoin> take_coins(std::span<const InputCoin> coins,
                                  std::span<const std::size_t> indexes) {
    std::vector<InputCoin> result;
    result.reserve(indexes.size());
    for (const std::size_t index : indexes) result.push_back(coins[index]);
    return result;
}

std::vector<InputCoin> confirmed_among(std::span<const InputCoin> coins) {
    std::vector<InputCoin> confirmed;
    std::ranges::copy_if(coins, std::back_inserter(confirmed), &InputCoin::confirmed);
    return confirmed;
}

std::uint32_t lock_time_for(std::optional<std::uint32_t> tip_height, const RandomBits& random) {
    if (!tip_height) return 0;
    // Sometimes further back, for the privacy of transactions that are announced long after
    // signing.
    if (random_below(10, random) != 0) return *tip_height;
    const auto back = static_cast<std::uint32_t>(random_below(100, random));
    return *tip_height - std::min(*tip_height, back);
}

/// Builds a payment from chosen coins.
class Assembly {
public:
    Assembly(const PaymentRequest& request, const MiniMiner& miner, std::vector<InputCoin> coins,
             const RandomBits& random)
        : request_(request) {
        shuffle(coins, random);
        spent_ = parents_of(coins);
        bump_fee_ = miner.bump_fee(spent_);
        payment_.transaction = without_inputs(request);
        payment_.transaction.lock_time = lock_time_for(request.tip_height, random);
        for (const InputCoin& coin : coins) {
            payment_.transaction.inputs.push_back({coin.outpoint, {}, kReplaceableSequence, {}});
        }
        payment_.coins = std::move(coins);
        surplus_ = sum_of(payment_.coins) - asked_amount(request);
        change_position_ = random_below(request.recipients.size() + 1, random);
    }

    BuiltPayment build() && {
        if (has_rest(request_.recipients)) return std::move(*this).give_rest();
        add_change();
        const Satoshis fee = fee_by_size();
        if (request_.recipients_pay_fee) {
            if (surplus_ < 0) return missing(-surplus_);
            if (const auto failure = subtract(fee - surplus_)) return chain::Unexpected(*failure);
        } else if (surplus_ < fee) {
            return missing(fee - surplus_);
        }
        return std::move(*this).finish();
    }

private:
    static BuiltPayment missing(Satoshis amount) {
        return chain::Unexpected(PaymentFailure{PaymentError::insufficient_funds, 0, amount});
    }

    std::vector<chain::TxOutput>& outputs() { return payment_.transaction.outputs; }

    Satoshis fee_by_size() const {
        const std::size_t weight = signed_weight(payment_.transaction, payment_.coins);
        const std::size_t size = (weight + 3) / 4;
        const Satoshis fee = fee_at_rate(size);
        return request_.replaced ? std::max(fee, request_.replaced->least_fee(size)) : fee;
    }

    Satoshis fee_at_rate(std::size_t virtual_size) const {
        return request_.fee_rate.fee(virtual_size) + bump_fee_;
    }

    /// Adds change if the surplus suffices.
    void add_change() {
        const auto position = outputs().begin() + static_cast<std::ptrdiff_t>(change_position_);
        const auto change = outputs().insert(position, {0, request_.change.script_pubkey});
        const Satoshis fee = request_.recipients_pay_fee ? 0 : fee_by_size();
        const Satoshis amount = surplus_ - fee;
        if (amount < least_change_of(request_)) {
            outputs().erase(change);
            return;
        }
        change->value = amount;
        surplus_ -= amount;
        payment_.change_index = change_position_;
    }

    /// The output of a recipient, skipping the change.
    chain::TxOutput& output_of(std::size_t recipient) {
        const bool is_behind_change = payment_.change_index && recipient >= *payment_.change_index;
        return outputs()[is_behind_change ? recipient + 1 : recipient];
    }

    /// Subtracts equal parts from the amounts of the recipients that pay the fee, and the remainder
    /// from the first amount.
    std::optional<PaymentFailure> subtract(Satoshis amount) {
        if (amount <= 0) return std::nullopt;
        const Satoshis count =
            std::ranges::count(request_.recipients, false, &Recipient::is_exempt_from_fee);
        Satoshis remainder = amount % count;
        for (std::size_t i = 0; i < request_.recipients.size(); ++i) {
            if (request_.recipients[i].is_exempt_from_fee) continue;
            chain::TxOutput& output = output_of(i);
            output.value -= amount / count + std::exchange(remainder, 0);
            if (output.value < std::max<Satoshis>(chain::dust_threshold(output.script_pubkey), 1)) {
                return PaymentFailure{PaymentError::dust_after_fee, i};
            }
        }
        return std::nullopt;
    }

    BuiltPayment give_rest() && {
        const Satoshis rest = surplus_ - fee_by_size();
        const auto taker = std::ranges::find_if(request_.recipients, &Recipient::takes_rest);
        const auto index = static_cast<std::size_t>(taker - request_.recipients.begin());
        const Satoshis least = std::max<Satoshis>(chain::dust_threshold(taker->script_pubkey), 1);
        if (rest < least) return missing(least - rest);
        outputs()[index].value = rest;
        return std::move(*this).finish();
    }

    BuiltPayment finish() && {
        const std::size_t weight = signed_weight(payment_.transaction, payment_.coins);
        if (weight > chain::kMaxRelayedWeight) {
            return chain::Unexpected(PaymentFailure{PaymentError::too_heavy});
        }
        payment_.virtual_size = (weight + 3) / 4;
        payment_.fee = sum_of(payment_.coins);
        for (const chain::TxOutput& output : outputs()) payment_.fee -= output.value;
        assert(payment_.fee >= 0);
        payment_.fee_at_rate = fee_at_rate(payment_.virtual_size);
        payment_.fee_reason = fee_reason();
        payment_.ancestors = ancestors();
        return std::move(payment_);
    }

    FeeReason fee_reason() const {
        if (payment_.fee > fee_by_size()) return FeeReason::no_change;
        return payment_.fee > payment_.fee_at_rate ? FeeReason::replacement : FeeReason::fee_rate;
    }

    std::optional<PaidAncestors> ancestors() const {
        const auto known = ancestors_among(request_.relatives, spent_);
        if (known.empty()) return std::nullopt;
        PaidAncestors result;
        result.count = known.size();
        for (const UnconfirmedRelative& ancestor : known) {
            if (!ancestor.fee) ++result.unknown_fees;
        }
        result.bump_fee = bump_fee_;
        result.package_rate =
            package_rate(request_.relatives, spent_, payment_.virtual_size, payment_.fee);
        return result;
    }

    const PaymentRequest& request_;
    std::vector<chain::Txid> spent_;  ///< the transactions of the coins
    Satoshis bump_fee_ = 0;           ///< for unconfirmed ancestors
    Payment payment_;
    Satoshis surplus_ = 0;  ///< value of the coins minus value of the outputs
    std::size_t change_position_ = 0;
};

/// The maximum weight that further inputs add besides their own weight: marker, flag, an empty
/// witness for each replaced input, a longer count, and rounding to whole virtual bytes.
std::size_t added_overhead(const ReplacedPayment& replaced) {
    return 2 + replaced.coins.size() + 8 + 3;
}

BuiltPayment build_new(const PaymentRequest& request, const MiniMiner& miner,
                       std::span<const InputCoin> coins, const RandomBits& random) {
    const auto build = [&](std::vector<InputCoin> chosen) {
        return Assembly(request, miner, std::move(chosen), random).build();
    };
    if (request.spends_all_given) return build({coins.begin(), coins.end()});
    const SelectionTarget target = target_of(request, miner, coins.size(), random);
    if (has_rest(request.recipients))
        return build(take_coins(coins, worthwhile_coins(coins, target)));
    // A selection rounds up the fee of each part, so it may fail although all coins together just
    // suffice.
    const auto build_from = [&](std::span<const InputCoin> available) {
        const auto selection = select_coins(available, target, random);
        return build(take_coins(
            available, selection ? selection->coins : worthwhile_coins(available, target)));
    };
    const std::vector<InputCoin> confirmed = confirmed_among(coins);
    auto payment = build_from(confirmed);
    return payment || confirmed.size() == coins.size() ? payment : build_from(coins);
}

/// The replaced payment's coins, and further coins for the missing amount.
std::vector<InputCoin> add_coins(const PaymentRequest& request, const MiniMiner& miner,
                                 Satoshis missing, std::span<const InputCoin> coins,
                                 const RandomBits& random) {
    const ReplacedPayment& replaced = *request.replaced;
    // BIP125, rule 2: no new unconfirmed inputs.
    const std::vector<InputCoin> confirmed = confirmed_among(coins);
    SelectionTarget target =
        target_of(request, miner, coins.size() + replaced.coins.size(), random);
    // At this rate, each input also pays its share of least_fee().
    target.fee_rate = std::max({request.fee_rate, replaced.fee_rate(), kIncrementalRelayRate});
    target.amount = missing + target.fee_rate.fee_of_weight(added_overhead(replaced));
    target.change_fee = target.fee_rate.fee_of_weight(output_weight(request.change.script_pubkey));
    for (const InputCoin& coin : replaced.coins) {
        target.max_weight -= std::min(target.max_weight, input_weight(coin.form));
    }
    const auto selection = select_coins(confirmed, target, random);
    // As in build_new().
    std::vector<InputCoin> result =
        take_coins(confirmed, selection ? selection->coins : worthwhile_coins(confirmed, target));
    result.insert(result.end(), replaced.coins.begin(), replaced.coins.end());
    return result;
}

BuiltPayment build_replacement(const PaymentRequest& request, const MiniMiner& miner,
                               std::span<const InputCoin> coins, const RandomBits& random) {
    auto payment = Assembly(request, miner, request.replaced->coins, random).build();
    if (payment || payment.error().error != PaymentError::insufficient_funds) return payment;
    auto chosen = add_coins(request, miner, payment.error().missing, coins, random);
    return Assembly(request, miner, std::move(chosen), random).build();
}

}  // namespace

std::vector<chain::Txid> parents_of(std::span<const InputCoin> coins) {
    std::vector<chain::Txid> parents;
    parents.reserve(coins.size());
    for (const InputCoin& coin : coins) parents.push_back(coin.outpoint.txid);
    return parents;
}

FeeRate ReplacedPayment::fee_rate() const {
    // Divides first, because the product could overflow.
    constexpr Satoshis kMost = FeeRate::kMaxSatPerKvb;
    const auto size = static_cast<Satoshis>(virtual_size);
    if (fee / size >= kMost / 1'000) return FeeRate{kMost};
    return FeeRate{(fee * 1'000 + size - 1) / size};
}

Satoshis ReplacedPayment::least_fee(std::size_t replacement_size) const {
    return std::max(fee + kIncrementalRelayRate.fee(replacement_size),
                    fee_rate().fee(replacement_size) + 1);
}

Satoshis Payment::paid() const {
    Satoshis sum = 0;
    for (const chain::TxOutput& output : transaction.outputs) sum += output.value;
    return change_index ? sum - transaction.outputs[*change_index].value : sum;
}

std::string_view describe(PaymentError error) {
    using enum PaymentError;
    static constexpr auto kTexts = chain::enum_table<PaymentError, std::string_view>({
        {no_recipient, "there is no recipient"},
        {several_rests, "only one recipient can get all that is left"},
        {amount_out_of_range, "an amount is from 1 sat to 21 million BTC"},
        {dust, "the amount is dust: nodes do not relay so little"},
        {dust_after_fee, "the amount is too small once the fee is subtracted"},
        {insufficient_funds, "not enough funds"},
        {too_heavy, "the transaction would be too large to be relayed"},
    });
    return kTexts[error];
}

chain::Expected<Payment, PaymentFailure> build_payment(const PaymentRequest& request,
                                                       std::span<const InputCoin> coins,
                                                       const RandomBits& random) {
    const MiniMiner miner(request.relatives, request.fee_rate);
    if (request.replaced) return build_replacement(request, miner, coins, random);
    if (const auto fault = find_fault(request)) return chain::Unexpected(*fault);
    return build_new(request, miner, coins, random);
}

}  // namespace petal::wallet
