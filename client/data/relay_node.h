/// The node that relays a wallet's unconfirmed payments by a filter, in a file beside the wallet's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace petal::client {

/// The node of the last run (PeerIdentity::node): as few nodes as possible should get the filter.
/// Empty if there is none, or if the file cannot be read.
std::optional<std::string> read_relay_node(const std::filesystem::path& wallet_file);
/// Throws std::system_error.
void store_relay_node(const std::filesystem::path& wallet_file, const std::string& node);

/// The wallet gets another file. Throws std::system_error.
void copy_relay_node(const std::filesystem::path& wallet_file,
                     const std::filesystem::path& new_wallet_file);
/// Deletes the file, if it exists.
void remove_relay_node(const std::filesystem::path& wallet_file);

}  // namespace petal::client
