#include "cli/bitcoind/bitcoind.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/bitcoind/bitcoind_rpc.h"
#include "cli/bitcoind/bitcoind_settings.h"
#include "cli/bitcoind/bitcoind_wallets.h"
#include "cli/bitcoind/daemon.h"
#include "cli/bitcoind/debug_log.h"
#include "cli/bitcoind/folder_lock.h"
#include "cli/bitcoind/init_error.h"
#include "cli/bitcoind/shell_commands.h"
#include "cli/options/version.h"
#include "cli/regtest/start_node.h"
#include "cli/terminal/stop_signals.h"
#include "cli/text/command_error.h"
#include "net/io/clocks.h"
#include "net/wire/messages.h"
#include "regtest/front/log_lines.h"
#include "regtest/front/option_table.h"
#include "regtest/front/tip_notices.h"
#include "regtest/serve/chain_file.h"
#include "regtest/serve/embedded_node.h"
#include "regtest/serve/node_events.h"

namespace petal::cli {
namespace {

namespace front = regtest::front;

std::string version_line() {
    return std::string("Bitcoin Core daemon version v") + front::kCoreVersionText +
           " petal-bitcoind " + petal_version();
}

/// The options with this use, in the form of bitcoind's help.
std::string options_with(front::OptionUse use) {
    std::string lines;
    for (const front::OptionRow& row : front::all_options()) {
        if (row.use != use) continue;
        lines += "  -" + std::string(row.name) + (row.value.empty() ? "" : "=") +
                 std::string(row.value) + "\n       " + std::string(row.help) + "\n";
    }
    return lines;
}

std::string bitcoind_help() {
    using enum front::OptionUse;
    return version_line() +
           "\n\nA regtest node with the arguments, files and calls of bitcoind, for tests that "
           "start bitcoind -regtest.\n\nUsage: petal-bitcoind -regtest [options]\n\n"
           "Options as of bitcoind:\n" +
           options_with(used) + "\nAccepted without an effect:\n" + options_with(harmless) +
           "\nAccepted without an effect, which the log tells:\n" + options_with(unserved) +
           "\nRefused:\n" + options_with(refused);
}

void print_line(const std::string& text) {
    std::cout << text << std::endl;
}

regtest::NodeBehaviour behaviour_of(const front::NodeOptions& options) {
    regtest::NodeBehaviour behaviour;
    behaviour.services = net::kNodeNetwork | net::kNodeWitness | net::kNodeNetworkLimited;
    if (options.serves_bloom) behaviour.services |= net::kNodeBloom;
    if (options.serves_compact_filters) behaviour.services |= net::kNodeCompactFilters;
    behaviour.user_agent = options.user_agent;
    behaviour.takes_transactions = options.takes_transactions;
    behaviour.mempool.least_fee_rate = options.least_fee_rate;
    return behaviour;
}

regtest::rpc::NodeSettings settings_of(const front::NodeOptions& options) {
    regtest::rpc::NodeSettings settings;
    settings.behaviour = behaviour_of(options);
    settings.policy = settings.behaviour.mempool;
    settings.clock = regtest::rpc::BlockClock::machine;
    settings.mock_time = options.mock_time;
    settings.machine_time = net::unix_time_now;
    settings.start_time = net::unix_time_now();
    settings.program = "Bitcoin Core";
    settings.log_path = options.log_file.string();
    settings.has_wallet = options.has_wallet;
    settings.indexes = options.indexes;
    settings.is_initial_download = true;
    settings.stop = StopSignals::stop;
    return settings;
}

/// A file with the id of this process, removed by the destructor.
class PidFile {
public:
    /// file   empty: no file. Throws InitError
    explicit PidFile(std::filesystem::path file) : file_(std::move(file)) {
        if (file_.empty()) return;
        std::ofstream out(file_, std::ios::trunc);
        out << getpid() << std::endl;
        if (out) return;
        throw InitError("Unable to create the PID file '" + file_.string() +
                        "': " + std::generic_category().message(errno));
    }
    ~PidFile() {
        std::error_code ignored;  // the failure can't be reported any more
        if (!file_.empty()) std::filesystem::remove(file_, ignored);
    }
    PidFile(const PidFile&) = delete;
    PidFile& operator=(const PidFile&) = delete;

private:
    std::filesystem::path file_;
};

/// Stores the chain, passes it on to the wallets, writes the log and runs -blocknotify, on the
/// node's thread.
class BitcoindObserver {
public:
    /// All arguments must outlive the observer.
    BitcoindObserver(regtest::ChainFile& file, DebugLog& log, const std::string& block_command,
                     regtest::rpc::NodeSettings& settings)
        : file_(file),
          log_(log),
          block_command_(block_command),
          settings_(settings),
          lines_([&log](const std::string& line) { log.write(line); }),
          notices_([this](const chain::BlockHash& tip) { on_tip(tip); }),
          events_([this](const regtest::NodeEvent& event) { on_event(event); }) {}

    void begin(const regtest::RegtestChain& chain) {
        lines_.begin(chain);
        notices_.begin(chain);
        events_.begin(chain);
        settings_.leave_initial_download(chain);
    }

    /// Ends the node if the chain or a wallet can't be stored.
    void on_change(const regtest::RegtestChain& chain, const regtest::NodePeers& peers) {
        if (!failure_.empty()) return;
        try {
            file_.append(chain);
            if (settings_.wallets != nullptr) settings_.wallets->follow();
        } catch (const std::exception& error) {
            failure_ = error.what();
            StopSignals::stop();
        }
        settings_.leave_initial_download(chain);
        lines_.on_change(chain);
        notices_.on_change(chain);
        events_.on_change(chain, peers);
    }

    /// Why the chain or a wallet could not be stored. Empty without a failure.
    const std::string& failure() const { return failure_; }

private:
    void on_event(const regtest::NodeEvent& event) {
        lines_.on_event(event);
        notices_.on_event(event);
    }

    void on_tip(const chain::BlockHash& tip) {
        // As bitcoind, which does not report old blocks.
        if (block_command_.empty() || settings_.is_initial_download) return;
        commands_.start(fill_in(block_command_, "%s", tip.to_hex()));
    }

    regtest::ChainFile& file_;
    DebugLog& log_;
    const std::string& block_command_;
    regtest::rpc::NodeSettings& settings_;
    front::LogLines lines_;
    front::TipNotices notices_;
    regtest::NodeEvents events_;
    ShellCommands commands_;
    std::string failure_;
};

/// The chain of the file. A new chain has the genesis block alone. Empty if a signal has arrived.
/// settings   must outlive the chain
std::optional<regtest::RegtestChain> read_chain(regtest::ChainFile& file,
                                                const regtest::rpc::NodeSettings& settings,
                                                const StopSignals& signals) {
    const auto clock = [&settings] { return settings.now(); };
    regtest::RegtestChain chain(regtest::RegtestChainOptions{
        settings.start_time, regtest::PurseKind::p2wpkh, clock, regtest::TransactionChecks::all});
    if (!file.read(chain, [&signals] { return signals.stopped(); })) return std::nullopt;
    file.append(chain);
    return chain;
}

std::unique_ptr<regtest::EmbeddedNode> serve_chain(const front::NodeOptions& options,
                                                   regtest::RegtestChain chain,
                                                   BitcoindObserver& observer) {
    regtest::ServerOptions server;
    server.host = options.listen.host;
    server.port = options.listen.port;
    server.listens = options.listens;
    server.max_connections = options.max_connections;
    server.behaviour = behaviour_of(options);
    server.on_change = [&observer](const regtest::RegtestChain& changed,
                                   const regtest::NodePeers& peers) {
        observer.on_change(changed, peers);
    };
    try {
        return std::make_unique<regtest::EmbeddedNode>(server, std::move(chain));
    } catch (const std::runtime_error& error) {
        throw InitError("Unable to bind to " + to_string(options.listen) + " on this computer" +
                        (is_port_taken(error) ? ". Bitcoin Core is probably already running."
                                              : " (" + listen_failure(error) + ")"));
    }
}

/// Serves until a signal or `stop`. Returns the exit status.
/// parent   the process that started this daemon, if it waits until the node serves
int serve_node(const BitcoindSettings& loaded, DebugLog& log, std::optional<DaemonParent>& parent) {
    const front::NodeOptions& options = loaded.options;
    const FolderLock lock(loaded.folder);
    const PidFile pid(options.pid_file);
    const StopSignals signals;
    regtest::rpc::NodeSettings settings = settings_of(options);
    log.init_message("Loading block index…");
    regtest::ChainFile file(loaded.folder / "chain.dat");
    std::optional<regtest::RegtestChain> chain = read_chain(file, settings, signals);
    if (!chain) {
        log.write("Shutdown requested. Exiting.");
        return 0;
    }
    if (file.cut_bytes() > 0) {
        log.write("[warning] the end of the stored chain was cut off or damaged: " +
                  std::to_string(file.cut_bytes()) + " bytes dropped");
    }
    log.write("Loaded best chain: hashBestChain=" + chain->tip().to_hex() +
              " height=" + std::to_string(chain->height()));
    BitcoindObserver observer(file, log, options.notify.block, settings);
    observer.begin(*chain);
    std::optional<BitcoindWallets> wallets;  // outlives the node's thread
    auto node = serve_chain(options, *std::move(chain), observer);
    if (options.listens) log.write("Bound to " + to_string(node->endpoint()));
    if (options.has_wallet) {
        log.init_message("Loading wallet…");
        node->run([&](regtest::RegtestChain& served, regtest::NodePeers&) {
            wallets.emplace(options, loaded.folder, served, settings, log);
            settings.wallets = &wallets->set();
        });
    }
    std::optional<BitcoindRpc> rpc;
    if (options.rpc.is_served) rpc.emplace(options.rpc, *node, settings, log);
    node->run([&options](regtest::RegtestChain&, regtest::NodePeers& peers) {
        for (const std::string& place : options.nodes) peers.add_node(place);
    });
    log.init_message("Done loading");
    ShellCommands startup;
    if (!options.notify.startup.empty()) startup.start(options.notify.startup);
    if (parent) parent->tell_success();
    signals.wait(std::nullopt, std::nullopt);
    if (!options.notify.shutdown.empty()) ShellCommands::run(options.notify.shutdown);
    log.write("Shutdown in progress...");
    node.reset();
    rpc.reset();
    if (observer.failure().empty()) return 0;
    throw InitError("A fatal internal error occurred: " + observer.failure());
}

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder / "wallets", error);
    if (error)
        throw InitError("Cannot create directory " + folder.string() + ": " + error.message());
}

/// Shows the error of a start, also in the log.
void show_error(const std::string& message, DebugLog* log) {
    if (log != nullptr) log->write("[error] " + message);
    std::cerr << "Error: " << message << std::endl;
}

int start_node(const BitcoindSettings& loaded) {
    const front::NodeOptions& options = loaded.options;
    make_folder(loaded.folder);
    // Before the fork, so that this process reports the error of a locked folder.
    static_cast<void>(FolderLock(loaded.folder));
    std::optional<DaemonParent> parent;
    if (options.is_daemon) {
        print_line("Bitcoin Core starting");
        parent.emplace(DaemonParent::fork());
        if (!options.waits_for_daemon) {
            parent->tell_success();
            parent.reset();
        }
    }
    DebugLog log(options.log_file, options.prints_log);
    log.write(version_line());
    log.write("Using data directory " + loaded.folder.string());
    if (!loaded.config_file.empty()) log.write("Config file: " + loaded.config_file.string());
    for (const std::string& warning : options.warnings) log.write("[warning] " + warning);
    try {
        const int status = serve_node(loaded, log, parent);
        log.write("Shutdown done");
        return status;
    } catch (const std::exception& error) {
        show_error(error.what(), &log);
        return 1;
    }
}

}  // namespace

int run_bitcoind(const std::vector<std::string>& arguments) {
    try {
        auto settings = front::Settings::parse(arguments);
        if (!settings) throw InitError(settings.error());
        if (settings->boolean("version", false)) {
            print_line(version_line());
            return 0;
        }
        const bool wants_help = settings->is_set("help") || settings->is_set("h") ||
                                settings->is_set("?") || settings->is_set("help-debug");
        if (wants_help) {
            print_line(bitcoind_help());
            return 0;
        }
        return start_node(load_bitcoind_settings(*std::move(settings)));
    } catch (const std::exception& error) {
        show_error(error.what(), nullptr);
        return 1;
    }
}

}  // namespace petal::cli
