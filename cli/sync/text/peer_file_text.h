/// Describes faults of the file of known peers.
#pragma once

#include <filesystem>
#include <string>

#include "cli/terminal/console.h"
#include "client/sync/peer_source.h"

namespace petal::cli {

/// The warning that a damaged file of known peers was put aside.
std::string damaged_peers_text(const std::filesystem::path& peer_file);

/// Warns of the trouble on the console. The console must outlive the returned function.
client::PeerSource::OnTrouble peer_file_warnings(Console& console);

}  // namespace petal::cli
