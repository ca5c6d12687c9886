#include "cli/commands.h"

#include <algorithm>
#include <iterator>

#include "cli/backup/backup_commands.h"
#include "cli/backup/label_commands.h"
#include "cli/filter/filter_options.h"
#include "cli/headers/header_commands.h"
#include "cli/psbt/psbt_commands.h"
#include "cli/regtest/demo.h"
#include "cli/regtest/regtest_commands.h"
#include "cli/spending/bump_commands.h"
#include "cli/spending/freeze_commands.h"
#include "cli/spending/message_commands.h"
#include "cli/spending/send_commands.h"
#include "cli/sync/broadcast_commands.h"
#include "cli/sync/peer_commands.h"
#include "cli/sync/sync_options.h"
#include "cli/wallet/address_commands.h"
#include "cli/wallet/coin_commands.h"
#include "cli/wallet/wallet_options.h"

namespace petal::cli {

std::vector<CommandEntry> add_all_commands(CLI::App& root) {
    static constexpr AddCommands kAll[] = {
        // kWallets
        add_wallet_commands,
        add_backup_commands,
        // kSyncing
        add_sync_commands,
        add_coin_commands,
        add_address_commands,
        add_label_commands,
        add_header_commands,
        add_peer_commands,
        // kSpending
        add_send_commands,
        add_bump_commands,
        add_psbt_commands,
        add_broadcast_commands,
        add_abandon_commands,
        add_freeze_commands,
        add_message_commands,
        // kFilters
        add_filter_commands,
        // kTrying
        add_demo_commands,
        add_node_commands,
    };
    std::vector<CommandEntry> entries;
    for (const AddCommands add : kAll) std::ranges::move(add(root), std::back_inserter(entries));
    return entries;
}

}  // namespace petal::cli
