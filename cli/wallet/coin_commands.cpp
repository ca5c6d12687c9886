#include "cli/wallet/coin_commands.h"

#include <algorithm>
#include <ostream>

#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "cli/wallet/address_commands.h"
#include "cli/wallet/balance_line.h"
#include "cli/wallet/decoded_transaction.h"
#include "cli/wallet/sync_status_text.h"
#include "cli/wallet/wallet_text.h"
#include "client/data/stored_chain.h"
#include "client/data/sync_standing.h"
#include "client/spending/sent_payment.h"
#include "net/io/clocks.h"

namespace petal::cli {
namespace {

CommandError abandon_error(wallet::AbandonError error, const chain::Txid& txid,
                           const GlobalOptions& global) {
    if (error == wallet::AbandonError::confirmed) {
        return {ExitStatus::failed, "already-confirmed",
                "transaction " + txid.to_hex() + " is in a block; there is nothing to abandon"};
    }
    return unknown_transaction(txid.to_hex(), global);
}

std::vector<chain::Txid> replaced_payments(const wallet::Wallet& wallet) {
    std::vector<chain::Txid> txids;
    for (const wallet::HistoryEntry& entry : wallet.history(0)) {
        if (entry.replaced_by) txids.push_back(entry.txid);
    }
    return txids;
}

/// Whether a transaction pays the script, or spends a coin of the wallet with the script.
bool concerns(const wallet::Wallet& wallet, const chain::Txid& txid, const chain::Bytes& script) {
    const auto known = wallet.known_transaction(txid);
    const bool pays = known && std::ranges::any_of(known->transaction.outputs,
                                                   [&](const chain::TxOutput& output) {
                                                       return output.script_pubkey == script;
                                                   });
    return pays || std::ranges::any_of(wallet.own_keys(txid).spent, [&](wallet::KeyPath path) {
               return wallet.script_at(path) == script;
           });
}

/// The header of a confirmed transaction's block, if the stored headers include it.
std::optional<chain::BlockHeader> block_header(const wallet::HistoryEntry& entry,
                                               const GlobalOptions& global) {
    if (!entry.block_hash) return std::nullopt;
    try {
        const auto stored = client::find_stored_chain(data_of(global));
        return stored ? stored->chain.find(*entry.block_hash) : std::nullopt;
    } catch (const chain::HeaderFileError&) {
        return std::nullopt;
    }
}

/// The stored and verified proof that a confirmed transaction is in its block. Nothing if the proof
/// or the header is not stored.
std::optional<chain::PartialMerkleTree> merkle_proof(
    const chain::Txid& txid, const wallet::KnownTransaction& known,
    const std::optional<chain::BlockHeader>& header, const GlobalOptions& global) {
    if (!header || !known.position || !known.proof) return std::nullopt;
    const auto& [count, branch] = *known.proof;
    auto proof =
        chain::check_merkle_branch({*known.position, txid}, count, branch, header->merkle_root);
    if (proof) return *std::move(proof);
    throw CommandError(ExitStatus::damaged, "merkle-proof-damaged",
                       "the stored merkle proof of transaction " + txid.to_hex() + " is damaged (" +
                           std::string(describe(proof.error())) + "); " +
                           advised("rescan", global) + ", then " + advised("sync", global) +
                           ", fetch it again");
}

}  // namespace

void print_list(const char* key, Json list, const std::string& text,
                const client::WalletSyncStatus& sync_status, const GlobalOptions& global,
                Console& console) {
    if (global.json) {
        return console.print_json(with_sync_status({{key, std::move(list)}}, sync_status));
    }
    console.out() << text;
    console.prose() << sync_status_text(sync_status, global);
}

namespace {

/// Warns if a sync of this wallet is running and waits for a block that is ahead of the clock.
/// Returns the Unix time from which the block counts. Empty without a warning.
std::optional<std::int64_t> warn_of_early_block(const GlobalOptions& global, Console& console) {
    const std::int64_t now = net::unix_time_now();
    const auto sync = client::read_standing(wallet_file(global), now);
    if (!sync || !sync->early_until || *sync->early_until <= now) return std::nullopt;
    console.warn("another petal syncs this wallet, but waits for the clock until " +
                 format_exact_time(*sync->early_until) +
                 ", as a peer's block is more than two hours ahead of it: payments in newer "
                 "blocks are missing");
    return sync->early_until;
}

void run_balance(const BalanceOptions& options, const GlobalOptions& global, Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const auto sync_status = client::wallet_sync_status(wallet.info(), data_of(global));
    warn_of_old_tip(sync_status, global, console);
    const auto early_until = warn_of_early_block(global, console);
    if (global.json) {
        Json json = balance_json(wallet.balance());
        json["height"] = sync_status.synced ? Json(sync_status.synced->height) : Json(nullptr);
        json = with_sync_status(std::move(json), sync_status);
        json["ahead_of_clock_until_time"] = early_until;
        return console.print_json(json);
    }
    Explanations explanations(wallet.seen_explanations(), options.explain);
    console.prose() << balance_text(wallet.balance(), console)
                    << sync_status_text(sync_status, global)
                    << balance_notes(wallet.balance(), explanations, global);
    remember_explanations(explanations, global, console);
}

void run_utxos(const UtxosOptions& options, const GlobalOptions& global, Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    std::vector<wallet::Coin> coins = wallet.coins();
    const auto sync_status = client::wallet_sync_status(wallet.info(), data_of(global));
    std::erase_if(coins, [&options](const wallet::Coin& coin) {
        return coin.confirmations < options.min_confirmations;
    });
    Json list = Json::array();
    for (const wallet::Coin& coin : coins) list.push_back(coin_json(coin, *global.network));
    print_list("utxos", std::move(list), coins_text(coins, global, console), sync_status, global,
               console);
}

/// Empty unless standard output is a terminal that can show blocks.
std::string balance_over_time(const wallet::Wallet& wallet, const Console& console) {
    constexpr std::size_t kWidest = 60;
    if (!console.terminals().out || !has_utf8_locale()) return {};
    const std::string lines =
        balance_lines(wallet.history(0), std::min(console.out_columns(), kWidest));
    return lines.empty() ? lines : "\n" + lines + "\n";
}

void run_history(const HistoryOptions& options, const GlobalOptions& global, Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const bool filters = options.since || !options.address.empty();
    auto history = wallet.history(filters ? 0 : options.limit);
    // Called before known_transaction(), which reads the latest data of a concurrent sync, so that
    // the status is of the same state as `history`.
    const auto sync_status = client::wallet_sync_status(wallet.info(), data_of(global));
    if (options.since) {
        std::erase_if(history, [&](const auto& entry) { return entry.time < *options.since; });
    }
    if (!options.address.empty()) {
        const chain::Bytes script = own_script(options.address, wallet, global);
        std::erase_if(history,
                      [&](const auto& entry) { return !concerns(wallet, entry.txid, script); });
    }
    if (options.limit != 0 && history.size() > options.limit) history.resize(options.limit);
    const client::SentPayments payments(wallet);
    if (options.csv) {
        console.out() << history_csv(history, payments, *global.network);
        if (!sync_status.is_synced || !sync_status.minimum_work) {
            std::string text = sync_status_text(sync_status, global);
            text.pop_back();
            std::ranges::replace(text, '\n', ' ');
            console.warn(text);
        }
        return;
    }
    Json list = Json::array();
    std::string text;
    if (global.json) {
        for (const wallet::HistoryEntry& entry : history) {
            list.push_back(transaction_json(entry, payments, *global.network));
        }
    } else {
        text = history_text(history, &payments, global, console);
        if (!filters) text += balance_over_time(wallet, console);
    }
    print_list("transactions", std::move(list), text, sync_status, global, console);
}

void run_tx(const TransactionOptions& options, const GlobalOptions& global, Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const chain::Txid txid = options.txid.find(wallet, global);
    const auto known = wallet.known_transaction(txid);
    const auto entry = wallet.transaction(txid);
    if (!entry || !known) throw unknown_transaction(txid.to_hex(), global);
    const auto header = block_header(*entry, global);
    const TransactionView view{*entry, *known, header, merkle_proof(txid, *known, header, global),
                               wallet, global};
    const auto sync_status = client::wallet_sync_status(wallet.info(), data_of(global));
    if (global.json) return console.print_json(with_sync_status(decoded_json(view), sync_status));
    console.prose() << decoded_text(view, options.proof) << sync_status_text(sync_status, global);
}

void run_abandon(const AbandonOptions& options, const GlobalOptions& global, Console& console) {
    auto wallet = open_wallet(global, wallet::Access::change);
    const chain::Txid txid = options.txid.find(wallet, global);
    const auto entry = wallet.transaction(txid);
    std::vector<chain::Txid> revived = replaced_payments(wallet);
    const auto abandoned = wallet.abandon(txid);
    if (!entry || !abandoned) {
        throw abandon_error(abandoned ? wallet::AbandonError::unknown : abandoned.error(), txid,
                            global);
    }
    std::erase_if(revived, [&](const chain::Txid& old) {
        const auto now = wallet.transaction(old);
        return !now || now->replaced_by;
    });
    if (global.json) {
        return console.print_json(
            {{"txid", txid}, {"abandoned", *abandoned}, {"counting_again", revived}});
    }
    console.prose() << abandoned_text(*abandoned, *entry, revived, global) << '\n'
                    << balance_text(wallet.balance(), console)
                    << sync_status_text(client::wallet_sync_status(wallet.info(), data_of(global)),
                                        global);
}

constexpr const char* kAnyTxid =
    "a transaction of petal history; the first digits of its id will do, at least 4";

CommandEntry add_balance(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "balance", "show the balance");
    auto options = std::make_shared<BalanceOptions>();
    add_explain(app, options->explain);
    return reading(plain_entry(app, options, run_balance));
}

CommandEntry add_utxos(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "utxos", "list the coins of the wallet");
    auto options = std::make_shared<UtxosOptions>();
    app->add_option("--min-conf", options->min_confirmations,
                    "only coins with at least this many confirmations (default: 0)")
        ->type_name("N")
        ->check(whole_number(0, 100'000'000));
    return reading(plain_entry(app, options, run_utxos));
}

CommandEntry add_history(CLI::App& root) {
    CLI::App* app =
        add_command(root, kSyncing, "history", "list the transactions of the wallet, newest first");
    auto options = std::make_shared<HistoryOptions>();
    app->add_option("--limit", options->limit,
                    "list at most N transactions, the newest (default: all)")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000'000));
    app->add_option_function<std::string>(
           "--since", [options](const std::string& text) { options->since = *parse_date(text); },
           "only transactions from this day (UTC) on")
        ->type_name("YYYY-MM-DD")
        ->check(CLI::Validator(
            [](std::string& text) -> std::string {
                return parse_date(text) ? "" : "must be a date as 2024-05-31";
            },
            "", "date"));
    app->add_option("--address", options->address,
                    "only transactions that pay this address, or spend from it")
        ->type_name("ADDRESS")
        ->check(not_empty());
    app->add_flag("--csv", options->csv,
                  "comma-separated values with a line of titles (RFC 4180); recipients are "
                  "ADDRESS=AMOUNT; a label that a spreadsheet would take for a formula (= + - "
                  "@) gets a ' in front");
    app->footer(
        "A replaced transaction is listed at the time when it was first seen, and "
        "counts zero. So does an undone one, which only a block that left the chain "
        "had: anyone with the work can make a block up. The next sync forgets it "
        "unless a peer shows it, signed.\n\n"
        "On a terminal, a line shows the balance over time. Times are those of this "
        "machine's time zone, and UTC in JSON and CSV.\n\n"
        "Example:\n"
        "  petal history --since 2024-05-31 --csv > may.csv");
    return reading({app, [options](const GlobalOptions& global) {
                        if (options->csv && global.json) throw usage_error("--csv excludes --json");
                        return make_action(std::move(*options), run_history);
                    }});
}

CommandEntry add_tx(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "tx", "show a transaction of the wallet");
    auto options = std::make_shared<TransactionOptions>();
    add_txid(app, options->txid, kAnyTxid);
    app->add_flag("--proof", options->proof,
                  "also show its block, the block's header, and its merkle proof");
    app->footer(
        "The merkle proof is checked in any case; bitcoin-cli verifytxoutproof "
        "accepts it (`txoutproof` with --json, which always has it). Witnesses of "
        "confirmed transactions are not stored, because merkle proofs do not cover "
        "them: with --json, `witness_stored` is then false, and `hex`, `weight`, "
        "`has_witness` and each `witness` are null.");
    return reading(plain_entry(app, options, run_tx));
}

}  // namespace

std::vector<CommandEntry> add_coin_commands(CLI::App& root) {
    return {add_balance(root), add_utxos(root), add_history(root), add_tx(root)};
}

std::vector<CommandEntry> add_abandon_commands(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "abandon",
                                "forget an unconfirmed transaction that will not confirm");
    auto options = std::make_shared<AbandonOptions>();
    add_txid(app, options->txid, kAnyTxid);
    app->footer(
        "Its payments to the wallet no longer count, the coins of the wallet that it "
        "spends can be spent again, unconfirmed transactions that spend its outputs "
        "are forgotten with it, and petal sync --follow no longer rebroadcasts it. "
        "Nodes that have it keep it: if a peer announces it again or a block "
        "confirms it, the wallet knows it again. Transactions that only peers have "
        "announced are forgotten after 14 days.\n\n"
        "Exit status: 0 forgotten; 1 the wallet does not have it, or it is confirmed.\n\n"
        "Example:\n"
        "  petal abandon 4a5e1e4b");
    return {plain_entry(app, options, run_abandon)};
}

}  // namespace petal::cli
