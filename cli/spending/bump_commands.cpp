#include "cli/spending/bump_commands.h"

#include <utility>

#include "chain/enum_table.h"
#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/payment/payment_builder.h"
#include "cli/payment/payment_order.h"
#include "cli/payment/payment_text.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "net/io/clocks.h"
#include "wallet/fee_bumper.h"

namespace petal::cli {
namespace {

std::string_view bump_error_code(wallet::BumpError error) {
    static constexpr auto kCodes = chain::enum_table<wallet::BumpError, std::string_view>({
        {wallet::BumpError::unknown, "unknown-transaction"},
        {wallet::BumpError::confirmed, "already-confirmed"},
        {wallet::BumpError::undone, "undone"},
        {wallet::BumpError::conflicted, "already-replaced"},
        {wallet::BumpError::foreign_inputs, "foreign-inputs"},
        {wallet::BumpError::not_announced, "not-sent-here"},
        {wallet::BumpError::has_descendant, "has-descendant"},
        {wallet::BumpError::no_own_output, "no-own-output"},
    });
    return kCodes[error];
}

/// How to pay again with the transaction's coins. Only with the same coins, one payment excludes
/// the other.
std::string send_again_text(const wallet::Wallet& wallet, const chain::Txid& txid,
                            const GlobalOptions& global) {
    const auto known = wallet.known_transaction(txid);
    const auto& inputs = known.value().transaction.inputs;
    return advised("abandon " + txid.to_hex(), global) +
           " frees its coins; send them again at a higher --fee-rate, with --utxo " +
           inputs.front().prevout.to_string() + (inputs.size() > 1 ? " and the others" : "") +
           ", so that only one of the two payments can confirm";
}

/// What the user can do instead of replacing the transaction.
std::string other_way_text(const wallet::BumpFailure& failure, wallet::Wallet& wallet,
                           const BumpOptions& options, const GlobalOptions& global) {
    using enum wallet::BumpError;
    if (failure.error == has_descendant) {
        return "; " + advised("abandon " + failure.other->to_hex(), global) +
               " forgets that one first";
    }
    if (failure.error != foreign_inputs && failure.error != not_announced) return "";
    if (wallet::FeeBumper(wallet).child_of(options.txid)) {
        return "; " + advised("bump --child " + options.given.text(), global) +
               " spends what it pays the wallet, with a fee for both";
    }
    return failure.error == not_announced ? "; " + send_again_text(wallet, options.txid, global)
                                          : "";
}

CommandError bump_error(const wallet::BumpFailure& failure, wallet::Wallet& wallet,
                        const BumpOptions& options, const GlobalOptions& global) {
    std::string message = "the fee of transaction " + options.txid.to_hex() +
                          " can't be raised: " + std::string(wallet::describe(failure.error));
    if (failure.other) message += " (" + failure.other->to_hex() + ")";
    message += other_way_text(failure, wallet, options, global);
    CommandError error(ExitStatus::failed, bump_error_code(failure.error), message);
    if (failure.other) error.set_details({{"other", failure.other->to_hex()}});
    return error;
}

/// Throws CommandError unless the fee at the requested rate is at least the least fee of a
/// replacement.
void check_rate(const wallet::Payment& payment, const wallet::PaymentRequest& request) {
    const wallet::ReplacedPayment& replaced = *request.replaced;
    const chain::Satoshis least = replaced.least_fee(payment.virtual_size);
    const chain::Satoshis asked = payment.fee_at_rate;
    if (asked >= least) return;
    // Rounded up to the two decimals that are shown, so that the shown rate suffices.
    const auto below = wallet::package_rate(request.relatives, wallet::parents_of(payment.coins),
                                            payment.virtual_size, least - 1);
    const wallet::FeeRate least_rate{(below.sat_per_kvb() / 10 + 1) * 10};
    CommandError error(ExitStatus::failed, "fee-rate-too-low",
                       "at " + rate_text(request.fee_rate) + ", the replacement would pay " +
                           fee_in_sat(asked) + "; nodes want at least " + fee_in_sat(least) + " (" +
                           rate_text(least_rate) + "): what the replaced transaction pays, " +
                           fee_in_sat(replaced.fee) +
                           ", and 1 sat/vB for the replacement itself, at a higher rate");
    error.set_details({{"least_fee_sat", least}, {"replaced_fee_sat", replaced.fee}});
    throw error;
}

PreparedPayment prepare_replacement(wallet::Wallet& wallet, const BumpOptions& options,
                                    const GlobalOptions& global) {
    auto request = wallet::FeeBumper(wallet).replacement_of(options.txid);
    if (!request) throw bump_error(request.error(), wallet, options, global);
    const wallet::ReplacedPayment& replaced = *request->replaced;
    PreparedPayment prepared;
    prepared.rate = options.fee_rate.empty() ? client::replacement_rate(replaced, data_of(global))
                                             : client::ChosenRate{read_fee_rate(options.fee_rate),
                                                                  client::RateSource::asked};
    prepared.fee_terms = options.fee_terms;
    request->fee_rate = prepared.rate.rate;
    request->tip_height = client::recent_height(wallet, data_of(global));
    const client::PaymentPlan plan{*request, wallet.spendable_coins()};
    const std::string other_way = "; the recipients' amounts are not lowered: " +
                                  send_again_text(wallet, options.txid, global);
    prepared.payment = build_planned_payment(plan, wallet, global, other_way);
    if (!options.fee_rate.empty()) check_rate(prepared.payment, *request);
    if (request->change.is_new) prepared.new_address_output = prepared.payment.change_index;
    prepared.keep = [replaced_txid = options.txid](wallet::Wallet& keeper,
                                                   const wallet::Payment& payment) {
        return wallet::FeeBumper(keeper).keep_replacement(payment, replaced_txid,
                                                          net::unix_time_now());
    };
    prepared.json = {{"replaces", options.txid.to_hex()}, {"replaced_fee_sat", replaced.fee}};
    prepared.text =
        field("replaces", options.txid.to_hex()) +
        field("old fee", fee_in_sat(replaced.fee) + " (" + rate_text(replaced.package_rate) + ")");
    return prepared;
}

PreparedPayment prepare_child(wallet::Wallet& wallet, bool minimum_work, const BumpOptions& options,
                              const GlobalOptions& global) {
    PreparedPayment prepared;
    prepared.rate = choose_rate(options.fee_rate, wallet, minimum_work, global);
    prepared.fee_terms = options.fee_terms;
    auto child = wallet::FeeBumper(wallet).child_of(options.txid);
    if (!child) throw bump_error(child.error(), wallet, options, global);
    child->request.fee_rate = prepared.rate.rate;
    child->request.tip_height = client::recent_height(wallet, data_of(global));
    client::PaymentPlan plan{child->request, {}};
    plan.spendable.coins = std::move(child->coins);
    prepared.payment = build_planned_payment(plan, wallet, global, {});
    prepared.new_address_output = 0;  // the only output
    prepared.keep = [parent_txid = options.txid](wallet::Wallet& keeper,
                                                 const wallet::Payment& payment) {
        return wallet::FeeBumper(keeper).keep_child(payment, parent_txid, net::unix_time_now());
    };
    const auto& fee = child->parent_fee;
    prepared.json = {{"parent", options.txid.to_hex()}, {"parent_fee_sat", fee}};
    prepared.text = field("pays for", options.txid.to_hex()) +
                    field("its fee", fee ? fee_in_sat(*fee) : std::string("not known"));
    return prepared;
}

void run_bump(const BumpOptions& given, const GlobalOptions& global, Console& console) {
    refuse_default_mainnet(global);
    wallet::Wallet wallet = open_wallet(global, wallet::Access::change);
    if (wallet.info().watch_only) {
        throw CommandError(ExitStatus::wallet, "watch-only",
                           "the wallet is watch-only: it has no private keys to raise a fee with");
    }
    BumpOptions options = given;
    options.txid = given.given.find(wallet, global);
    const bool minimum_work = warn_unless_proven(wallet, global, console);
    PreparedPayment prepared = options.child ? prepare_child(wallet, minimum_work, options, global)
                                             : prepare_replacement(wallet, options, global);
    prepared.minimum_work = minimum_work;
    deliver_payment(std::move(wallet), std::move(prepared), options.delivery, global, console);
}

void add_bump_options(CLI::App* app, BumpOptions& options) {
    add_txid(app, options.given,
             "an unconfirmed transaction of the wallet; its first digits will do");
    app->add_option("--fee-rate", options.fee_rate,
                    "in sat/vB, such as 2 or 1.5 (default: 1 above the old rate; with --child, "
                    "that of petal send)")
        ->type_name("R")
        ->check(not_empty());
    add_fee_terms(app, options.fee_terms);
    app->add_flag("--child", options.child,
                  "instead of replacing the transaction, spend its outputs to the wallet in a "
                  "child that pays for both (CPFP); works for received payments, too");
}

}  // namespace

std::vector<CommandEntry> add_bump_commands(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "bump", "raise the fee of a transaction");
    auto options = std::make_shared<BumpOptions>();
    add_bump_options(app, *options);
    app->footer(
        "Replaces a payment of the wallet by one with the same recipients and a "
        "higher fee (BIP125). The fee is taken from the change, then from further "
        "confirmed coins. The old payment is then shown as replaced. Nodes accept a "
        "replacement only if it has a higher fee rate, and pays at least the old fee "
        "and 1 sat/vB of its own size; less is refused.\n\n"
        "The rate is that of the payment and its unconfirmed ancestors together, as "
        "far as these have a lower one. The fee of a transaction with foreign inputs "
        "is not known and counts as 0. The child of --child pays to a change address.\n\n"
        "Exit status: that of petal send.\n\n"
        "Examples:\n"
        "  petal bump 4a5e1e4b\n"
        "  petal bump 4a5e1e4b --fee-rate 5");
    return {delivery_entry(app, options, run_bump)};
}

}  // namespace petal::cli
