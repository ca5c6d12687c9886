/// The command that announces a transaction.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/options/fee_terms.h"
#include "client/sync/peer_source.h"
#include "net/io/broadcast_client.h"
#include "wallet/wallet.h"

namespace petal::cli {

struct BroadcastCommandOptions {
    std::string transaction;  ///< hexadecimal, the name of a file, or `-`
    wallet::FeeTerms fee_terms = {};
    bool explain = false;  ///< see Explanations
    client::ConnectionOptions connection;
};

/// Announces a transaction, as `broadcast` does, with its progress on standard error.
/// ancestors   see net::BroadcastOptions
net::BroadcastResult announce(chain::OwnTransaction own,
                              std::vector<chain::OwnTransaction> ancestors,
                              const client::ConnectionOptions& connection,
                              const GlobalOptions& global, Console& console);

/// Adds broadcast.
std::vector<CommandEntry> add_broadcast_commands(CLI::App& root);

}  // namespace petal::cli
