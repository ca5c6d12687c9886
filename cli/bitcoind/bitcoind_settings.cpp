#include "cli/bitcoind/bitcoind_settings.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "chain/files/regular_file.h"
#include "cli/bitcoind/init_error.h"
#include "regtest/front/config_text.h"

namespace petal::cli {
namespace {

namespace front = regtest::front;
namespace fs = std::filesystem;

constexpr std::size_t kMaxIncludedFiles = 100;

InitError wrong_config(const std::string& what) {
    return InitError("Error reading configuration file: " + what);
}

/// bitcoind's default data folder, where bitcoin-cli looks, too.
fs::path default_folder() {
    const char* const home = std::getenv("HOME");
    return fs::path(home == nullptr || *home == '\0' ? "/" : home) / ".bitcoin";
}

fs::path data_folder(const front::Settings& settings) {
    const auto given = settings.text("datadir");
    if (!given || given->empty()) return default_folder();
    if (fs::is_directory(*given)) return fs::absolute(*given);
    throw InitError("Specified data directory \"" + *given + "\" does not exist.");
}

void add_file(front::Settings& settings, const fs::path& file, std::vector<std::string>& notes) {
    std::string text;
    try {
        // One byte more shows that the file is too large.
        text = chain::read_regular_file(fs::canonical(file), front::kMaxConfigBytes + 1);
    } catch (const std::system_error& error) {
        throw wrong_config(file.string() + ": " + error.code().message());
    }
    const auto config = front::parse_config(text);
    if (!config) throw wrong_config(config.error());
    if (const auto added = settings.add(*config); !added) throw wrong_config(added.error());
    constexpr std::array kChains = {"main", "test", "testnet4", "signet", "regtest"};
    for (const auto& section : config->sections) {
        if (std::ranges::find(kChains, section.name) != kChains.end()) continue;
        notes.push_back(file.string() + ":" + std::to_string(section.number) + " Section [" +
                        section.name + "] is not recognized.");
    }
}

/// The config file. Empty if there is none.
fs::path config_file(const front::Settings& settings, const fs::path& folder) {
    if (settings.is_negated("conf")) return {};
    const fs::path file = folder / settings.text("conf").value_or("bitcoin.conf");
    if (fs::is_directory(file)) {
        throw wrong_config("Config file \"" + file.string() + "\" is a directory.");
    }
    if (fs::exists(file)) return file;
    if (!settings.is_set("conf")) return {};
    throw wrong_config("specified config file \"" + file.string() + "\" could not be opened.");
}

void add_config_files(front::Settings& settings, const fs::path& file, const fs::path& folder,
                      std::vector<std::string>& notes) {
    add_file(settings, file, notes);
    const auto included = settings.included_files();
    if (included.size() > kMaxIncludedFiles) throw wrong_config("more than 100 includeconf");
    for (const std::string& name : included) {
        if (!fs::is_regular_file(folder / name)) {
            throw wrong_config("Failed to include configuration file " + name);
        }
        add_file(settings, folder / name, notes);
    }
    if (settings.included_files().size() == included.size()) return;
    notes.emplace_back("-includeconf cannot be used from included files; ignoring");
}

void check_chain(const front::Settings& settings) {
    const auto chain = settings.chain();
    if (!chain) throw InitError(chain.error());
    if (*chain == "regtest") return;
    throw InitError("petal-bitcoind is a node of regtest alone, and not of chain " + *chain +
                    ": use -regtest, or regtest=1 in bitcoin.conf");
}

}  // namespace

BitcoindSettings load_bitcoind_settings(front::Settings settings) {
    BitcoindSettings loaded;
    std::vector<std::string> notes;
    const fs::path given = data_folder(settings);
    loaded.config_file = config_file(settings, given);
    if (!loaded.config_file.empty()) {
        add_config_files(settings, loaded.config_file, given, notes);
    }
    check_chain(settings);
    loaded.folder = data_folder(settings) / "regtest";
    auto options = front::read_node_options(settings, loaded.folder);
    if (!options) throw InitError(options.error());
    loaded.options = *std::move(options);
    auto& warnings = loaded.options.warnings;
    warnings.insert(warnings.begin(), notes.begin(), notes.end());
    return loaded;
}

}  // namespace petal::cli
