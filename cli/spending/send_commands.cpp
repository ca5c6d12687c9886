#include "cli/spending/send_commands.h"

#include <utility>

#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/payment/payment_order.h"
#include "cli/payment/payment_text.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "net/io/clocks.h"

namespace petal::cli {
namespace {

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
    wallet::Wallet wallet = open_wallet(global, wallet::Access::change);
    refuse_watch_only(wallet, global);
    PreparedPayment prepared;
    prepared.minimum_work = warn_unless_proven(wallet, global, console);
    prepared.rate = choose_rate(options.fee_rate, wallet, prepared.minimum_work, global);
    prepared.fee_terms = options.fee_terms;
    prepared.payment =
        build_ordered_payment(options, order, prepared.rate.rate, wallet, global, console);
    prepared.new_address_output = prepared.payment.change_index;
    if (!options.utxos.empty()) prepared.text += coins_lines(prepared.payment);
    if (!order.label.empty()) prepared.text += field("label", order.label);
    if (!order.message.empty()) prepared.text += field("message", order.message);
    prepared.keep = [&order](wallet::Wallet& keeper, const wallet::Payment& payment) {
        if (!keeper.keep_payment(payment, net::unix_time_now())) return false;
        const std::string& name = order.label.empty() ? order.message : order.label;
        if (!name.empty()) {
            const auto label = first_bytes(name, wallet::kMaxLabelBytes);
            keeper.set_label(payment.transaction.txid(), std::string(label));
        }
        return true;
    };
    deliver_payment(std::move(wallet), std::move(prepared), options.delivery, global, console);
}

}  // namespace

std::vector<CommandEntry> add_send_commands(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "send", "send bitcoin to one or more addresses");
    auto options = std::make_shared<SendOptions>();
    add_payment_options(app, *options);
    app->footer(
        "An AMOUNT is in bitcoin (0.001) or satoshi (100000sat); all sends every "
        "coin that can be spent and is worth its fee, less the fee and the other "
        "recipients' amounts; a warning tells what is left. Coins are chosen for the "
        "least waste, and all coins of an address are spent together. Change goes to "
        "a new change address. The transaction can be replaced (BIP125).\n\n"
        "The payment is stored in the wallet before it is announced, over separate "
        "connections that never load the wallet's Bloom filter (at most one of this "
        "transaction's id alone), to peers that never received the wallet's filter. If no such "
        "peer is available, it is announced to a peer "
        "that has the filter, and the output says so. petal sync --follow and petal "
        "wait rebroadcast it until it confirms; petal abandon forgets it.\n\n"
        "Exit status: 0 accepted by at least one peer; 1 not sent, or no peer has "
        "shown it, or the output can't be written (the error says which); 3 no peer "
        "accepts transactions; 4 the wallet is locked.\n\n"
        "Examples:\n"
        "  petal send tb1q… 0.001\n"
        "  petal send tb1q… all --fee-rate 1.5 --dry-run\n"
        "  petal send 'bitcoin:tb1q…?amount=0.002' --yes");
    return {delivery_entry(app, options, run_send)};
}

}  // namespace petal::cli
