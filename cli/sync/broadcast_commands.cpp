#include "cli/sync/broadcast_commands.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/sync/sync_options.h"
#include "cli/sync/text/broadcast_text.h"
#include "cli/sync/text/peer_file_text.h"
#include "cli/sync/transaction_input.h"
#include "cli/terminal/status_line.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "client/spending/announcement.h"
#include "net/io/broadcast_client.h"
#include "net/io/clocks.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// A wallet is optional. Nothing if there is no wallet and the user named no wallet.
std::optional<wallet::Wallet> wallet_if_any(const GlobalOptions& global, wallet::Access access) {
    std::error_code error;
    const bool exists = std::filesystem::exists(wallet_file(global), error);
    if (!exists && !error && global.wallet == kDefaultWallet) return std::nullopt;
    return open_wallet(global, access);
}

CommandError flaw_error(const wallet::SpendFlaw& flaw) {
    const std::string input = "input " + std::to_string(flaw.input_index);
    if (flaw.spent_by) {
        return {ExitStatus::failed, "already-spent",
                input + " spends what transaction " + flaw.spent_by->to_hex() +
                    " in a block has spent; no node takes it any more"};
    }
    const std::string fault =
        flaw.is_own
            ? input + " spends a coin of the wallet, but is not signed for it: " + flaw.reason +
                  "; sign it first"
            : input + " is no valid spend: " + flaw.reason;
    return {ExitStatus::failed, "bad-transaction", "this is no transaction to announce: " + fault};
}

/// The wallet's entry of the transaction, if the transaction is confirmed. Nothing if not, or if
/// the wallet can't be read.
std::optional<wallet::HistoryEntry> confirmed_in_wallet(const chain::Txid& txid,
                                                        const GlobalOptions& global) {
    try {
        const auto wallet = wallet_if_any(global, wallet::Access::read);
        auto known = wallet ? wallet->transaction(txid) : std::nullopt;
        if (known && known->height) return known;
    } catch (const wallet::WalletError&) {
        if (global.wallet != kDefaultWallet) throw;
    }
    return std::nullopt;
}

void print_confirmed(const BroadcastSummary& summary, const wallet::HistoryEntry& entry,
                     const GlobalOptions& global, Console& console) {
    if (!global.json) {
        console.prose() << "Transaction " << summary.txid.to_hex() << " is in block "
                        << format_count(*entry.height)
                        << " already: nothing is left to announce.\n";
        return;
    }
    Json json = broadcast_json(summary);
    json["outcome"] = "confirmed";
    json["height"] = *entry.height;
    json["block_hash"] = entry.block_hash->to_hex();
    console.print_json(json);
}

/// The wallet's knowledge of a transaction.
struct KnownOfTransaction {
    std::optional<chain::Satoshis> fee;
    std::vector<chain::OwnTransaction> ancestors;
};

/// Refuses the transaction if the wallet shows that the transaction can't confirm.
KnownOfTransaction check_with_wallet(const chain::Transaction& transaction,
                                     const GlobalOptions& global) {
    const auto wallet = wallet_if_any(global, wallet::Access::read);
    if (!wallet) return {};
    if (const auto flaw = wallet->flaw_of(transaction)) throw flaw_error(*flaw);
    const auto fee = wallet->fee_of(transaction);
    if (fee && *fee < 0) {
        throw CommandError(ExitStatus::failed, "bad-transaction",
                           "this is no transaction to announce: its outputs are worth more than "
                           "what it spends");
    }
    return {fee, client::unconfirmed_ancestors(*wallet, transaction)};
}

/// As check_with_wallet(). But a wallet that can't be read stops the broadcast only if the user
/// named the wallet.
KnownOfTransaction known_by_wallet(const chain::Transaction& transaction,
                                   const GlobalOptions& global, Console& console) {
    try {
        return check_with_wallet(transaction, global);
    } catch (const wallet::WalletError& error) {
        if (global.wallet != kDefaultWallet) throw;
        console.warn("the fee is not known, as the wallet can't be read: " +
                     std::string(error.what()));
        return {};
    }
}

/// Stores a transaction that concerns the wallet. A transaction that no peer has accepted is stored
/// only if it spends from the wallet. Returns whether the wallet has the transaction now.
bool keep_in_wallet(const chain::Transaction& transaction, bool is_accepted,
                    const GlobalOptions& global, Console& console) {
    try {
        auto wallet = wallet_if_any(global, wallet::Access::change);
        if (!wallet) return false;
        const auto now = net::unix_time_now();
        if (!is_accepted) return wallet->keep_own_spend(transaction, now);
        if (!wallet->keep_own(transaction, now)) return false;
        wallet->mark_shown(transaction.txid());
        return true;
    } catch (const wallet::WalletError& error) {
        if (error.kind() == wallet::WalletError::Kind::locked_by_other) {
            console.info(
                "another petal changes the wallet's file; the transaction is not kept there to be "
                "announced again");
        } else {
            console.warn("the transaction was announced, but is not in the wallet: " +
                         std::string(error.what()));
        }
        return false;
    }
}

}  // namespace

client::AnnouncementEvents announcement_events(StatusLine& line, Console& console) {
    client::AnnouncementEvents events;
    events.on_progress = [&line](const net::BroadcastReport& report) {
        line.show(broadcast_progress(report), Clock::now());
    };
    events.on_trouble = peer_file_warnings(console);
    events.on_unread_filter_hosts = [&console] {
        console.warn(
            "cannot read which nodes have a wallet's filter; the transaction may be announced to "
            "one of them first");
    };
    return events;
}

namespace {

/// The options with the time that remains until the deadline, if any.
client::ConnectionOptions by(std::optional<Clock::time_point> deadline,
                             client::ConnectionOptions connection) {
    if (!deadline) return connection;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    connection.timeout = std::max(left, std::chrono::milliseconds{0});
    return connection;
}

void run_broadcast(const BroadcastCommandOptions& options, const GlobalOptions& global,
                   Console& console) {
    const auto start = Clock::now();
    std::optional<Clock::time_point> deadline;
    if (options.connection.timeout) deadline = start + *options.connection.timeout;
    const chain::Transaction transaction =
        transaction_from_argument(options.transaction, console, deadline);
    BroadcastSummary summary;
    summary.network = global.network->name;
    summary.txid = transaction.txid();
    summary.virtual_size = transaction.virtual_size();
    summary.timeout = options.connection.timeout;
    if (const auto confirmed = confirmed_in_wallet(summary.txid, global)) {
        summary.in_wallet = true;
        summary.fee = confirmed->fee;
        return print_confirmed(summary, *confirmed, global, console);
    }
    auto known = known_by_wallet(transaction, global, console);
    summary.fee = known.fee;
    // The fee can't be compared with the paid amount, because any output may be change.
    if (known.fee) {
        check_fee({*known.fee, summary.virtual_size, std::nullopt}, options.fee_terms);
    } else if (options.fee_terms.highest_fee) {
        throw CommandError(ExitStatus::failed, "unknown-fee",
                           "--max-fee cannot limit a fee that the wallet does not know, as it does "
                           "not have all coins that the transaction spends; nothing was sent, and "
                           "without --max-fee it is announced whatever it pays");
    }
    StatusLine line(console, Clock::now());
    summary.result = client::announce({transaction, known.fee}, std::move(known.ancestors),
                                      by(deadline, options.connection), data_of(global),
                                      global.wallet, announcement_events(line, console));
    line.clear();
    summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const net::BroadcastReport& report = summary.result.report;
    const bool has_spread = net::has_spread(report.outcome);
    // A peer that fetched the transaction may relay it after this command has ended.
    const bool may_spread =
        report.fetched_by > 0 && (summary.result.interrupted || report.timed_out);
    if (has_spread || may_spread) {
        summary.in_wallet = keep_in_wallet(transaction, has_spread, global, console);
    }
    if (!has_spread || summary.result.interrupted) throw broadcast_error(summary, global);
    if (global.json) return console.print_json(broadcast_json(summary));
    Explanations explanations = explanations_of_wallet(options.explain, global);
    console.prose() << broadcast_text(summary, {}, explanations, global, console);
    if (summary.in_wallet) remember_explanations(explanations, global, console);
}

}  // namespace

std::vector<CommandEntry> add_broadcast_commands(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "broadcast", "announce a signed transaction");
    auto options = std::make_shared<BroadcastCommandOptions>();
    app->add_option("HEX|FILE|-", options->transaction,
                    "the transaction in hexadecimal, a file with it in hexadecimal or binary, or "
                    "- for standard input")
        ->required();
    add_explain(app, options->explain);
    add_max_fee(app, options->fee_terms,
                "refuse a fee above AMOUNT, or one that the wallet does not know (default: "
                "known ones above 10,000 sat/vB or 0.1 BTC)");
    const auto read_connection =
        add_connection_options(app, "give up after this many seconds (default: 120)");
    app->footer(
        "petal announces the transaction to half of the peers and waits until the "
        "others announce it back; a single peer is asked for it again. Peers that "
        "received the wallet's filter are only listened to, unless there are no "
        "others. Peers that accept no transactions are skipped, and peers whose "
        "minimum fee rate (feefilter) is higher than the transaction's, if the "
        "wallet knows its fee. No wallet is needed. If the transaction spends the "
        "wallet's coins, it is stored in the wallet, and petal sync --follow and "
        "petal wait rebroadcast it until it confirms.\n\n"
        "Exit status: 0 accepted by at least one peer; 1 no peer has shown it, with "
        "the likely reason; 3 no peer accepts transactions, or none has shown it "
        "within --timeout.\n\n"
        "Examples:\n"
        "  petal broadcast signed.hex\n"
        "  petal broadcast - --connect mynode.lan < signed.hex\n"
        "  petal broadcast 02000000000101… --json --timeout 30");
    return {{app, [options, read_connection](const GlobalOptions& global) {
                 options->connection = read_connection(global);
                 return make_action(std::move(*options), run_broadcast);
             }}};
}

}  // namespace petal::cli
