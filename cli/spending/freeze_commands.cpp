#include "cli/spending/freeze_commands.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "wallet/label_exchange.h"

namespace petal::cli {
namespace {

std::string_view state_text(bool is_frozen, bool is_change, bool is_unspent) {
    if (is_frozen && !is_unspent) return " is frozen, but a transaction spends it already.\n";
    if (!is_change) return is_frozen ? " was frozen already.\n" : " was not frozen.\n";
    return is_frozen ? " is frozen: no payment spends it.\n"
                     : " is unfrozen: payments may spend it.\n";
}

/// coin   null if a transaction spends the coin
std::string coin_text(const chain::Outpoint& outpoint, const wallet::Coin* coin) {
    if (coin == nullptr) return outpoint.to_string();
    return outpoint.to_string() + " (" + format_btc(coin->value) + " BTC)";
}

void run_freeze(const FreezeOptions& options, const GlobalOptions& global, Console& console) {
    auto wallet = open_wallet(global, wallet::Access::change);
    std::vector<chain::Outpoint> coins;
    for (const GivenOutpoint& coin : options.coins) coins.push_back(coin.find(wallet, global));
    wallet::LabelExchange labels(wallet);
    const auto changed = labels.set_frozen(coins, options.is_frozen);
    if (!changed) {
        throw CommandError(ExitStatus::failed, "not-in-wallet",
                           changed.error().to_string() + " is no coin of wallet '" + global.wallet +
                               "'; " + advised("utxos", global) +
                               " lists its coins; nothing was changed");
    }
    const std::vector<wallet::Coin> unspent = wallet.coins();
    Json list = Json::array();
    std::string text;
    for (const chain::Outpoint& coin : coins) {
        const bool is_change = std::ranges::find(*changed, coin) != changed->end();
        list.push_back({{"txid", coin.txid.to_hex()},
                        {"vout", coin.index},
                        {"frozen", options.is_frozen},
                        {"changed", is_change}});
        const auto found = std::ranges::find(unspent, coin, &wallet::Coin::outpoint);
        const wallet::Coin* const known = found == unspent.end() ? nullptr : &*found;
        text += coin_text(coin, known) +
                std::string(state_text(options.is_frozen, is_change, known != nullptr));
    }
    if (global.json) return console.print_json({{"coins", list}});
    console.prose() << text;
}

constexpr std::string_view kFreezeFooter =
    "No payment spends a frozen coin, even if --utxo names it, and petal psbt sign signs none. "
    "Its amount stays in the balance (frozen_sat). petal labels export writes it as BIP329 "
    "does (\"spendable\":false).\n\n";

CommandEntry add_freezing(CLI::App& root, bool is_frozen) {
    CLI::App* app = add_command(
        root, kSpending, is_frozen ? "freeze" : "unfreeze",
        is_frozen ? "keep payments from spending coins" : "let payments spend frozen coins again");
    auto options = std::make_shared<FreezeOptions>();
    options->is_frozen = is_frozen;
    auto names = std::make_shared<std::vector<std::string>>();
    app->add_option("COIN", *names, "coins of the wallet, as petal utxos lists them")
        ->option_text("TXID:VOUT ...")
        ->required();
    app->footer(std::string(is_frozen ? kFreezeFooter : "") + "Example:\n  petal " +
                app->get_name() + " 4a5e1e4b:0");
    return {app, [options, names](const GlobalOptions& global) {
                for (const std::string& name : *names) {
                    const auto coin = GivenOutpoint::parse(name);
                    if (!coin)
                        throw usage_error(printable(name, 80) + " is not TXID:VOUT; " +
                                          advised("utxos", global) + " lists the coins");
                    options->coins.push_back(*coin);
                }
                return make_action(std::move(*options), run_freeze);
            }};
}

}  // namespace

std::vector<CommandEntry> add_freeze_commands(CLI::App& root) {
    return {add_freezing(root, true), add_freezing(root, false)};
}

}  // namespace petal::cli
