#include "cli/regtest/regtest_commands.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <system_error>

#include "chain/network_params.h"
#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "cli/json.h"
#include "cli/options/option_values.h"
#include "cli/regtest/chain_file.h"
#include "cli/regtest/event_stream.h"
#include "cli/regtest/line_buffer.h"
#include "cli/regtest/node_control.h"
#include "cli/regtest/node_events.h"
#include "cli/regtest/node_payments.h"
#include "cli/regtest/start_node.h"
#include "cli/stop_signals.h"
#include "cli/terminal/wrap.h"
#include "cli/text.h"
#include "net/io/clocks.h"
#include "net/io/dial/endpoint.h"
#include "regtest/chain/regtest_purse.h"
#include "regtest/mempool/script_checks.h"
#include "regtest/rpc/fault_names.h"
#include "regtest/rpc/json_text.h"
#include "regtest/serve/embedded_node.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kDefaultBlocks = 120;
constexpr std::int64_t kNodeBlockSpacing = 600;
constexpr regtest::PurseKind kPurse = regtest::PurseKind::p2wpkh;
/// Room for the largest transaction that is relayed.
constexpr std::size_t kMaxControlLine = 1'000'000;

/// A network from the environment or a config file is for other commands.
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

/// The minimum length of a new chain with this number of payments. Without payments, it may have
/// only the genesis block.
std::uint32_t least_length(std::size_t payments) {
    // The first payment spends the first block's coinbase.
    return payments == 0 ? 0 : regtest::kCoinbaseMaturity + static_cast<std::uint32_t>(payments);
}

void check_length(std::uint32_t blocks, std::size_t payments) {
    if (blocks >= least_length(payments)) return;
    throw usage_error("--blocks: must be at least " + format_count(least_length(payments)) +
                      " for " + count_of(payments, "payment") +
                      ", since mined coins can be spent only after 100 blocks");
}

/// A chain of the requested length, whose last blocks have one payment each; or the file's chain,
/// if it has more than the genesis block, followed by the payments. Without a start time, the last
/// block has the current time.
/// settings   must outlive the chain
regtest::RegtestChain make_chain(const RegtestNodeOptions& options,
                                 const regtest::rpc::NodeSettings& settings, ChainFile* file,
                                 std::vector<NodePayment>& payments) {
    const std::uint32_t blocks =
        options.blocks.value_or(std::max(kDefaultBlocks, least_length(payments.size())));
    const std::int64_t age = (std::int64_t{std::max(blocks, 1U)} - 1) * kNodeBlockSpacing;
    const std::int64_t start = options.start_time.value_or(net::unix_time_now() - age);
    const auto clock = [&settings] { return settings.now(); };
    // A reorganisation returns the transactions of another node's block to the mempool, even if
    // their scripts are not run here.
    constexpr auto kChecksOfReturned = regtest::TransactionChecks::unjudged_scripts;
    regtest::RegtestChain chain(
        regtest::RegtestChainOptions{start, kPurse, clock, kChecksOfReturned});
    if (file != nullptr) file->read(chain);
    if (chain.history().records().empty()) {
        check_length(blocks, payments.size());
        chain.mine(blocks - static_cast<std::uint32_t>(payments.size()));
    } else {
        chain.set_time(settings.block_time());
    }
    make_node_payments(payments, chain);
    return chain;
}

/// The options are recorded as the user gave them.
regtest::rpc::NodeSettings settings_of(const RegtestNodeOptions& options) {
    regtest::rpc::NodeSettings settings;
    if (options.accept_unchecked_scripts) {
        settings.policy.checks = regtest::TransactionChecks::unjudged_scripts;
    }
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

/// The address of the node's own coins, to which it mines, and which a wallet can pay.
std::string own_address() {
    return wallet::address_of(regtest::purse_script(kPurse), *chain::find_network("regtest"));
}

/// scripts   whether spends of unchecked scripts are taken
Json listening_json(regtest::EmbeddedNode& node, NodeControl& control, const RpcAccess* access,
                    regtest::TransactionChecks scripts, const std::vector<NodePayment>& payments) {
    Json json = {{"event", "listening"},
                 {"network", "regtest"},
                 {"address", to_string(node.endpoint())},
                 {"port", node.port()}};
    if (access != nullptr) json["rpc_port"] = access->port();
    if (access != nullptr && !access->cookie_file().empty()) {
        json["rpc_cookie_file"] = access->cookie_file();
    }
    json.update(control.status());
    json["checks"] = regtest::checked_spends();
    json["accepts_unchecked_scripts"] = scripts == regtest::TransactionChecks::unjudged_scripts;
    json["own_address"] = own_address();
    json["payments"] = to_json(payments);
    return json;
}

std::string scripts_text(const Json& listening) {
    const auto checked = listening.at("checks").get<std::vector<std::string>>();
    return "checks spends of " + comma_list(checked) +
           (listening.at("accepts_unchecked_scripts").get<bool>() ? "; accepts others unchecked"
                                                                  : "; refuses others");
}

std::string rpc_text(const Json& listening) {
    if (!listening.contains("rpc_port")) return "";
    std::string text = "RPC on port " + std::to_string(listening.at("rpc_port").get<int>());
    if (listening.contains("rpc_cookie_file")) {
        text += " with " + listening.at("rpc_cookie_file").get<std::string>();
    }
    return text;
}

/// One line for a pipe, and several short ones for a terminal.
/// is_controlled   whether the node reads commands, and ends with them
std::string listening_text(const Json& listening, bool is_controlled, const Console& console) {
    const std::string place = "regtest node at " + listening.at("address").get<std::string>() +
                              ", block " +
                              format_count(listening.at("height").get<std::uint64_t>()) + ", " +
                              count_of(listening.at("payments").size(), "payment");
    const std::string rpc = rpc_text(listening);
    const std::string own = "own address " + listening.at("own_address").get<std::string>();
    const std::string end = is_controlled ? "until quit or the end of input" : "until interrupted";
    if (!console.terminals().out) {
        return place + (rpc.empty() ? "" : ", " + rpc) + ", " + own + "; " +
               scripts_text(listening) + "; " + end;
    }
    return wrap(place + "\n" + (rpc.empty() ? "" : rpc + "\n") + own + "\n" + end +
                    ", a line for each block, payment, client and filter:",
                console.out_columns());
}

/// The file of the chain in the data folder named by the user; null without one.
std::unique_ptr<ChainFile> open_chain_file(const GlobalOptions& global) {
    if (std::ranges::find(global.given, "--datadir") == global.given.end()) return nullptr;
    GlobalOptions regtest = global;
    regtest.network = table_network("regtest");
    make_network_folder(regtest);
    return std::make_unique<ChainFile>(header_file(regtest).parent_path() / "chain.dat");
}

/// Stores the chain and reports events, on the node's thread.
class NodeObserver {
public:
    enum class Form : std::uint8_t { none, json, words };

    /// The console and the stream must outlive it.
    NodeObserver(ChainFile* file, EventStream& stream, Form form, const Console& console)
        : file_(file),
          events_(
              [&stream, form, &console](const Json& event) {
                  stream.push(form == Form::json ? to_line(event)
                                                 : wrap(words_of(event), console.out_columns()));
              },
              /*tells_of_filters=*/form == Form::words),
          tells_(form != Form::none) {}

    void begin(const regtest::RegtestChain& chain) { events_.begin(chain); }

    /// A chain that can't be kept ends the node.
    void on_change(const regtest::RegtestChain& chain, const regtest::NodePeers& peers) {
        try {
            if (file_ != nullptr && failure_.empty()) file_->append(chain);
        } catch (const std::system_error& error) {
            failure_ = error.what();
            StopSignals::stop();
        }
        if (tells_) events_.on_change(chain, peers);
    }

    /// Why the chain could not be kept; empty if it was.
    const std::string& failure() const { return failure_; }

private:
    ChainFile* file_;
    NodeEvents events_;
    bool tells_;
    std::string failure_;
};

void warn_of_cut(const ChainFile* file, Console& console) {
    if (file == nullptr || file->cut_bytes() == 0) return;
    console.warn("the end of the stored chain was cut off or damaged: " +
                 format_bytes(file->cut_bytes()) + " dropped");
}

class NodeLoop {
public:
    NodeLoop(NodeControl& control, const RegtestNodeOptions& options, EventStream& stream)
        : control_(control), options_(options), stream_(stream) {
        if (options.mine_every) next_block_ = Clock::now() + *options.mine_every;
    }

    void run(const StopSignals& signals) {
        const auto input = options_.control ? std::optional(STDIN_FILENO) : std::nullopt;
        for (;;) {
            switch (signals.wait(input, next_block_)) {
                case StopSignals::Event::stopped:
                    return;
                case StopSignals::Event::timeout:
                    control_.mine_blocks(1);
                    next_block_ = Clock::now() + *options_.mine_every;
                    break;
                case StopSignals::Event::input:
                    if (!take_commands()) return;
                    break;
            }
        }
    }

private:
    bool take_commands() {
        std::array<char, 4'096> piece{};
        const ssize_t size = read(STDIN_FILENO, piece.data(), piece.size());
        if (size < 0) return errno == EINTR || errno == EAGAIN;
        lines_.append({piece.data(), static_cast<std::size_t>(size)});
        while (const auto line = lines_.next()) {
            const Json answer = line->too_long ? too_long_error() : control_.answer(line->text);
            stream_.write(escape_json_controls(regtest::rpc::to_text(answer)));
            if (control_.wants_to_quit()) return false;
        }
        return size > 0;
    }

    static Json too_long_error() {
        return error_json(usage_error("a line has more than " + format_count(kMaxControlLine) +
                                      " characters; it was not read"));
    }

    NodeControl& control_;
    const RegtestNodeOptions& options_;
    EventStream& stream_;
    std::optional<Clock::time_point> next_block_;
    LineBuffer lines_{kMaxControlLine};
};

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
    NodeControl control(*node, settings);
    std::optional<RpcAccess> access;
    if (options.rpc.port) access.emplace(options.rpc, global, console, *node, settings);
    const Json listening = listening_json(*node, control, access ? &*access : nullptr,
                                          settings.policy.checks, payments);
    stream.write(global.json ? to_line(listening)
                             : listening_text(listening, options.control, console));
    NodeLoop(control, options, stream).run(signals);
    node->run([&observer](regtest::RegtestChain&, regtest::NodePeers&) {
        if (observer.failure().empty()) return;
        throw CommandError(ExitStatus::failed, "unwritable-file", observer.failure());
    });
}

/// How the node answers its peers.
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
           "Prints one line once it listens (JSON with --json), and serves until it is "
           "interrupted. "
           "With --json, and on a terminal, prints one line more for each block, reorganisation, "
           "transaction and connection; on a terminal, for each filter, too. "
           "With --datadir DIR, the chain is kept in DIR/regtest/chain.dat, and continued at "
           "the next start.\n\n"
           "Commands with --control:\n"
           "  mine [COUNT] [ADDRESS]      mine blocks, their coinbases to the address\n"
           "  pay ADDRESS AMOUNT          put a payment into the mempool\n"
           "  fault NAME[=N],... [PEER]   misbehave from now on, to one peer or all\n"
           "  submit HEX                  accept a transaction like a peer's, or say why not\n"
           "  reorg DEPTH                 replace the last DEPTH blocks by DEPTH+1 empty blocks "
           "(reorganise and reorganize, too)\n"
           "  status                      height, tip, mempool, connections\n"
           "  help [COMMAND], quit\n"
           "  METHOD [ARGUMENT...]        any method of the RPC interface; words with blanks, and "
           "the empty one, in quotes as in a shell, JSON without\n\n"
           "Transactions are accepted and refused as in Bitcoin Core by default. Signatures of "
           "P2PK, P2PKH and multisig, bare and within P2SH and P2WSH, and of P2WPKH, P2SH-P2WPKH "
           "and "
           "P2TR key paths are checked; P2A needs none; other scripts are refused. Payments come "
           "from "
           "mined coins, which can be spent after 100 blocks.\n\n"
           "Example:\n"
           "  petal regtest-node --port 0 --pay bcrt1q… --json --control";
}

CommandEntry add_regtest_node(CLI::App& root) {
    CLI::App* app = add_command(root, kTrying, "regtest-node",
                                "a small regtest node that serves Bloom filters");
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
    app->add_flag("--accept-unchecked-scripts", options->accept_unchecked_scripts,
                  "accept transactions that spend scripts which are not checked");
    add_serving_options(app, *options);
    app->add_flag("--control", options->control,
                  "read commands from standard input, one a line, and answer each with one "
                  "line of JSON; ends with the input");
    add_rpc_options(app, options->rpc);
    app->footer(node_footer());
    return without_folder(plain_entry(app, options, run_regtest_node));
}

}  // namespace

std::vector<CommandEntry> add_node_commands(CLI::App& root) {
    return {add_regtest_node(root)};
}

}  // namespace petal::cli
