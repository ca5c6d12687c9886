#include "cli/spending/send_commands.h"

#include <chrono>
#include <ostream>
#include <utility>

#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/confirmation.h"
#include "cli/data_folder.h"
#include "cli/options/advice.h"
#include "cli/spending/payment_builder.h"
#include "cli/spending/payment_order.h"
#include "cli/spending/payment_text.h"
#include "cli/sync/broadcast_commands.h"
#include "cli/sync/broadcast_text.h"
#include "cli/sync/sync_options.h"
#include "cli/text.h"
#include "net/io/clocks.h"
#include "wallet/keys/randomness.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

void sign(wallet::Payment& payment, const wallet::Wallet& wallet, const SendOptions& options,
          const GlobalOptions& global, Console& console) {
    wallet::SecretArray<32> auxiliary;
    wallet::fill_random(auxiliary.writable());
    wallet.sign(payment.transaction, payment.coins,
                unlock(wallet, options.password_file, global, console), auxiliary);
}

/// Stores the payment: from then on it is known, whatever happens.
void keep(wallet::Wallet& wallet, const wallet::Payment& payment, const std::string& label) {
    if (!wallet.keep_payment(payment.transaction, net::unix_time_now())) {
        throw CommandError(ExitStatus::failed, "already-spent",
                           "another petal has spent a coin of the payment meanwhile; nothing was "
                           "sent, send again");
    }
    if (label.empty()) return;
    wallet.set_label(payment.transaction.txid(), label.substr(0, wallet::kMaxLabelBytes));
}

CommandError not_announced(BroadcastSummary summary, const GlobalOptions& global) {
    summary.in_wallet = false;  // it is said here
    const CommandError reason = broadcast_error(summary, global);
    CommandError error(reason.status(), reason.code(),
                       std::string(reason.what()) + "; the payment is in the wallet, and " +
                           advised("sync --follow", global) + " announces it again; " +
                           advised("abandon " + summary.txid.to_hex(), global) + " forgets it");
    error.set_details(reason.details());
    return error;
}

void announce_payment(const wallet::Payment& payment, const SendOptions& options,
                      const GlobalOptions& global, Console& console) {
    const auto start = Clock::now();
    BroadcastSummary summary;
    summary.network = global.network->name;
    summary.txid = payment.transaction.txid();
    summary.virtual_size = payment.transaction.virtual_size();
    summary.fee = payment.fee;
    summary.timeout = options.connection.timeout;
    summary.in_wallet = true;
    summary.result =
        announce({payment.transaction, payment.fee}, options.connection, global, console);
    summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const net::BroadcastReport& report = summary.result.report;
    if (!net::has_spread(report.outcome) || summary.result.interrupted) {
        throw not_announced(summary, global);
    }
    if (!global.json) {
        console.out() << broadcast_text(summary, global, console);
        return;
    }
    Json json = payment_json(payment, true, global);
    json["outcome"] = net::code_of(report.outcome);
    json["announced_to"] = report.announced_to;
    json["seen_from"] = report.seen_from;
    console.out() << to_line(json) << '\n';
}

/// Prints a payment that is not announced.
void print_unannounced(const wallet::Payment& payment, const SendOptions& options,
                       std::string_view rate_source, const GlobalOptions& global,
                       Console& console) {
    const bool is_signed = !options.dry_run;
    if (global.json) {
        Json json = payment_json(payment, is_signed, global);
        json["outcome"] = nullptr;
        json["announced_to"] = 0;
        json["seen_from"] = 0;
        console.out() << to_line(json) << '\n';
    } else if (is_signed) {
        console.out() << chain::to_hex(payment.transaction.serialize()) << '\n';
    } else {
        console.out() << console.bold("This payment would be made; nothing is signed.") << "\n\n"
                      << payment_text(payment, rate_source, global);
    }
}

void confirm_payment(const wallet::Payment& payment, std::string_view rate_source,
                     const SendOptions& options, const GlobalOptions& global, Console& console) {
    if (options.yes) return;
    if (can_ask(global, console)) console.err() << payment_text(payment, rate_source, global);
    confirm("Send it? Type yes: ", kYes, "sent", global, console);
}

void refuse_watch_only(const wallet::Wallet& wallet, const GlobalOptions& global) {
    if (!wallet.info().watch_only) return;
    throw CommandError(ExitStatus::wallet, "watch-only",
                       "the wallet is watch-only: it has no private keys; " +
                           advised("psbt create", global) +
                           " makes the same payment for another wallet to sign");
}

void run_send(const SendOptions& options, const GlobalOptions& global, Console& console) {
    refuse_default_mainnet(global);
    const PaymentOrder order = read_payment_order(options.words, global);
    const ChosenRate rate = choose_rate(options, global);
    std::optional<wallet::Wallet> wallet = open_wallet(global, wallet::Access::change);
    refuse_watch_only(*wallet, global);
    warn_unless_synced(*wallet, global, console);
    wallet::Payment payment = build_ordered_payment(options, order, rate.rate, *wallet, global);
    check_fee(payment, options.yes || options.dry_run);
    if (options.dry_run) return print_unannounced(payment, options, rate.source, global, console);
    if (!options.no_broadcast) confirm_payment(payment, rate.source, options, global, console);
    sign(payment, *wallet, options, global, console);
    if (options.no_broadcast) {
        return print_unannounced(payment, options, rate.source, global, console);
    }
    keep(*wallet, payment, order.label);
    wallet.reset();  // others may change it while the transaction is announced
    announce_payment(payment, options, global, console);
}

CommandEntry add_send(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "send", "pay");
    auto options = std::make_shared<SendOptions>();
    add_payment_options(app, *options);
    add_password_option(app, options->password_file);
    auto* dry_run =
        app->add_flag("--dry-run", options->dry_run, "show the payment; sign and send nothing");
    app->add_flag("--no-broadcast", options->no_broadcast,
                  "print the signed transaction, for petal broadcast; it is\nneither announced "
                  "nor kept in the wallet")
        ->excludes(dry_run);
    app->add_flag("--yes", options->yes, "ask nothing, and pay any fee");
    const auto read_connection =
        add_connection_options(app, "give up after this many seconds (default: 120)");
    app->footer(
        "An AMOUNT is bitcoin (0.001), satoshi (100000sat), or all, for what the fee and the "
        "other\n"
        "recipients leave of all coins. Coins are chosen so that the least is wasted; those of "
        "one\n"
        "address are spent together. Change goes to an address of its own. The transaction can be\n"
        "replaced (BIP125).\n\n"
        "The wallet keeps the payment before it is announced, over connections of their own that\n"
        "load no filter. petal sync --follow announces it again until it is confirmed; petal\n"
        "abandon forgets it.\n\n"
        "Exit status: 0 accepted by a peer or more; 1 nothing sent, or seen nowhere; 3 no peer\n"
        "that takes transactions; 4 the wallet is locked.\n\n"
        "Examples:\n"
        "  petal send tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl 0.001\n"
        "  petal send tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl all --fee-rate 1.5 --dry-run\n"
        "  petal send 'bitcoin:tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl?amount=0.002' --yes");
    return {app, [options, read_connection](const GlobalOptions& global) {
                options->connection = read_connection(global);
                return make_action(std::move(*options), run_send);
            }};
}

}  // namespace

std::vector<CommandEntry> add_send_commands(CLI::App& root) {
    return {add_send(root)};
}

}  // namespace petal::cli
