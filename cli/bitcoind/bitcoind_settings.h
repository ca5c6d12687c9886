/// Where petal-bitcoind finds its settings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "regtest/front/node_options.h"
#include "regtest/front/settings.h"

namespace petal::cli {

struct BitcoindSettings {
    std::filesystem::path folder;  ///< of regtest in the data folder
    std::filesystem::path config_file;
    regtest::front::NodeOptions options;
};

/// Adds the config files to the settings of the command line. Throws InitError if a file can't be
/// read, a value is wrong, or the chain is not regtest.
BitcoindSettings load_bitcoind_settings(regtest::front::Settings settings);

}  // namespace petal::cli
