/// The options that every command takes, as CLI11 reads them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options/options.h"

namespace petal::cli {

/// The options on logging, as typed.
struct LogOptions {
    bool verbose = false;
    bool very_verbose = false;
    bool quiet = false;
    LogLevel level = LogLevel::warning;
    std::string file;
};

/// The global options as typed, before the config file and the defaults.
struct RawGlobal {
    std::string network = "testnet4";
    std::string signet_challenge;
    std::string data_dir;
    std::vector<std::string> wallets;
    bool json = false;
    bool full = false;
    std::string config;
    LogOptions log;
    bool allow_unsafe_files = false;
};

/// The names that --network takes.
std::vector<std::string> network_names();

/// Adds the options, which set the members of `raw`. `raw` must outlive the parsing.
void add_global_options(CLI::App& root, RawGlobal& raw);

}  // namespace petal::cli
