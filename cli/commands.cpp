#include "cli/commands.h"

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

// In the order of the help's headings.
std::span<const CommandSet> all_command_sets() {
    static const CommandSet sets[] = {
        // kWallets
        {{"create", "restore", "check-words", "watch", "import", "encrypt", "wallets", "info",
          "rescan", "rename", "delete"},
         add_wallet_commands},
        {{"backup", "restore-backup"}, add_backup_commands},
        // kSyncing
        {{"sync", "wait"}, add_sync_commands},
        {{"balance", "utxos", "history", "tx"}, add_coin_commands},
        {{"addresses", "receive", "label"}, add_address_commands},
        {{"labels"}, add_label_commands},
        {{"headers"}, add_header_commands, /*takes_no_secrets=*/true},
        {{"peers"}, add_peer_commands, /*takes_no_secrets=*/true},
        // kSpending
        {{"send"}, add_send_commands},
        {{"bump"}, add_bump_commands},
        {{"psbt"}, add_psbt_commands},
        {{"broadcast"}, add_broadcast_commands},
        {{"abandon"}, add_abandon_commands},
        {{"freeze", "unfreeze"}, add_freeze_commands},
        {{"sign-message", "verify-message"}, add_message_commands},
        // kFilters
        {{"filter"}, add_filter_commands, /*takes_no_secrets=*/true},
        // kTrying
        {{"demo"}, add_demo_commands, /*takes_no_secrets=*/true},
        {{"regtest-node"}, add_node_commands, /*takes_no_secrets=*/true},
    };
    return sets;
}

}  // namespace petal::cli
