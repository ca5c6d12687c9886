#include "cli/spending/payment_delivery.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <ostream>
#include <utility>

#include "cli/options/advice.h"
#include "cli/options/confirmation.h"
#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/payment/payment_text.h"
#include "cli/secrets/secret_input.h"
#include "cli/sync/broadcast_commands.h"
#include "cli/sync/sync_options.h"
#include "cli/sync/text/broadcast_text.h"
#include "cli/terminal/status_line.h"
#include "cli/terminal/wrap.h"
#include "cli/text/command_error.h"

namespace petal::cli {
namespace {

void sign(PreparedPayment& prepared, wallet::Wallet& wallet, const DeliveryOptions& options,
          const GlobalOptions& global, Console& console) {
    const wallet::SecretBytes secret =
        unlock(wallet, options.password_file, global, console, "nothing was sent");
    const auto reserved =
        options.no_broadcast ? std::optional<std::size_t>() : prepared.new_address_output;
    client::sign_payment(prepared.payment, reserved, wallet, secret);
}

Json prepared_json(const PreparedPayment& prepared, bool is_signed, const GlobalOptions& global) {
    Json json = payment_json(prepared.payment, is_signed, global);
    json["fee_rate_source"] = code_of(prepared.rate.source);
    json["minimum_work"] = prepared.minimum_work;
    if (!prepared.json.is_null()) json.update(prepared.json);
    return json;
}

std::string prepared_text(const PreparedPayment& prepared, const wallet::Wallet& wallet,
                          const GlobalOptions& global) {
    return payment_text(prepared.payment, wallet, prepared.rate, global) + prepared.text;
}

// The error says that the wallet keeps the payment, because a new payment would pay the recipient
// twice.
CommandError not_announced(const BroadcastSummary& summary, const GlobalOptions& global) {
    const CommandError reason = broadcast_error(summary, global);
    const std::string txid = summary.txid.to_hex();
    const bool pays_too_little = summary.result.report.outcome == net::BroadcastOutcome::low_fee;
    const std::string bump = advised("bump " + txid, global) + " raises its fee, ";
    CommandError error(reason.status(), reason.code(),
                       std::string(reason.what()) +
                           "; the payment is in the wallet: " + (pays_too_little ? bump : "") +
                           advised("sync --follow", global) + " announces it again, " +
                           advised("abandon " + txid, global) + " forgets it");
    error.set_details(reason.details());
    return error;
}

// Flushes standard output. A failure's error says that the payment is sent, because a new payment
// would pay the recipient twice.
void flush_announced(const chain::Txid& txid, const GlobalOptions& global, Console& console) {
    console.flush_out("the payment is sent and in the wallet, do not make it again: " +
                      advised("tx " + txid.to_hex(), global) + " shows it");
}

net::BroadcastResult keep_and_announce(wallet::Wallet wallet, const PreparedPayment& prepared,
                                       const DeliveryOptions& options, const GlobalOptions& global,
                                       Console& console) {
    StatusLine line(console, StatusLine::Clock::now());
    client::AnnouncementEvents events = announcement_events(line, console);
    events.on_unnoted = [&](const wallet::WalletError& error) {
        line.clear();
        console.warn("the payment is sent, but its change can't be spent before " +
                     advised("sync --wait-unconfirmed 30", global) +
                     " or a block has shown it: " + error.what());
    };
    auto result =
        client::deliver_payment(std::move(wallet), prepared.payment, prepared.keep,
                                options.connection, data_of(global), global.wallet, events);
    if (result) return *std::move(result);
    throw CommandError(ExitStatus::failed, "already-spent",
                       "another petal has spent a coin of the payment meanwhile; nothing was "
                       "sent, try again");
}

void send_payment(wallet::Wallet wallet, const PreparedPayment& prepared,
                  const DeliveryOptions& options, const GlobalOptions& global, Console& console) {
    const auto start = std::chrono::steady_clock::now();
    const wallet::Payment& payment = prepared.payment;
    BroadcastSummary summary;
    summary.network = global.network->name;
    summary.txid = payment.transaction.txid();
    summary.virtual_size = payment.transaction.virtual_size();
    summary.fee = payment.fee;
    summary.timeout = options.connection.timeout;
    summary.in_wallet = true;
    summary.is_own_payment = true;
    summary.result = keep_and_announce(std::move(wallet), prepared, options, global, console);
    summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const net::BroadcastReport& report = summary.result.report;
    if (!net::has_spread(report.outcome) || summary.result.interrupted) {
        throw not_announced(summary, global);
    }
    // A closed pipe must not end the process, but fail like a full disk: the user needs the message
    // of flush_announced().
    std::signal(SIGPIPE, SIG_IGN);
    if (!global.json) {
        Explanations explanations = explanations_of_wallet(options.explain, global);
        console.prose() << broadcast_text(summary, recipients_line(payment, global) + prepared.text,
                                          explanations, global, console);
        flush_announced(summary.txid, global, console);
        return remember_explanations(explanations, global, console);
    }
    Json json = prepared_json(prepared, true, global);
    json["outcome"] = net::code_of(report.outcome);
    json["announced_to"] = report.announced_to;
    json["announced_to_filter_peers"] = report.announced_to_filter_peers;
    json["seen_from"] = report.seen_from;
    console.print_json(json);
    flush_announced(summary.txid, global, console);
}

/// Prints a payment that is not announced.
/// absurd   why the fee would be refused. Empty if the fee is acceptable
void print_unannounced(const PreparedPayment& prepared, const wallet::Wallet& wallet,
                       const std::optional<std::string>& absurd, const DeliveryOptions& options,
                       const GlobalOptions& global, Console& console) {
    const bool is_signed = !options.dry_run;
    if (global.json) {
        Json json = prepared_json(prepared, is_signed, global);
        if (absurd) {
            json["warnings"].push_back(
                {{"code", "absurd-fee"}, {"address", nullptr}, {"message", *absurd}});
        }
        json["outcome"] = nullptr;
        json["announced_to"] = 0;
        json["announced_to_filter_peers"] = 0;
        json["seen_from"] = 0;
        console.print_json(json);
    } else if (is_signed) {
        console.out() << chain::to_hex(prepared.payment.transaction.serialize()) << '\n';
    } else {
        console.prose() << console.bold("This payment would be made; nothing is signed.") << "\n\n"
                        << prepared_text(prepared, wallet, global);
    }
}

void confirm_payment(const PreparedPayment& prepared, const wallet::Wallet& wallet,
                     const DeliveryOptions& options, const GlobalOptions& global,
                     Console& console) {
    if (options.yes) return;
    if (can_ask(global, console)) {
        console.err() << wrap(prepared_text(prepared, wallet, global), console.err_columns());
    }
    confirm("Send it? Type yes: ", kYes, "sent", global, console);
}

}  // namespace

std::function<client::ConnectionOptions(const GlobalOptions&)> add_delivery_options(
    CLI::App* app, DeliveryOptions& options) {
    add_password_option(app, options.password_file);
    auto* dry_run = app->add_flag("--dry-run", options.dry_run,
                                  "show the payment without signing or sending it");
    app->add_flag("--no-broadcast", options.no_broadcast,
                  "print the signed transaction, for petal broadcast, without announcing it or "
                  "storing it in the wallet")
        ->excludes(dry_run);
    app->add_flag("--yes", options.yes, "do not ask for confirmation");
    add_explain(app, options.explain);
    return add_connection_options(app, "give up after this many seconds (default: 120)");
}

void deliver_payment(wallet::Wallet wallet, PreparedPayment prepared,
                     const DeliveryOptions& options, const GlobalOptions& global,
                     Console& console) {
    const FeeToCheck fee = fee_to_check(prepared.payment);
    if (options.dry_run) {
        const auto absurd = absurd_fee_text(fee, prepared.fee_terms);
        if (absurd) console.warn(*absurd);
        if (options.password_file) {  // a wrong password is reported before the payment is made
            static_cast<void>(unlock(wallet, options.password_file, global, console));
        }
        return print_unannounced(prepared, wallet, absurd, options, global, console);
    }
    check_fee(fee, prepared.fee_terms);
    if (!options.no_broadcast) confirm_payment(prepared, wallet, options, global, console);
    sign(prepared, wallet, options, global, console);
    if (options.no_broadcast) {
        return print_unannounced(prepared, wallet, std::nullopt, options, global, console);
    }
    send_payment(std::move(wallet), prepared, options, global, console);
}

}  // namespace petal::cli
