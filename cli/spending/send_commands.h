/// The command that pays.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/spending/payment_builder.h"
#include "cli/sync/peer_source.h"

namespace petal::cli {

struct SendOptions : PaymentOptions {
    std::optional<std::filesystem::path> password_file;
    bool dry_run = false;
    bool no_broadcast = false;
    bool yes = false;
    ConnectionOptions connection;
};

/// Adds send.
std::vector<CommandEntry> add_send_commands(CLI::App& root);

}  // namespace petal::cli
