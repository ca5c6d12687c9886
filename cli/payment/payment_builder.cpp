#include "cli/payment/payment_builder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "chain/enum_table.h"
#include "chain/script/dust.h"
#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/options/given_txid.h"
#include "cli/options/option_values.h"
#include "cli/payment/payment_text.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/wallet/sync_status_text.h"
#include "wallet/descriptors/address.h"
#include "wallet/ledger/amount.h"

namespace petal::cli {
namespace {

std::vector<chain::Outpoint> read_outpoints(const std::vector<std::string>& names,
                                            const wallet::Wallet& wallet,
                                            const GlobalOptions& global) {
    std::vector<chain::Outpoint> result;
    for (const std::string& name : names) {
        const auto given = GivenOutpoint::parse(name);
        if (!given)
            throw usage_error("--utxo: " + printable(name, 80) + " is not TXID:VOUT; " +
                              advised("utxos", global) + " lists the wallet's coins");
        const chain::Outpoint outpoint = given->find(wallet, global);
        if (std::ranges::find(result, outpoint) != result.end()) {
            throw usage_error("--utxo: " + name + " is there twice");
        }
        result.push_back(outpoint);
    }
    return result;
}

/// Why nodes may have refused a payment of the wallet.
std::string unshown_reason(const chain::Txid& txid, const wallet::Wallet& wallet) {
    const auto history = wallet.history(0);
    const auto old = std::ranges::find(history, txid, [](const wallet::HistoryEntry& entry) {
        return entry.replaced_by.value_or(chain::Txid{});
    });
    if (old == history.end()) return "likely it pays too little, or reached none";
    return "it replaces " + old->txid.to_hex() +
           ", which nodes keep if another transaction spends from it and both pay more";
}

std::string why_not_spent(const chain::Outpoint& outpoint, const wallet::Wallet& wallet,
                          const GlobalOptions& global) {
    const auto coins = wallet.coins();
    const auto coin = std::ranges::find(coins, outpoint, &wallet::Coin::outpoint);
    if (coin != coins.end() && coin->watched) {
        return outpoint.to_string() + " is of a key that the wallet only watches";
    }
    if (coin != coins.end() && coin->frozen) {
        return outpoint.to_string() + " is frozen; " +
               advised("unfreeze " + outpoint.to_string(), global) + " lets payments spend it";
    }
    const auto unshown = wallet.spendable_coins(outpoint).unshown_payments;
    if (std::ranges::find(unshown, outpoint.txid) != unshown.end()) {
        return outpoint.to_string() + " is change of a payment that no node has shown to have: " +
               unshown_reason(outpoint.txid, wallet);
    }
    return outpoint.to_string() + " is no coin of the wallet that can be spent now";
}

CommandError coin_error(const client::CoinFault& fault,
                        const std::vector<chain::Outpoint>& outpoints, const wallet::Wallet& wallet,
                        const GlobalOptions& global) {
    if (fault.kind == client::CoinFault::Kind::not_spendable) {
        return {ExitStatus::failed, "not-spendable", why_not_spent(fault.outpoint, wallet, global)};
    }
    return {ExitStatus::failed, "several-accounts",
            "--utxo: " + fault.outpoint.to_string() + " is of another account than " +
                outpoints.front().to_string() +
                ", to which the change goes; name coins of one account, or pay all, which has no "
                "change"};
}

std::string other_accounts_text(const wallet::SpendableCoins& spendable) {
    return format_btc(spendable.other_accounts) +
           " BTC are of other accounts, which are paid from by naming their coins with --utxo";
}

std::string watched_text(const wallet::SpendableCoins& spendable) {
    return format_btc(spendable.watched) + " BTC are of keys that the wallet only watches";
}

/// The change that can't be spent because no node has shown the payment. Names up to three
/// payments.
std::string unshown_text(const wallet::SpendableCoins& spendable, const wallet::Wallet& wallet,
                         const GlobalOptions& global) {
    constexpr std::size_t kMost = 3;
    std::string text = format_btc(spendable.unshown) +
                       " BTC are change of payments that no node has shown to have: ";
    const std::size_t count = std::min(spendable.unshown_payments.size(), kMost);
    for (std::size_t i = 0; i < count; ++i) {
        const chain::Txid& txid = spendable.unshown_payments[i];
        text += txid.to_hex() + " (" + unshown_reason(txid, wallet) + "; " +
                advised("abandon " + txid.to_hex(), global) + " forgets it), ";
    }
    return text + advised("sync --wait-unconfirmed 30", global) + " asks nodes for them";
}

/// The coins of unconfirmed payments that also spend outputs of a transaction that was only in a
/// disconnected block.
std::string undone_text(const wallet::SpendableCoins& spendable, const GlobalOptions& global) {
    constexpr std::size_t kMost = 3;
    const std::size_t count = std::min(spendable.undone_payments.size(), kMost);
    std::string text = format_btc(spendable.held_by_undone) +
                       " BTC are spent by payments that need a transaction which only a block that "
                       "was undone had; if no node shows it again, ";
    for (std::size_t i = 0; i < count; ++i) {
        const std::string txid = spendable.undone_payments[i].to_hex();
        text += (i == 0 ? "" : ", ") + advised("abandon " + txid, global);
    }
    return text + " frees them";
}

std::string frozen_text(const wallet::SpendableCoins& spendable, const GlobalOptions& global) {
    return format_btc(spendable.frozen) + " BTC are frozen (" +
           advised("unfreeze TXID:VOUT", global) + ")";
}

/// The coins that no payment of this kind can spend now, by reason.
std::vector<std::string> kept_texts(const wallet::SpendableCoins& spendable,
                                    const wallet::Wallet& wallet, const GlobalOptions& global) {
    std::vector<std::string> kept;
    if (spendable.unshown > 0) kept.push_back(unshown_text(spendable, wallet, global));
    if (spendable.held_by_undone > 0) kept.push_back(undone_text(spendable, global));
    if (spendable.unconfirmed > 0) {
        kept.push_back(format_btc(spendable.unconfirmed) +
                       " BTC are unconfirmed, and can be spent once a block has them");
    }
    if (spendable.immature > 0) {
        kept.push_back(format_btc(spendable.immature) + " BTC are immature");
    }
    if (spendable.frozen > 0) kept.push_back(frozen_text(spendable, global));
    if (spendable.watched > 0) kept.push_back(watched_text(spendable));
    if (spendable.other_accounts > 0) kept.push_back(other_accounts_text(spendable));
    return kept;
}

std::string not_yet_text(const wallet::SpendableCoins& spendable, const wallet::Wallet& wallet,
                         const GlobalOptions& global) {
    std::string text;
    for (const std::string& kept : kept_texts(spendable, wallet, global)) text += "; " + kept;
    return text;
}

/// The spendable coins that a payment of "all" leaves, by reason.
std::vector<std::string> omitted_texts(const wallet::Payment& payment,
                                       const wallet::SpendableCoins& spendable) {
    std::set<chain::Outpoint> spent;
    chain::Satoshis total = 0;
    for (const wallet::InputCoin& coin : payment.coins) {
        spent.insert(coin.outpoint);
        total += coin.output.value;
    }
    chain::Satoshis uneconomical = 0;
    chain::Satoshis excess = 0;
    for (const wallet::InputCoin& coin : spendable.coins) {
        if (spent.contains(coin.outpoint)) continue;
        const bool fits = coin.output.value <= chain::kMaxMoney - total;
        chain::Satoshis& sum = fits ? uneconomical : excess;
        sum = wallet::add_amounts(sum, coin.output.value);
    }
    std::vector<std::string> omitted;
    if (uneconomical > 0) {
        omitted.push_back(format_btc(uneconomical) +
                          " BTC are in coins that cost more than they are worth at this fee rate");
    }
    if (excess > 0) {
        omitted.push_back(format_btc(excess) + " BTC exceed the 21 million BTC that can exist");
    }
    return omitted;
}

/// Warns of the coins that "all" leaves in the wallet.
void warn_of_the_rest(const wallet::Payment& payment, const wallet::SpendableCoins& spendable,
                      const wallet::Wallet& wallet, const GlobalOptions& global, Console& console) {
    for (const auto& texts :
         {omitted_texts(payment, spendable), kept_texts(spendable, wallet, global)}) {
        for (const std::string& text : texts)
            console.warn("not all of the wallet is paid: " + text);
    }
}

std::string_view code_of(wallet::PaymentError error) {
    using enum wallet::PaymentError;
    static constexpr auto kCodes = chain::enum_table<wallet::PaymentError, std::string_view>({
        {no_recipient, "bad-amount"},
        {several_rests, "bad-amount"},
        {amount_out_of_range, "bad-amount"},
        {dust, "dust"},
        {dust_after_fee, "dust"},
        {insufficient_funds, "insufficient-funds"},
        {too_heavy, "too-large"},
    });
    return kCodes[error];
}

/// The coins that can be spent, and whether these coins suffice for the amounts without a fee.
std::string balance_hint(const wallet::PaymentRequest& request,
                         const wallet::SpendableCoins& spendable) {
    chain::Satoshis balance = 0;
    for (const wallet::InputCoin& coin : spendable.coins) {
        balance = wallet::add_amounts(balance, coin.output.value);
    }
    chain::Satoshis amounts = 0;
    for (const wallet::Recipient& recipient : request.recipients) {
        amounts = wallet::add_amounts(amounts, recipient.amount);
    }
    const std::string text = "; " + format_btc(balance) + " BTC can be spent";
    if (has_rest(request.recipients) || balance == 0) return text;
    const bool fits = amounts <= balance && !request.recipients_pay_fee;
    return text + (fits ? "; --subtract-fee takes the fee from the amount, and all" : "; all") +
           " in place of the amount sends every coin";
}

CommandError failure_error(const wallet::PaymentFailure& failure,
                           const wallet::PaymentRequest& request,
                           const wallet::SpendableCoins& spendable, const wallet::Wallet& wallet,
                           const GlobalOptions& global, std::string_view other_way) {
    using enum wallet::PaymentError;
    std::string message(wallet::describe(failure.error));
    const wallet::Recipient& recipient = request.recipients.at(failure.recipient);
    const bool is_without_coins = has_rest(request.recipients) && spendable.coins.empty();
    if (failure.error == insufficient_funds && is_without_coins) {
        message = "no coin can be spent now" + not_yet_text(spendable, wallet, global);
    } else if (failure.error == insufficient_funds) {
        message += ": " + format_btc(failure.missing) + " BTC more are needed, with the fee" +
                   (other_way.empty() ? balance_hint(request, spendable) : "") +
                   not_yet_text(spendable, wallet, global) + std::string(other_way);
    } else if (failure.error == too_heavy) {
        message += ": it takes too many coins; send less at once";
    } else {
        message = wallet::address_of(recipient.script_pubkey, *global.network) + ": " + message;
        if (failure.error == dust || failure.error == dust_after_fee) {
            message += "; the least for this address is " +
                       fee_in_sat(chain::dust_threshold(recipient.script_pubkey));
        }
    }
    const bool lacks_unshown = failure.error == insufficient_funds && spendable.unshown > 0 &&
                               spendable.unshown >= failure.missing;
    CommandError error(ExitStatus::failed,
                       lacks_unshown ? "payment-not-shown" : code_of(failure.error), message);
    if (failure.error == insufficient_funds) {
        error.set_details({{"missing_sat", failure.missing},
                           {"unshown_sat", spendable.unshown},
                           {"unshown_payments", spendable.unshown_payments},
                           {"held_by_undone_sat", spendable.held_by_undone},
                           {"undone_payments", spendable.undone_payments},
                           {"unconfirmed_sat", spendable.unconfirmed},
                           {"immature_sat", spendable.immature},
                           {"frozen_sat", spendable.frozen},
                           {"watched_sat", spendable.watched},
                           {"other_accounts_sat", spendable.other_accounts}});
    }
    return error;
}

}  // namespace

void add_payment_options(CLI::App* app, PaymentOptions& options) {
    app->add_option("RECIPIENT", options.words,
                    "ADDRESS AMOUNT; pairs ADDRESS=AMOUNT; or a payment link (bitcoin:...)")
        ->required()
        ->expected(1, 1'000);
    app->add_option("--fee-rate", options.fee_rate,
                    "in sat/vB, such as 2 or 1.5 (default: the median of the wallet's payments "
                    "that confirmed in the last day, at least 1; without such payments 1, but on "
                    "mainnet R is needed. On other networks, at least the rate that peers relay)")
        ->type_name("R")
        ->check(not_empty());
    add_fee_terms(app, options.fee_terms);
    app->add_flag("--subtract-fee", options.subtract_fee,
                  "subtract the fee from the amounts, in equal parts");
    repeatable(app->add_option("--utxo", options.utxos,
                               "spend only this coin of petal utxos; the first digits of TXID will "
                               "do; may be repeated"))
        ->type_name("TXID:VOUT");
}

void add_password_option(CLI::App* app, std::optional<std::filesystem::path>& password_file) {
    app->add_option_function<std::string>(
           "--password-file", [&password_file](const std::string& path) { password_file = path; },
           "file with the wallet's password; - is standard input (default: ask on the "
           "terminal)")
        ->type_name("FILE");
}

void refuse_default_mainnet(const GlobalOptions& global) {
    if (global.network->name != "mainnet" || global.names_network) return;
    throw usage_error("to pay on mainnet, give --network mainnet on the command line");
}

bool warn_unless_proven(const wallet::Wallet& wallet, const GlobalOptions& global,
                        Console& console) {
    const auto sync_status = client::wallet_sync_status(wallet.info(), data_of(global));
    if (!sync_status.is_synced) {
        console.warn("the wallet is not synced: its coins may be spent already; " +
                     advised("sync", global) + " first");
    }
    warn_of_old_tip(sync_status, global, console);
    if (sync_status.synced && !sync_status.minimum_work) {
        console.warn(
            "a peer may have made up the wallet's coins: the stored headers do not show the "
            "minimum work of " +
            global.network->name + " behind their blocks");
    }
    return sync_status.minimum_work;
}

FeeToCheck fee_to_check(const wallet::Payment& payment) {
    return {payment.fee, payment.virtual_size, payment.paid()};
}

wallet::Payment build_planned_payment(const client::PaymentPlan& plan, const wallet::Wallet& wallet,
                                      const GlobalOptions& global, std::string_view other_way) {
    auto payment = plan.build();
    if (!payment) {
        throw failure_error(payment.error(), plan.request, plan.spendable, wallet, global,
                            other_way);
    }
    return *std::move(payment);
}

wallet::Payment build_ordered_payment(const PaymentOptions& options, const PaymentOrder& order,
                                      wallet::FeeRate rate, const wallet::Wallet& wallet,
                                      const GlobalOptions& global, Console& console) {
    const bool pays_all = has_rest(order.recipients);
    if (options.subtract_fee && pays_all && order.recipients.size() > 1) {
        throw usage_error(
            "--subtract-fee: the recipient of \"all\" pays the fee, and the others none");
    }
    const client::PaymentOrder ordered{order.recipients, rate, options.subtract_fee,
                                       read_outpoints(options.utxos, wallet, global)};
    const auto plan = client::plan_payment(ordered, wallet, data_of(global));
    if (!plan) throw coin_error(plan.error(), ordered.coins, wallet, global);
    wallet::Payment payment = build_planned_payment(*plan, wallet, global, {});
    if (pays_all && ordered.coins.empty()) {
        warn_of_the_rest(payment, plan->spendable, wallet, global, console);
    }
    warn_of_risky_outputs(payment.transaction.outputs, global, console);
    return payment;
}

}  // namespace petal::cli
