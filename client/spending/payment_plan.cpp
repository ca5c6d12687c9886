#include "client/spending/payment_plan.h"

#include <algorithm>
#include <utility>

#include "chain/headers/header_file.h"
#include "client/data/stored_chain.h"
#include "net/io/clocks.h"
#include "net/io/dial/system_random.h"
#include "wallet/keys/randomness.h"

namespace petal::client {
namespace {

const wallet::InputCoin* find_coin(const wallet::SpendableCoins& spendable,
                                   const chain::Outpoint& outpoint) {
    const auto found = std::ranges::find(spendable.coins, outpoint, &wallet::InputCoin::outpoint);
    return found == spendable.coins.end() ? nullptr : &*found;
}

void add_relatives(std::vector<wallet::UnconfirmedRelative>& all,
                   const std::vector<wallet::UnconfirmedRelative>& more) {
    for (const wallet::UnconfirmedRelative& relative : more) {
        const bool is_new =
            std::ranges::find(all, relative.txid, &wallet::UnconfirmedRelative::txid) == all.end();
        if (is_new) all.push_back(relative);
    }
}

/// Leaves only the coins of these outpoints, at least one, in `spendable`, which has the coins of
/// the first outpoint's account. Adds coins of further accounts, with their unconfirmed relatives.
/// has_change   whether the payment may have change, which goes to that account. Without change,
///              further coins may be of other accounts
std::optional<CoinFault> keep_named_coins(wallet::SpendableCoins& spendable,
                                          const std::vector<chain::Outpoint>& outpoints,
                                          bool has_change, const wallet::Wallet& wallet) {
    std::vector<wallet::InputCoin> result;
    for (const chain::Outpoint& outpoint : outpoints) {
        if (const wallet::InputCoin* const coin = find_coin(spendable, outpoint)) {
            result.push_back(*coin);
            continue;
        }
        const wallet::SpendableCoins of_other = wallet.spendable_coins(outpoint);
        const wallet::InputCoin* const coin = find_coin(of_other, outpoint);
        if (coin == nullptr) return CoinFault{CoinFault::Kind::not_spendable, outpoint};
        if (has_change) return CoinFault{CoinFault::Kind::several_accounts, outpoint};
        result.push_back(*coin);
        add_relatives(spendable.relatives, of_other.relatives);
    }
    spendable.coins = std::move(result);
    return std::nullopt;
}

}  // namespace

chain::Expected<wallet::Payment, wallet::PaymentFailure> PaymentPlan::build() const {
    return wallet::build_payment(request, spendable.coins, net::random_seed);
}

std::optional<std::uint32_t> recent_height(const wallet::Wallet& wallet, const DataFolder& data) {
    constexpr std::int64_t kMaxAge = std::int64_t{8} * 3'600;
    const auto synced = wallet.info().synced;
    if (!synced) return std::nullopt;
    try {
        const auto stored = find_stored_chain(data);
        const auto header = stored ? stored->chain.find(synced->hash) : std::nullopt;
        if (header && header->time >= net::unix_time_now() - kMaxAge) return synced->height;
    } catch (const chain::HeaderFileError&) {
        return std::nullopt;  // the next sync reports the error
    }
    return std::nullopt;
}

chain::Expected<PaymentPlan, CoinFault> plan_payment(const PaymentOrder& order,
                                                     const wallet::Wallet& wallet,
                                                     const DataFolder& data) {
    PaymentPlan plan;
    wallet::PaymentRequest& request = plan.request;
    request.recipients = order.recipients;
    request.fee_rate = order.fee_rate;
    request.recipients_pay_fee = order.recipients_pay_fee;
    request.spends_all_given = !order.coins.empty();
    request.tip_height = recent_height(wallet, data);
    const auto beside = order.coins.empty() ? std::nullopt : std::optional(order.coins.front());
    plan.spendable = wallet.spendable_coins(beside);
    if (!order.coins.empty()) {
        const bool has_change = !wallet::has_rest(order.recipients);
        const auto fault = keep_named_coins(plan.spendable, order.coins, has_change, wallet);
        if (fault) return chain::Unexpected(*fault);
    }
    request.change = wallet.change_for(request.recipients, beside);
    request.relatives = plan.spendable.relatives;
    return plan;
}

void sign_payment(wallet::Payment& payment, const std::optional<std::size_t>& new_address_output,
                  wallet::Wallet& wallet, const wallet::SecretBytes& secret) {
    wallet::SecretArray<32> auxiliary;
    wallet::fill_random(auxiliary.writable());
    if (new_address_output) {
        chain::Bytes& script = payment.transaction.outputs[*new_address_output].script_pubkey;
        script = wallet.reserve_change(script);
    }
    wallet.sign(payment.transaction, payment.coins, secret, auxiliary);
}

}  // namespace petal::client
