#include "cli/regtest/regtest_commands.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <system_error>

#include "chain/network_params.h"
#include "chain/transaction_rules.h"
#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/regtest/event_stream.h"
#include "cli/regtest/event_text.h"
#include "cli/regtest/node_payments.h"
#include "cli/regtest/start_node.h"
#include "cli/terminal/stop_signals.h"
#include "cli/terminal/wrap.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "net/io/clocks.h"
#include "net/io/dial/endpoint.h"
#include "regtest/chain/regtest_purse.h"
#include "regtest/rpc/fault_names.h"
#include "regtest/serve/chain_file.h"
#include "regtest/serve/embedded_node.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kDefaultBlocks = 120;
constexpr std::int64_t kNodeBlockSpacing = 600;
constexpr regtest::PurseKind kPurse = regtest::PurseKind::p2wpkh;

/// Refuses a network other than regtest on the command line. A network from the environment or a
/// config file is for commands with a wallet, and is ignored.
void check_network(const GlobalOptions& global) {
    const bool is_named = std::ranges::find(global.given, "--network") != global.given.end();
    if (!is_named || global.network->name == "regtest") return;
    throw usage_error("regtest-node is a node of regtest; --network " +
                      std::string(global.network->name) + " is of no use to it");
}

void check_bind(const std::string& address) {
    if (net::is_ip_address(address)) return;
    throw usage_error(
        "--bind: must be an IP address of this machine, as 127.0.0.1 or ::1, and not " +
        (address.empty() ? "empty" : printable(address, 60)));
}

/// The minimum length of a new chain with this number of payments. Without payments, the genesis
/// block suffices.
std::uint32_t least_length(std::size_t payments) {
    // The first payment spends the first block's coinbase.
    return payments == 0 ? 0 : chain::kCoinbaseMaturity + static_cast<std::uint32_t>(payments);
}

void check_length(std::uint32_t blocks, std::size_t payments) {
    if (blocks >= least_length(payments)) return;
    throw usage_error("--blocks: must be at least " + format_count(least_length(payments)) +
                      " for " + count_of(payments, "payment") +
                      ", since mined coins can be spent only after 100 blocks");
}

/// The result of `use`, which opens or reads a chain's file. Throws CommandError.
template <typename Use>
auto use_chain_file(Use use) {
    try {
        return use();
    } catch (const regtest::ChainFileError& error) {
        const bool is_damaged = error.kind() == regtest::ChainFileError::Kind::damaged;
        throw CommandError(is_damaged ? ExitStatus::damaged : ExitStatus::failed,
                           is_damaged ? "chain-damaged" : "chain-in-use",
                           printable(error.what(), 400));
    }
}

/// A chain of the requested length with one payment in each of the last blocks. If the file has a
/// chain with more than the genesis block, the file's chain with the payments on top. Without a
/// start time, the last block of a new chain has the current time.
/// settings   must outlive the chain
regtest::RegtestChain make_chain(const RegtestNodeOptions& options,
                                 const regtest::rpc::NodeSettings& settings,
                                 regtest::ChainFile* file, std::vector<NodePayment>& payments) {
    const std::uint32_t blocks =
        options.blocks.value_or(std::max(kDefaultBlocks, least_length(payments.size())));
    const std::int64_t age = (std::int64_t{std::max(blocks, 1U)} - 1) * kNodeBlockSpacing;
    const std::int64_t start = options.start_time.value_or(net::unix_time_now() - age);
    const auto clock = [&settings] { return settings.now(); };
    regtest::RegtestChain chain(
        regtest::RegtestChainOptions{start, kPurse, clock, regtest::TransactionChecks::all});
    if (file != nullptr) {
        use_chain_file([&] {
            file->read(chain);
            return true;
        });
    }
    if (chain.history().records().empty()) {
        check_length(blocks, payments.size());
        chain.mine(blocks - static_cast<std::uint32_t>(payments.size()));
    } else {
        chain.set_time(settings.block_time());
    }
    make_node_payments(payments, chain);
    return chain;
}

/// Records the options that the user gave.
regtest::rpc::NodeSettings settings_of(const RegtestNodeOptions& options) {
    regtest::rpc::NodeSettings settings;
    settings.clock =
        options.start_time ? regtest::rpc::BlockClock::chain : regtest::rpc::BlockClock::machine;
    settings.machine_time = net::unix_time_now;
    settings.start_time = net::unix_time_now();
    settings.stop = StopSignals::stop;
    settings.behaviour.block_time = std::chrono::milliseconds{options.block_delay_ms};
    settings.behaviour.mempool = settings.policy;
    return settings;
}

regtest::ServerOptions server_options(const RegtestNodeOptions& options,
                                      const regtest::rpc::NodeSettings& settings) {
    regtest::ServerOptions server;
    server.host = options.bind;
    server.port = options.port;
    server.behaviour = settings.behaviour;
    for (const std::string& fault : options.faults) {
        const std::string wrong = regtest::rpc::add_faults(server.behaviour, fault);
        if (!wrong.empty()) throw usage_error("--fault: " + printable(wrong, 120));
    }
    return server;
}

/// The address that the node mines to. A wallet can pay this address.
std::string own_address() {
    return wallet::address_of(regtest::purse_script(kPurse), *chain::find_network("regtest"));
}

Json listening_json(regtest::EmbeddedNode& node, const RpcAccess* access,
                    const std::vector<NodePayment>& payments) {
    Json json = {{"event", "listening"},
                 {"network", "regtest"},
                 {"address", to_string(node.endpoint())},
                 {"port", node.port()}};
    if (access != nullptr) json["rpc_port"] = access->port();
    if (access != nullptr && !access->cookie_file().empty()) {
        json["rpc_cookie_file"] = access->cookie_file();
    }
    node.with_chain([&json](regtest::RegtestChain& chain) {
        json["height"] = chain.height();
        json["tip"] = chain.tip().to_hex();
        json["mempool"] = chain.mempool().transactions().size();
    });
    json["connections"] = node.connection_count();
    json["own_address"] = own_address();
    json["payments"] = to_json(payments);
    return json;
}

std::string rpc_text(const Json& listening) {
    if (!listening.contains("rpc_port")) return "";
    std::string text = "RPC on port " + std::to_string(listening.at("rpc_port").get<int>());
    if (listening.contains("rpc_cookie_file")) {
        text += " with " + listening.at("rpc_cookie_file").get<std::string>();
    }
    return text;
}

/// One line for a pipe, several short lines for a terminal.
std::string listening_text(const Json& listening, const Console& console) {
    const std::string place = "regtest node at " + listening.at("address").get<std::string>() +
                              ", block " +
                              format_count(listening.at("height").get<std::uint64_t>()) + ", " +
                              count_of(listening.at("payments").size(), "payment");
    const std::string rpc = rpc_text(listening);
    const std::string own = "own address " + listening.at("own_address").get<std::string>();
    if (!console.terminals().out) {
        return place + (rpc.empty() ? "" : ", " + rpc) + ", " + own + "; until interrupted";
    }
    return wrap(place + "\n" + (rpc.empty() ? "" : rpc + "\n") + own +
                    "\nuntil interrupted, a line for each block, payment, client and filter:",
                console.out_columns());
}

/// The file of the chain in the data folder named by the user. Null without one.
std::unique_ptr<regtest::ChainFile> open_chain_file(const GlobalOptions& global) {
    if (std::ranges::find(global.given, "--datadir") == global.given.end()) return nullptr;
    GlobalOptions regtest = global;
    regtest.network = table_network("regtest");
    make_network_folder(regtest);
    const auto file = data_of(regtest).folder() / "chain.dat";
    return use_chain_file([&file] { return std::make_unique<regtest::ChainFile>(file); });
}

/// Stores the chain and reports events, on the node's thread.
class NodeObserver {
public:
    enum class Form : std::uint8_t { none, json, words };

    /// The console and the stream must outlive the observer.
    NodeObserver(regtest::ChainFile* file, EventStream& stream, Form form, const Console& console)
        : file_(file),
          events_([&stream, form, &console](const regtest::NodeEvent& event) {
              if (form == Form::words) {
                  stream.push(wrap(words_of(event), console.out_columns()));
              } else if (!std::holds_alternative<regtest::FilterEvent>(event)) {
                  stream.push(to_line(to_json(event)));
              }
          }),
          tells_(form != Form::none) {}

    void begin(const regtest::RegtestChain& chain) { events_.begin(chain); }

    /// Ends the node if the chain can't be stored.
    void on_change(const regtest::RegtestChain& chain, const regtest::NodePeers& peers) {
        try {
            if (file_ != nullptr && failure_.empty()) file_->append(chain);
        } catch (const std::system_error& error) {
            failure_ = error.what();
            StopSignals::stop();
        }
        if (tells_) events_.on_change(chain, peers);
    }

    /// Why the chain could not be stored. Empty without a failure.
    const std::string& failure() const { return failure_; }

private:
    regtest::ChainFile* file_;
    regtest::NodeEvents events_;
    bool tells_;
    std::string failure_;
};

void warn_of_cut(const regtest::ChainFile* file, Console& console) {
    if (file == nullptr || file->cut_bytes() == 0) return;
    console.warn("the end of the stored chain was cut off or damaged: " +
                 format_bytes(file->cut_bytes()) + " dropped");
}

/// Mines a block at each interval, if an interval is given.
void serve_until_stopped(regtest::EmbeddedNode& node, regtest::rpc::NodeSettings& settings,
                         std::optional<std::chrono::milliseconds> mine_every,
                         const StopSignals& signals) {
    std::optional<Clock::time_point> next_block;
    if (mine_every) next_block = Clock::now() + *mine_every;
    while (signals.wait(std::nullopt, next_block) == StopSignals::Event::timeout) {
        node.run([&settings](regtest::RegtestChain& chain, regtest::NodePeers& peers) {
            regtest::rpc::RpcNode{chain, peers, settings}.set_block_time();
            chain.mine(1);
        });
        next_block = Clock::now() + *mine_every;
    }
}

void run_regtest_node(const RegtestNodeOptions& options, const GlobalOptions& global,
                      Console& console) {
    check_network(global);
    check_bind(options.bind);
    check_rpc_options(options.rpc);
    const StopSignals signals;
    std::vector<NodePayment> payments = parse_node_payments(options.pay);
    regtest::rpc::NodeSettings settings = settings_of(options);
    const auto file = open_chain_file(global);
    regtest::RegtestChain chain = make_chain(options, settings, file.get(), payments);
    warn_of_cut(file.get(), console);
    EventStream stream(console.out(), STDOUT_FILENO);
    using Form = NodeObserver::Form;
    NodeObserver observer(file.get(), stream,
                          global.json               ? Form::json
                          : console.terminals().out ? Form::words
                                                    : Form::none,
                          console);
    if (file) file->append(chain);
    observer.begin(chain);
    regtest::ServerOptions server = server_options(options, settings);
    server.on_change = [&observer](const regtest::RegtestChain& changed,
                                   const regtest::NodePeers& peers) {
        observer.on_change(changed, peers);
    };
    const auto node = start_node(server, std::move(chain), "--port");
    std::optional<RpcAccess> access;
    if (options.rpc.port) access.emplace(options.rpc, global, console, *node, settings);
    const Json listening = listening_json(*node, access ? &*access : nullptr, payments);
    stream.write(global.json ? to_line(listening) : listening_text(listening, console));
    serve_until_stopped(*node, settings, options.mine_every, signals);
    node->run([&observer](regtest::RegtestChain&, regtest::NodePeers&) {
        if (observer.failure().empty()) return;
        throw CommandError(ExitStatus::failed, "unwritable-file", observer.failure());
    });
}

/// Adds the options of how the node answers peers.
void add_serving_options(CLI::App* app, RegtestNodeOptions& options) {
    app->add_option("--bind", options.bind,
                    "listen on this address of the machine, IPv6 too (default: 127.0.0.1)")
        ->type_name("ADDRESS");
    repeatable(
        app->add_option("--fault", options.faults,
                        "misbehave, after N blocks or messages, or at the transaction; may be "
                        "repeated (names below)"))
        ->type_name("NAME[=N|TXID]")
        ->check(not_empty());
    app->add_option("--block-delay-ms", options.block_delay_ms,
                    "delay each requested block by this long (default: 0)")
        ->type_name("MS")
        ->check(whole_number(0, 60'000));
}

std::string node_footer() {
    return "Faults, each on every connection, after N blocks, or at the transaction TXID alone:\n" +
           regtest::rpc::fault_help() +
           "\n"
           "Serves Bloom filters (BIP37) and block filters (BIP157), unless a fault says "
           "otherwise. "
           "Prints one line once it listens (JSON with --json), and serves until it is "
           "interrupted. "
           "With --json, and on a terminal, prints one line more for each block, reorganisation, "
           "transaction and connection; on a terminal, for each filter, too. "
           "With --datadir DIR, the chain is kept in DIR/regtest/chain.dat, and continued at "
           "the next start.\n\n"
           "Transactions are accepted and refused as in Bitcoin Core by default, and scripts are "
           "run. "
           "Payments come from mined coins, which can be spent after 100 blocks.\n\n"
           "With --rpc P, bitcoin-cli -rpcport=P -rpccookiefile=FILE and other JSON-RPC clients "
           "drive "
           "it: generatetoaddress, sendtoaddress, invalidateblock, setfault and others (help lists "
           "them).\n\n"
           "Examples:\n"
           "  petal regtest-node --pay bcrt1q… --mine-every 30\n"
           "  petal regtest-node --port 0 --rpc 0 --json";
}

}  // namespace

std::vector<CommandEntry> add_node_commands(CLI::App& root) {
    CLI::App* app = add_command(root, kTrying, "regtest-node",
                                "a small regtest node that serves Bloom and compact filters");
    auto options = std::make_shared<RegtestNodeOptions>();
    options->port = chain::find_network("regtest")->default_port;
    app->add_option("--port", options->port,
                    "port to listen on (default: " + std::to_string(options->port) + "; 0: any)")
        ->type_name("P")
        ->check(whole_number(0, 65'535));
    app->add_option("--blocks", options->blocks,
                    "length of a new chain, payments included (default: 120, or more if the "
                    "payments need it: 100 and one for each)")
        ->type_name("N")
        ->check(whole_number(0, 100'000));
    repeatable(app->add_option(
                   "--pay", options->pay,
                   "pay 1 BTC or AMOUNT there, each payment in a block of its own: the last "
                   "blocks, or new ones on a kept chain; a payment link (bitcoin:...) will do; "
                   "may be repeated"))
        ->type_name("ADDRESS[=AMOUNT]");
    add_seconds(app, "--mine-every", options->mine_every,
                "mine a block at this interval (default: never)");
    app->add_option("--start-time", options->start_time,
                    "time of the first block, Unix seconds; the others follow ten minutes apart, "
                    "even in the future (default: chosen so that the last block has the current "
                    "time)")
        ->type_name("T")
        ->check(whole_number(1'296'688'603, 4'000'000'000));
    add_serving_options(app, *options);
    add_rpc_options(app, options->rpc);
    app->footer(node_footer());
    return without_secrets({without_folder(plain_entry(app, options, run_regtest_node))});
}

}  // namespace petal::cli
