// `petal headers reset`.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "chain/headers/header_file.h"
#include "chain/storage/private_files.h"
#include "cli/headers/header_commands.h"
#include "cli/options/advice.h"
#include "cli/options/confirmation.h"
#include "cli/options/data_folder.h"
#include "cli/text/json.h"
#include "client/data/stored_chain.h"
#include "net/io/search/peer_store.h"

namespace petal::cli {
namespace {

void confirm_reset(const GlobalOptions& global, Console& console) {
    confirm("The stored headers of " + std::string(global.network->name) +
                " will be removed, and what they confirmed is forgotten in all wallets of the "
                "network. The next sync fetches headers again; each wallet is searched from its "
                "birthday by its own next sync.\nType yes to go on: ",
            kYes, "removed", global, console);
}

/// Lets petal dial the nodes again that were not on the removed chain.
void end_pauses_of_peers(const GlobalOptions& global, Console& console) {
    if (!chain::is_there(data_of(global).peer_file())) return;
    try {
        net::PeerStore(data_of(global).peer_file()).end_pauses_by_chain();
    } catch (const net::PeerStoreError& error) {
        console.warn(
            "nodes that were on another chain than the removed one are still left alone: " +
            std::string(error.what()));
    }
}

}  // namespace

CommandError headers_locked() {
    return {ExitStatus::failed, "headers-locked",
            "another petal writes this network's headers; try again later"};
}

void run_headers_reset(const HeadersResetOptions& options, const GlobalOptions& global,
                       Console& console) {
    data_of(global).check();
    if (!options.yes) confirm_reset(global, console);
    // All wallets are opened before anything is changed, so that no wallet can be synced meanwhile.
    const std::vector<std::string> names = data_of(global).wallet_names();
    std::vector<wallet::Wallet> wallets;
    wallets.reserve(names.size());
    for (const std::string& name : names) {
        wallets.push_back(open_wallet(for_wallet(global, name), wallet::Access::sync));
    }
    // Called before the headers are removed. If a wallet had blocks without stored headers, the
    // next sync would wait for a chain as long as the old chain.
    const auto forget_blocks = [&wallets] {
        for (wallet::Wallet& wallet : wallets) wallet.forget_blocks();
    };
    if (!client::has_stored_headers(data_of(global))) {
        forget_blocks();
    } else if (!chain::HeaderFile::remove(data_of(global).header_file(), forget_blocks)) {
        throw headers_locked();
    }
    end_pauses_of_peers(global, console);
    if (global.json) {
        return console.print_json({{"network", global.network->name}, {"wallets", names}});
    }
    console.prose() << "The stored headers of " << global.network->name << " are removed.\n";
    for (const std::string& name : names) {
        console.prose() << "Wallet '" << name << "' is searched from its birthday by its next "
                        << advised("sync", global, name) << ".\n";
    }
    const bool any_pending = std::ranges::any_of(
        wallets, [](const wallet::Wallet& wallet) { return wallet.balance().pending != 0; });
    if (!any_pending) return;
    console.prose() << "Pending payments of another chain never confirm; "
                    << advised("abandon TXID", global) << " forgets one.\n";
}

}  // namespace petal::cli
