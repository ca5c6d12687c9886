#include "cli/coin_commands.h"

#include <ostream>

#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "cli/minimum_work.h"
#include "cli/text.h"
#include "cli/wallet_text.h"

namespace petal::cli {
namespace {

CommandError abandon_error(wallet::AbandonError error, const chain::Txid& txid) {
    if (error == wallet::AbandonError::confirmed) {
        return {ExitStatus::failed, "already-confirmed",
                "transaction " + txid.to_hex() + " is in a block; there is nothing to abandon"};
    }
    return {
        ExitStatus::failed, "unknown-transaction",
        "the wallet has no transaction " + txid.to_hex() + "; petal history lists those it has"};
}

}  // namespace

void print_list(const char* key, Json list, const std::string& text, const wallet::Wallet& wallet,
                const GlobalOptions& global, Console& console) {
    const auto synced = wallet.info().synced;
    const bool minimum_work = has_minimum_work(global, synced);
    if (global.json) {
        console.out() << to_line({{key, std::move(list)}, {"minimum_work", minimum_work}}) << '\n';
        return;
    }
    console.out() << text << minimum_work_line(minimum_work, synced, global.network->name);
}

void run_balance(const GlobalOptions& global, Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const auto synced = wallet.info().synced;
    const bool minimum_work = has_minimum_work(global, synced);
    if (global.json) {
        Json json = balance_json(wallet.balance());
        json["height"] = synced ? Json(synced->height) : Json(nullptr);
        json["minimum_work"] = minimum_work;
        console.out() << to_line(json) << '\n';
        return;
    }
    console.out() << balance_text(wallet.balance(), console)
                  << minimum_work_line(minimum_work, synced, global.network->name);
    console.info(synced ? "as of block " + format_count(synced->height) : "never synced");
}

void run_utxos(const UtxosOptions& options, const GlobalOptions& global, Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    std::vector<wallet::Coin> coins = wallet.coins();
    std::erase_if(coins, [&options](const wallet::Coin& coin) {
        return coin.confirmations < options.min_confirmations;
    });
    Json list = Json::array();
    for (const wallet::Coin& coin : coins) list.push_back(coin_json(coin, *global.network));
    print_list("utxos", std::move(list), coins_text(coins, *global.network, console), wallet,
               global, console);
}

void run_history(const HistoryOptions& options, const GlobalOptions& global, Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const auto history = wallet.history(options.limit);
    Json list = Json::array();
    for (const wallet::HistoryEntry& entry : history) list.push_back(transaction_json(entry));
    print_list("transactions", std::move(list), history_text(history, console), wallet, global,
               console);
}

void run_abandon(const AbandonOptions& options, const GlobalOptions& global, Console& console) {
    auto wallet = open_wallet(global, wallet::Access::sync);
    const auto abandoned = wallet.abandon(options.txid);
    if (!abandoned) throw abandon_error(abandoned.error(), options.txid);
    if (!global.json) {
        const auto synced = wallet.info().synced;
        console.out() << abandoned_text(*abandoned) << '\n'
                      << balance_text(wallet.balance(), console)
                      << minimum_work_line(has_minimum_work(global, synced), synced,
                                           global.network->name);
        return;
    }
    Json list = Json::array();
    for (const chain::Txid& txid : *abandoned) list.push_back(txid.to_hex());
    console.out() << to_line({{"txid", options.txid.to_hex()}, {"abandoned", list}}) << '\n';
}

}  // namespace petal::cli
