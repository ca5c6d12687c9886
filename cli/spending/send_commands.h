/// The command that pays.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/sync/peer_source.h"

namespace petal::cli {

struct SendOptions {
    std::vector<std::string> words;  ///< see read_payment_order()
    std::string fee_rate;            ///< in sat/vB; empty for none
    std::vector<std::string> utxos;  ///< TXID:VOUT
    std::optional<std::filesystem::path> password_file;
    bool subtract_fee = false;
    bool dry_run = false;
    bool no_broadcast = false;
    bool yes = false;
    ConnectionOptions connection;
};

/// Adds send.
std::vector<CommandEntry> add_send_commands(CLI::App& root);

}  // namespace petal::cli
