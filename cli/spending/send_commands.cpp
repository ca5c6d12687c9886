#include "cli/spending/send_commands.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ostream>
#include <set>
#include <utility>

#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/confirmation.h"
#include "cli/data_folder.h"
#include "cli/headers/stored_chain.h"
#include "cli/options/advice.h"
#include "cli/options/option_values.h"
#include "cli/spending/payment_order.h"
#include "cli/spending/payment_text.h"
#include "cli/sync/broadcast_commands.h"
#include "cli/sync/broadcast_text.h"
#include "cli/sync/sync_options.h"
#include "cli/text.h"
#include "cli/wallet/chain_standing.h"
#include "cli/wallet/secret_input.h"
#include "net/io/clocks.h"
#include "wallet/descriptors/address.h"
#include "wallet/keys/randomness.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// What is paid where the user gives no fee rate: the least that all nodes relay.
constexpr wallet::FeeRate kDefaultFeeRate{1'000};

struct ChosenRate {
    wallet::FeeRate rate;
    const char* source;
};

void refuse_default_mainnet(const GlobalOptions& global) {
    if (global.network->name != "mainnet" || global.names_network) return;
    throw usage_error("to pay on mainnet, give --network mainnet on the command line");
}

ChosenRate choose_rate(const SendOptions& options, const GlobalOptions& global) {
    if (!options.fee_rate.empty()) return {read_fee_rate(options.fee_rate), "as asked"};
    if (global.network->name == "mainnet") {
        throw usage_error("--fee-rate is missing: petal has no estimate of mainnet's fee rates");
    }
    return {kDefaultFeeRate, "the default; --fee-rate sets another"};
}

/// The height of the wallet's last block, if that is not so old that blocks are likely missing
/// (Bitcoin Core: MAX_ANTI_FEE_SNIPING_TIP_AGE).
std::optional<std::uint32_t> recent_height(const wallet::Wallet& wallet,
                                           const GlobalOptions& global) {
    constexpr std::int64_t kMaxAge = 8 * 3'600;
    const auto synced = wallet.info().synced;
    if (!synced) return std::nullopt;
    try {
        const auto stored = find_stored_chain(global);
        const auto header = stored ? stored->chain.find(synced->hash) : std::nullopt;
        if (header && header->time >= net::unix_time_now() - kMaxAge) return synced->height;
    } catch (const chain::HeaderFileError&) {
        return std::nullopt;  // `sync` says what is wrong with it
    }
    return std::nullopt;
}

/// A generator that was seeded by the system's.
wallet::RandomBits system_bits() {
    return [] {
        std::array<chain::Byte, 8> bytes{};
        wallet::fill_random(bytes);
        std::uint64_t bits = 0;
        for (const chain::Byte byte : bytes) bits = bits << 8 | byte;
        return bits;
    };
}

std::vector<wallet::InputCoin> named_coins(const std::vector<std::string>& names,
                                           const wallet::SpendableCoins& spendable) {
    std::vector<wallet::InputCoin> result;
    std::set<chain::Outpoint> seen;
    for (const std::string& name : names) {
        const auto outpoint = chain::Outpoint::from_string(name);
        if (!outpoint) throw usage_error("--utxo: " + printable(name, 80) + " is not TXID:VOUT");
        if (!seen.insert(*outpoint).second)
            throw usage_error("--utxo: " + name + " is there twice");
        const auto found =
            std::ranges::find(spendable.coins, *outpoint, &wallet::InputCoin::outpoint);
        if (found == spendable.coins.end()) {
            throw CommandError(ExitStatus::failed, "not-spendable",
                               name + " is no coin of the wallet that can be spent now");
        }
        result.push_back(*found);
    }
    return result;
}

std::string not_yet_text(const wallet::SpendableCoins& spendable) {
    std::string text;
    if (spendable.unconfirmed > 0) {
        text += "; " + format_btc(spendable.unconfirmed) + " BTC are unconfirmed";
    }
    if (spendable.immature > 0) {
        text += "; " + format_btc(spendable.immature) + " BTC are immature";
    }
    if (spendable.frozen > 0) {
        text += "; " + format_btc(spendable.frozen) + " BTC are frozen by labels (BIP329)";
    }
    return text;
}

std::string_view code_of(wallet::PaymentError error) {
    using enum wallet::PaymentError;
    switch (error) {
        case dust:
        case dust_after_fee:
            return "dust";
        case insufficient_funds:
            return "insufficient-funds";
        case too_heavy:
            return "too-large";
        default:
            return "bad-amount";
    }
}

CommandError failure_error(const wallet::PaymentFailure& failure,
                           const wallet::PaymentRequest& request,
                           const wallet::SpendableCoins& spendable, const GlobalOptions& global) {
    using enum wallet::PaymentError;
    std::string message(wallet::describe(failure.error));
    const wallet::Recipient& recipient = request.recipients.at(failure.recipient);
    if (failure.error == insufficient_funds) {
        message += ": " + format_btc(failure.missing) + " BTC more are needed, with the fee" +
                   not_yet_text(spendable);
    } else if (failure.error == too_heavy) {
        message += ": it takes too many coins; send less at once";
    } else {
        message = wallet::address_of(recipient.script_pubkey, *global.network) + ": " + message;
    }
    CommandError error(ExitStatus::failed, code_of(failure.error), message);
    if (failure.error == insufficient_funds) {
        error.set_details({{"missing_sat", failure.missing},
                           {"unconfirmed_sat", spendable.unconfirmed},
                           {"immature_sat", spendable.immature},
                           {"frozen_sat", spendable.frozen}});
    }
    return error;
}

wallet::Payment build(const SendOptions& options, const PaymentOrder& order, wallet::FeeRate rate,
                      const wallet::Wallet& wallet, const GlobalOptions& global) {
    wallet::PaymentRequest request;
    request.recipients = order.recipients;
    request.fee_rate = rate;
    request.recipients_pay_fee = options.subtract_fee;
    request.spends_all_given = !options.utxos.empty();
    request.change_script = wallet.change_script();
    request.change_kind = wallet.change_kind();
    request.tip_height = recent_height(wallet, global);
    wallet::SpendableCoins spendable = wallet.spendable_coins();
    if (!options.utxos.empty()) spendable.coins = named_coins(options.utxos, spendable);
    auto payment = wallet::build_payment(request, spendable.coins, system_bits());
    if (!payment) throw failure_error(payment.error(), request, spendable, global);
    return *std::move(payment);
}

void check_fee(const wallet::Payment& payment, bool yes) {
    if (yes || !wallet::has_absurd_fee(payment)) return;
    throw CommandError(ExitStatus::failed, "absurd-fee",
                       "the fee of " + format_btc(payment.fee) + " BTC for " +
                           format_btc(payment.paid()) +
                           " BTC is more than a tenth of that, or above 10,000 sat/vB; --yes "
                           "pays it all the same");
}

wallet::Seed unlock(const wallet::Wallet& wallet, const SendOptions& options,
                    const GlobalOptions& global, Console& console) {
    if (!wallet.info().encrypted) return wallet.seed("");
    if (options.password_file) {
        return wallet.seed(read_secret_file(*options.password_file, "--password-file", console));
    }
    if (!can_ask(global, console)) {
        throw CommandError(ExitStatus::wallet, "locked",
                           "the wallet is encrypted; --password-file names a file with its "
                           "password");
    }
    return wallet.seed(prompt_secret("Password", console));
}

void sign(wallet::Payment& payment, const wallet::Wallet& wallet, const SendOptions& options,
          const GlobalOptions& global, Console& console) {
    wallet::SecretArray<32> auxiliary;
    wallet::fill_random(auxiliary.writable());
    wallet.sign(payment.transaction, payment.coins, unlock(wallet, options, global, console),
                auxiliary);
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

void run_send(const SendOptions& options, const GlobalOptions& global, Console& console) {
    refuse_default_mainnet(global);
    const PaymentOrder order = read_payment_order(options.words, global);
    const ChosenRate rate = choose_rate(options, global);
    std::optional<wallet::Wallet> wallet = open_wallet(global, wallet::Access::change);
    const ChainStanding standing = standing_of(wallet->info(), global);
    if (!standing.is_synced) {
        console.warn("the wallet is not synced: its coins may be spent already; " +
                     advised("sync", global) + " first");
    }
    wallet::Payment payment = build(options, order, rate.rate, *wallet, global);
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
    app->add_option("RECIPIENT", options->words,
                    "ADDRESS AMOUNT; pairs ADDRESS=AMOUNT; or a payment\nlink (bitcoin:...)")
        ->required()
        ->expected(1, 1'000);
    app->add_option("--fee-rate", options->fee_rate,
                    "in sat/vB, as 2 or 1.5; 1 is the default, but on\nmainnet there is none")
        ->type_name("R");
    app->add_flag("--subtract-fee", options->subtract_fee,
                  "the recipients pay the fee, in equal parts");
    repeatable(app->add_option("--utxo", options->utxos,
                               "spend this coin; several may be named, and no other is\nspent"))
        ->type_name("TXID:VOUT");
    app->add_option_function<std::string>(
           "--password-file", [options](const std::string& path) { options->password_file = path; },
           "file with the wallet's password; - is standard input.\nWithout it, it is asked for "
           "on the terminal")
        ->type_name("FILE");
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
