#include "regtest/rpc/wallet_methods/wallet_payment.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>

#include "chain/script/dust.h"
#include "chain/transaction_rules.h"
#include "regtest/rpc/wallet_methods/own_coins.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "wallet/fee_bumper.h"
#include "wallet/keys/randomness.h"

namespace petal::regtest::rpc {
namespace {

/// The lowest fee rate of payments (Bitcoin Core: DEFAULT_TRANSACTION_MINFEE).
constexpr chain::Satoshis kLeastFeeRate = 1'000;
/// The highest fee of a payment (Bitcoin Core: DEFAULT_TRANSACTION_MAXFEE).
constexpr chain::Satoshis kHighestFee = 10'000'000;

/// A fee rate as in Bitcoin Core's messages: `1.500 sat/vB`.
std::string rate_text(chain::Satoshis rate) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%lld.%03lld sat/vB",
                  static_cast<long long>(rate / 1'000), static_cast<long long>(rate % 1'000));
    return text.data();
}

chain::Satoshis sum_of(const std::vector<chain::TxOutput>& outputs) {
    chain::Satoshis sum = 0;
    for (const chain::TxOutput& output : outputs) {
        sum += output.value;
        if (sum > chain::kMaxMoney) throw unfunded("Insufficient funds");
    }
    return sum;
}

/// The coins that a payment may spend.
wallet::SpendableCoins payable_coins(wallets::NamedWallet& wallet, bool avoids_reuse) {
    auto spendable = wallet.keys()->spendable_coins();
    std::set<chain::Outpoint> payable;
    for (const OwnCoin& coin : own_coins(wallet)) {
        const bool is_left_out = !coin.is_mature || (avoids_reuse && coin.is_reused) ||
                                 wallet.locked_coins().contains(coin.outpoint);
        if (!is_left_out) payable.insert(coin.outpoint);
    }
    std::erase_if(spendable.coins,
                  [&](const auto& coin) { return !payable.contains(coin.outpoint); });
    return spendable;
}

/// Signs a payment with a reserved change address.
void sign(wallets::NamedWallet& wallet, wallet::Payment& payment) {
    wallet::Wallet& keys = *wallet.keys();
    if (payment.change_index) {
        auto& script = payment.transaction.outputs[*payment.change_index].script_pubkey;
        script = keys.reserve_change(script);
    }
    wallet::SecretArray<32> auxiliary;
    wallet::fill_random(auxiliary.writable());
    keys.sign(payment.transaction, payment.coins, *wallet.secret(), auxiliary);
}

/// Offers a signed payment to the mempool, and stores it.
/// keep   stores the payment in the wallet, and returns whether this was possible
template <typename Keep>
chain::Txid submit(wallets::WalletSet& wallets, wallets::NamedWallet& wallet,
                   const wallet::Payment& payment, Keep keep) {
    const auto accepted = wallet.chain().submit(payment.transaction);
    if (!accepted) throw RpcError(RpcCode::wallet_error, accepted.error());
    if (!keep()) throw RpcError(RpcCode::wallet_error, "the wallet can't store the payment");
    wallets.follow();  // with the mempool, which has the payment
    return payment.transaction.txid();
}

RpcError payment_error(const wallet::PaymentFailure& failure, chain::Satoshis asked,
                       chain::Satoshis available) {
    const bool is_short = failure.error == wallet::PaymentError::insufficient_funds;
    if (!is_short || asked > available) return unfunded(payment_fault_text(failure));
    return unfunded("The total exceeds your balance when the " +
                    money_text(available - asked + failure.missing) +
                    " transaction fee is included.");
}

}  // namespace

std::uint64_t random_bits() {
    std::array<chain::Byte, 8> bytes{};
    wallet::fill_random(bytes);
    std::uint64_t bits = 0;
    for (const chain::Byte byte : bytes) bits = bits << 8 | byte;
    return bits;
}

std::string money_text(chain::Satoshis amount) {
    std::array<char, 48> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%lld.%08lld",
                  static_cast<long long>(amount / chain::kSatoshisPerBitcoin),
                  static_cast<long long>(amount % chain::kSatoshisPerBitcoin));
    std::string text = buffer.data();
    while (text.ends_with('0') && text[text.size() - 3] != '.') text.pop_back();
    return text;
}

std::string payment_fault_text(const wallet::PaymentFailure& failure) {
    using enum wallet::PaymentError;
    switch (failure.error) {
        case no_recipient:
        case several_rests:
            return "Transaction must have at least one recipient";
        case amount_out_of_range:
        case dust:
            return "Transaction amount too small";
        case dust_after_fee:
            return "The transaction amount is too small to send after the fee has been deducted";
        case too_heavy:
            return "Transaction too large";
        case insufficient_funds:
            break;
    }
    return "Insufficient funds";
}

RpcError unfunded(const std::string& message) {
    return {RpcCode::insufficient_funds, message};
}

ChosenRate choose_rate(const wallets::WalletOptions& options, const wallets::WalletChain& chain,
                       const std::optional<chain::Satoshis>& requested) {
    const chain::Satoshis least = std::max(kLeastFeeRate, chain.least_fee_rate());
    if (requested && *requested < least) {
        throw unfunded("Fee rate (" + rate_text(*requested) +
                       ") is lower than the minimum fee rate setting (" + rate_text(least) +
                       ").\nConsider modifying -mintxfee (" + rate_text(kLeastFeeRate) +
                       ") or -minrelaytxfee (" + rate_text(chain.least_fee_rate()) + ").");
    }
    if (!requested && !options.fallback_fee_rate) {
        throw unfunded(
            "Fee estimation failed. Fallbackfee is disabled. Wait a few blocks or enable "
            "-fallbackfee.");
    }
    const chain::Satoshis rate = requested ? *requested : *options.fallback_fee_rate;
    if (rate > wallet::FeeRate::kMaxSatPerKvb) {
        throw unfunded("Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)");
    }
    const bool is_raised = rate < least;
    std::string reason = requested ? "None" : "Fallback fee";
    if (is_raised) reason = "Minimum Required Fee";
    return {wallet::FeeRate(std::max(rate, least)), std::move(reason)};
}

wallet::Payment build_order(wallets::NamedWallet& wallet, const PaymentOrder& order,
                            const ChosenRate& rate) {
    if (order.outputs.empty()) throw unfunded("Transaction must have at least one recipient");
    const chain::Satoshis asked = sum_of(order.outputs);
    wallet::PaymentRequest request;
    request.fee_rate = rate.rate;
    request.recipients_pay_fee = !order.fee_from.empty();
    request.tip_height = wallet.chain().tip().height;
    for (std::size_t i = 0; i < order.outputs.size(); ++i) {
        const chain::TxOutput& output = order.outputs[i];
        if (output.value < chain::dust_threshold(output.script_pubkey)) {
            throw unfunded("Transaction amount too small");
        }
        const bool pays_fee = std::ranges::find(order.fee_from, i) != order.fee_from.end();
        request.recipients.push_back({output.script_pubkey, output.value, false, !pays_fee});
    }
    if (wallet.keys() == nullptr) throw unfunded("Insufficient funds");
    const auto spendable = payable_coins(wallet, order.avoids_reuse);
    request.change = wallet.keys()->change_for(request.recipients);
    request.relatives = spendable.relatives;
    auto payment = wallet::build_payment(request, spendable.coins, random_bits);
    if (!payment) {
        chain::Satoshis available = 0;
        for (const auto& coin : spendable.coins) available += coin.output.value;
        throw payment_error(payment.error(), asked, available);
    }
    if (payment->fee > kHighestFee) {
        throw unfunded("Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)");
    }
    if (!order.fee.is_replaceable) {
        for (chain::TxInput& input : payment->transaction.inputs) {
            input.sequence = kIrreplaceableSequence;
        }
    }
    return *std::move(payment);
}

chain::Txid send_payment(wallets::WalletSet& wallets, wallets::NamedWallet& wallet,
                         wallet::Payment payment) {
    sign(wallet, payment);
    return submit(wallets, wallet, payment,
                  [&] { return wallet.keys()->keep_payment(payment, wallet.chain().now()); });
}

wallet::Payment build_replacement(wallets::NamedWallet& wallet,
                                  const wallet::PaymentRequest& request) {
    const auto spendable = payable_coins(wallet, /*avoids_reuse=*/false);
    auto payment = wallet::build_payment(request, spendable.coins, random_bits);
    if (!payment) {
        throw RpcError(RpcCode::wallet_error,
                       "Unable to create transaction. " + payment_fault_text(payment.error()));
    }
    return *std::move(payment);
}

chain::Txid send_replacement(wallets::WalletSet& wallets, wallets::NamedWallet& wallet,
                             wallet::Payment payment, const chain::Txid& replaced) {
    sign(wallet, payment);
    return submit(wallets, wallet, payment, [&] {
        wallet::FeeBumper bumper(*wallet.keys());
        return bumper.keep_replacement(payment, replaced, wallet.chain().now());
    });
}

}  // namespace petal::regtest::rpc
