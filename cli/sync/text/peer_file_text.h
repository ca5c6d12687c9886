/// What is wrong with the file of known peers, for people.
#pragma once

#include <filesystem>
#include <string>

#include "cli/terminal/console.h"
#include "client/sync/peer_source.h"

namespace petal::cli {

/// The text on a damaged file of known peers that was put aside.
std::string damaged_peers_text(const std::filesystem::path& peer_file);

/// Warns of the trouble on the console, which must outlive the function.
client::PeerSource::OnTrouble peer_file_warnings(Console& console);

}  // namespace petal::cli
