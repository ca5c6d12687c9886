/// The command that announces a transaction.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/options/fee_terms.h"
#include "cli/terminal/status_line.h"
#include "client/spending/announcement.h"
#include "client/sync/peer_source.h"

namespace petal::cli {

struct BroadcastCommandOptions {
    std::string transaction;  ///< hexadecimal, the name of a file, or `-`
    wallet::FeeTerms fee_terms = {};
    bool explain = false;  ///< see Explanations
    client::ConnectionOptions connection;
};

/// Events that show the progress of an announcement in the line, and the announcement's warnings.
/// The line and the console must outlive the events.
client::AnnouncementEvents announcement_events(StatusLine& line, Console& console);

std::vector<CommandEntry> add_broadcast_commands(CLI::App& root);

}  // namespace petal::cli
