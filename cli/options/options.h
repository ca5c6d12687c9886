/// The options of every command, from the command line, the environment and the config file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chain/network_params.h"
#include "cli/terminal/log_level.h"

namespace petal::cli {

/// The wallet that is used if the user names no wallet.
inline constexpr const char* kDefaultWallet = "default";

/// Options that every command takes.
struct GlobalOptions {
    std::shared_ptr<const chain::NetworkParams> network;  ///< never null after parsing
    std::filesystem::path data_dir;
    /// Made of letters, digits and `._-`: safe in a file name.
    std::string wallet = kDefaultWallet;
    /// All given wallets, each once, if --wallet is given several times. Otherwise empty.
    std::vector<std::string> wallets;
    bool json = false;
    bool full = false;  ///< tables are not fitted to the terminal
    LogLevel log_level = LogLevel::warning;
    std::optional<std::filesystem::path> log_file;  ///< that gets a copy of standard error
    bool allow_unsafe_files = false;                ///< that other users can change
    bool names_network = false;                     ///< --network is on the command line
    /// The options among --network, --signet-challenge, --datadir, --wallet and --config that are
    /// on the command line, each with the value, for advised().
    std::vector<std::string> given;
};

}  // namespace petal::cli
