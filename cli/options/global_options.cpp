#include "cli/options/global_options.h"

#include "chain/network_params.h"
#include "cli/options/access_check.h"
#include "cli/options/option_values.h"
#include "cli/options/version.h"

namespace petal::cli {

std::vector<std::string> network_names() {
    std::vector<std::string> names;
    for (const chain::NetworkParams& network : chain::all_networks()) {
        names.emplace_back(network.name);
    }
    return names;
}

void add_global_options(CLI::App& root, RawGlobal& raw) {
    CLI::Option* network =
        root.add_option("--network", raw.network,
                        "mainnet, testnet3, testnet4, signet or regtest (default: testnet4); main, "
                        "test and testnet as Bitcoin Core has them [PETAL_NETWORK]");
    network->type_name("NAME")->envname("PETAL_NETWORK");
    suggest_words(network, network_names());
    root.add_option("--signet-challenge", raw.signet_challenge,
                    "with --network signet: a custom signet, by the challenge script of its "
                    "blocks (BIP325)")
        ->type_name("HEX")
        ->check(script_hex());
    root.add_option("--datadir", raw.data_dir,
                    "folder of all data; a network has DIR/NETWORK (default: "
                    "$XDG_DATA_HOME/petal, else ~/.local/share/petal) [PETAL_DATADIR]")
        ->type_name("DIR")
        ->check(not_empty())
        ->envname("PETAL_DATADIR");
    repeatable(
        root.add_option("--wallet", raw.wallets,
                        "wallet of the network (default: default); for sync, several may be named "
                        "[PETAL_WALLET]"))
        ->type_name("NAME")
        ->envname("PETAL_WALLET");
    root.add_flag("--json", raw.json, "one JSON object on standard output, nothing else");
    root.add_flag("--full", raw.full,
                  "whole ids and addresses, and all columns of tables, on a terminal of any "
                  "width");
    root.add_option("--config", raw.config,
                    "TOML file with any of the options, such as network = \"regtest\" (default: "
                    "DIR/petal.toml, if it is there)")
        ->type_name("FILE")
        ->check(not_empty());
    CLI::Option* verbose =
        root.add_flag("-v,--verbose", raw.log.verbose,
                      "log more to standard error: peers, phases and filters of a sync; -vv: every "
                      "message with its size");
    verbose->each(
        [&raw, verbose](const std::string&) { raw.log.very_verbose = verbose->count() > 1; });
    root.add_flag("-q,--quiet", raw.log.quiet, "print only errors to standard error");
    using enum LogLevel;
    add_choice<LogLevel>(&root, "--log-level", raw.log.level,
                         {{"error", error}, {"warning", warning}, {"info", info}, {"debug", debug}},
                         "error, warning, info or debug (default: warning)")
        ->type_name("L");
    root.add_option("--log-file", raw.log.file, "also write the log to this file, with the time")
        ->type_name("FILE")
        ->check(not_empty());
    root.add_flag(kAllowUnsafeFiles, raw.allow_unsafe_files,
                  "use the config file and the data folder although other users can change them");
    root.set_version_flag("--version", version_text(),
                          "print the versions of petal and its libraries");
}

}  // namespace petal::cli
