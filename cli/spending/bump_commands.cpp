#include "cli/spending/bump_commands.h"

#include <algorithm>
#include <utility>

#include "chain/enum_table.h"
#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "cli/options/advice.h"
#include "cli/options/option_values.h"
#include "cli/spending/payment_builder.h"
#include "cli/spending/payment_order.h"
#include "cli/text.h"
#include "cli/wallet/wallet_text.h"
#include "net/io/clocks.h"
#include "wallet/fee_bumper.h"

namespace petal::cli {
namespace {

std::string rate_text(wallet::FeeRate rate) {
    return format_fee_rate(static_cast<double>(rate.sat_per_kvb()) / 1'000);
}

std::string_view bump_error_code(wallet::BumpError error) {
    static constexpr auto kCodes = chain::enum_table<wallet::BumpError, std::string_view>({
        {wallet::BumpError::unknown, "unknown-transaction"},
        {wallet::BumpError::confirmed, "already-confirmed"},
        {wallet::BumpError::conflicted, "already-replaced"},
        {wallet::BumpError::foreign_inputs, "foreign-inputs"},
        {wallet::BumpError::not_announced, "not-sent-here"},
        {wallet::BumpError::has_descendant, "has-descendant"},
        {wallet::BumpError::no_own_output, "no-own-output"},
    });
    return kCodes[error];
}

CommandError bump_error(const wallet::BumpFailure& failure, const BumpOptions& options,
                        const GlobalOptions& global) {
    using enum wallet::BumpError;
    std::string message = "the fee of transaction " + options.txid.to_hex() +
                          " can't be raised: " + std::string(wallet::describe(failure.error));
    if (failure.other) message += " (" + failure.other->to_hex() + ")";
    if (failure.error == has_descendant) {
        message += "; " + advised("abandon " + failure.other->to_hex(), global) +
                   " forgets that one first";
    } else if (failure.error == foreign_inputs) {
        message += "; " + advised("bump --child " + options.txid.to_hex(), global) +
                   " pays for it by what it pays the wallet";
    }
    CommandError error(ExitStatus::failed, bump_error_code(failure.error), message);
    if (failure.other) error.set_details({{"other", failure.other->to_hex()}});
    return error;
}

/// The replacement has the asked rate, or it is refused.
void check_rate(const wallet::Payment& payment, const wallet::ReplacedPayment& replaced,
                wallet::FeeRate rate) {
    const chain::Satoshis least = replaced.least_fee(payment.virtual_size);
    const chain::Satoshis asked = rate.fee(payment.virtual_size);
    if (asked >= least) return;
    const auto size = static_cast<std::int64_t>(payment.virtual_size);
    // Not below the least at the two decimals that are shown.
    const wallet::FeeRate least_rate{(least * 100 + size - 1) / size * 10};
    CommandError error(ExitStatus::failed, "fee-rate-too-low",
                       "at " + rate_text(rate) + ", the replacement would pay " +
                           fee_in_sat(asked) + "; nodes want at least " + fee_in_sat(least) + " (" +
                           rate_text(least_rate) + "): what the replaced transaction pays, " +
                           fee_in_sat(replaced.fee) +
                           ", and 1 sat/vB for the replacement itself, at a higher rate");
    error.set_details({{"least_fee_sat", least}, {"replaced_fee_sat", replaced.fee}});
    throw error;
}

ChosenRate replacement_rate(const wallet::ReplacedPayment& replaced, const BumpOptions& options,
                            const GlobalOptions& global) {
    if (!options.fee_rate.empty()) return {read_fee_rate(options.fee_rate), RateSource::asked};
    constexpr std::int64_t kMost = wallet::FeeRate::kMaxSatPerKvb;
    const wallet::FeeRate step{std::min(
        kMost, replaced.fee_rate().sat_per_kvb() + wallet::kIncrementalRelayRate.sat_per_kvb())};
    return at_least_relayed({step, RateSource::replaced}, global);
}

PreparedPayment prepare_replacement(wallet::Wallet& wallet, const BumpOptions& options,
                                    const GlobalOptions& global) {
    auto request = wallet::FeeBumper(wallet).replacement_of(options.txid);
    if (!request) throw bump_error(request.error(), options, global);
    const wallet::ReplacedPayment& replaced = *request->replaced;
    PreparedPayment prepared;
    const ChosenRate rate = replacement_rate(replaced, options, global);
    request->fee_rate = rate.rate;
    prepared.rate_source = rate.source;
    request->tip_height = recent_height(wallet, global);
    prepared.payment = build_requested_payment(*request, wallet.spendable_coins(), global);
    if (!options.fee_rate.empty()) check_rate(prepared.payment, replaced, request->fee_rate);
    if (request->change.is_new) prepared.new_address_output = prepared.payment.change_index;
    prepared.keep = [replaced_txid = options.txid](wallet::Wallet& keeper,
                                                   const wallet::Payment& payment) {
        return wallet::FeeBumper(keeper).keep_replacement(payment, replaced_txid,
                                                          net::unix_time_now());
    };
    prepared.json = {{"replaces", options.txid.to_hex()}, {"replaced_fee_sat", replaced.fee}};
    prepared.text =
        field("replaces", options.txid.to_hex()) +
        field("old fee", fee_in_sat(replaced.fee) + " (" + rate_text(replaced.fee_rate()) + ")");
    return prepared;
}

PreparedPayment prepare_child(wallet::Wallet& wallet, bool minimum_work, const BumpOptions& options,
                              const GlobalOptions& global) {
    const ChosenRate rate = choose_rate(options.fee_rate, wallet, minimum_work, global);
    auto child = wallet::FeeBumper(wallet).child_of(options.txid);
    if (!child) throw bump_error(child.error(), options, global);
    child->request.fee_rate = rate.rate;
    child->request.tip_height = recent_height(wallet, global);
    wallet::SpendableCoins spendable;
    spendable.coins = std::move(child->coins);
    PreparedPayment prepared;
    prepared.payment = build_requested_payment(child->request, spendable, global);
    prepared.new_address_output = 0;  // the only output
    prepared.rate_source = rate.source;
    prepared.rate_text = rate_text(rate.rate) + " for both, ";
    prepared.keep = [](wallet::Wallet& keeper, const wallet::Payment& payment) {
        return wallet::FeeBumper(keeper).keep_child(payment, net::unix_time_now());
    };
    const auto& fee = child->parent_fee;
    prepared.json = {{"parent", options.txid.to_hex()},
                     {"parent_fee_sat", fee ? Json(*fee) : Json(nullptr)}};
    prepared.text =
        field("pays for", options.txid.to_hex()) +
        field("its fee", fee ? fee_in_sat(*fee)
                             : std::string("not known, as others' coins pay it; counted as 0"));
    return prepared;
}

void run_bump(const BumpOptions& options, const GlobalOptions& global, Console& console) {
    refuse_default_mainnet(global);
    wallet::Wallet wallet = open_wallet(global, wallet::Access::change);
    if (wallet.info().watch_only) {
        throw CommandError(ExitStatus::wallet, "watch-only",
                           "the wallet is watch-only: it has no private keys to raise a fee with");
    }
    const bool minimum_work = warn_unless_proven(wallet, global, console);
    PreparedPayment prepared = options.child ? prepare_child(wallet, minimum_work, options, global)
                                             : prepare_replacement(wallet, options, global);
    prepared.minimum_work = minimum_work;
    deliver_payment(std::move(wallet), std::move(prepared), options.delivery, global, console);
}

void add_bump_options(CLI::App* app, BumpOptions& options) {
    add_txid(app, options.txid, "an unconfirmed transaction of the wallet");
    app->add_option("--fee-rate", options.fee_rate,
                    "in sat/vB, such as 2 or 1.5 (default: 1 above the old\nrate; with --child, "
                    "that of petal send)")
        ->type_name("R")
        ->check(not_empty());
    app->add_flag("--child", options.child,
                  "instead of replacing the transaction, spend its outputs to\n"
                  "the wallet in a child that pays for both (CPFP); works for\n"
                  "received payments, too");
}

CommandEntry add_bump(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "bump", "raise the fee of a transaction");
    auto options = std::make_shared<BumpOptions>();
    add_bump_options(app, *options);
    app->footer(
        "Replaces a payment of the wallet by one with the same recipients and a higher fee\n"
        "(BIP125). The fee is taken from the change, then from further confirmed coins. The old\n"
        "payment is then shown as replaced. Nodes accept a replacement only if it has a higher "
        "fee\n"
        "rate, and pays at least the old fee and 1 sat/vB of its own size; less is refused.\n\n"
        "With --child, the fee of a transaction with foreign inputs is not known and counts as 0.\n"
        "The child pays to a change address.\n\n"
        "Exit status: that of petal send.\n\n"
        "Examples:\n"
        "  petal bump 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b\n"
        "  petal bump 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b --fee-rate "
        "5");
    return delivery_entry(app, options, run_bump);
}

}  // namespace

std::vector<CommandEntry> add_bump_commands(CLI::App& root) {
    return {add_bump(root)};
}

}  // namespace petal::cli
