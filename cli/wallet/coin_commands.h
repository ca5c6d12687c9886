/// Commands about a wallet's coins and history.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "cli/options/command_entry.h"
#include "cli/options/given_txid.h"
#include "cli/text/json.h"
#include "cli/wallet/sync_status_text.h"
#include "wallet/wallet.h"

namespace petal::cli {

struct UtxosOptions {
    std::uint32_t min_confirmations = 0;
};

struct BalanceOptions {
    bool explain = false;
};

struct HistoryOptions {
    std::uint32_t limit = 0;            ///< 0 for all
    std::optional<std::int64_t> since;  ///< Unix seconds
    std::string address;                ///< only transactions of this address. Empty for all
    bool csv = false;
};

struct TransactionOptions {
    GivenTxid txid;
    bool proof = false;  ///< prints the merkle proof, which JSON always has
};

struct AbandonOptions {
    GivenTxid txid;
};

/// Adds balance, utxos, history and tx.
std::vector<CommandEntry> add_coin_commands(CLI::App& root);

std::vector<CommandEntry> add_abandon_commands(CLI::App& root);

/// Prints a wallet's list, and the state of the chain that the list is based on.
/// text   the list in words
void print_list(const char* key, Json list, const std::string& text,
                const client::WalletSyncStatus& sync_status, const GlobalOptions& global,
                Console& console);

}  // namespace petal::cli
