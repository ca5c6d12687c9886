#include "cli/regtest/regtest_commands.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ostream>

#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/json.h"
#include "cli/options/option_values.h"
#include "cli/regtest/node_control.h"
#include "cli/stop_signals.h"
#include "cli/text.h"
#include "net/io/serve/embedded_node.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kDefaultBlocks = 120;
constexpr chain::Satoshis kPayment = 100'000'000;
constexpr std::size_t kMaxControlLine = 4'096;

/// The network of the environment or a config file is meant for other commands.
void check_network(const GlobalOptions& global) {
    const bool is_named = std::ranges::find(global.given, "--network") != global.given.end();
    if (!is_named || global.network->name == "regtest") return;
    throw usage_error("regtest-node is a node of regtest; --network " +
                      std::string(global.network->name) + " is of no use to it");
}

struct Payment {
    std::string address;
    chain::Bytes script;
    chain::Txid txid;
    std::uint32_t height = 0;
};

std::vector<Payment> parse_payments(const std::vector<std::string>& addresses) {
    std::vector<Payment> payments;
    for (const std::string& address : addresses) {
        auto script = wallet::parse_address(address, *chain::find_network("regtest"));
        if (!script) {
            throw CommandError(ExitStatus::failed, "bad-address",
                               "--pay: " + printable(address, 120) + ": " +
                                   std::string(wallet::describe(script.error())));
        }
        payments.push_back({address, *std::move(script), {}, 0});
    }
    return payments;
}

/// A chain of `blocks` blocks, each of the last of which holds one payment. Of more where none are
/// asked for and the payments need more.
net::RegtestChain make_chain(std::optional<std::uint32_t> blocks, std::vector<Payment>& payments) {
    net::RegtestChain chain;
    std::vector<chain::Transaction> transactions;
    // First of all, since the coins to pay with may have to be mined.
    for (Payment& payment : payments) {
        transactions.push_back(chain.make_payment({{kPayment, payment.script}}));
        payment.txid = transactions.back().txid();
    }
    const auto paying = static_cast<std::uint32_t>(payments.size());
    const std::uint32_t before = chain.height() + paying;
    if (blocks && before > *blocks) {
        throw usage_error("--blocks: must be at least " + format_count(before) + " for " +
                          count_of(paying, "payment") +
                          ", since mined coins can be spent only after 100 blocks");
    }
    const std::uint32_t wanted = blocks.value_or(kDefaultBlocks);
    if (before < wanted) chain.mine(wanted - before);
    for (std::size_t i = 0; i < payments.size(); ++i) {
        chain.mine_block({std::move(transactions[i])});
        payments[i].height = chain.height();
    }
    return chain;
}

Json listening_json(net::EmbeddedNode& node, NodeControl& control,
                    const std::vector<Payment>& payments) {
    Json json = {{"event", "listening"},
                 {"network", "regtest"},
                 {"address", to_string(node.endpoint())},
                 {"port", node.port()}};
    json.update(control.status());
    json["payments"] = Json::array();
    for (const Payment& payment : payments) {
        json["payments"].push_back({{"address", payment.address},
                                    {"amount_sat", kPayment},
                                    {"txid", payment.txid.to_hex()},
                                    {"height", payment.height}});
    }
    return json;
}

/// The lines of a stream that comes in pieces.
class LineBuffer {
public:
    /// Takes what is there to read; false at the end of the input.
    bool read_from(int descriptor) {
        std::array<char, 4'096> piece{};
        const ssize_t size = read(descriptor, piece.data(), piece.size());
        if (size < 0) return errno == EINTR || errno == EAGAIN;
        text_.append(piece.data(), static_cast<std::size_t>(size));
        return size > 0;
    }

    std::optional<std::string> next() {
        const std::size_t end = text_.find('\n');
        if (end == std::string::npos) {
            // A line that long is no command; what has come of it is dropped.
            if (text_.size() > kMaxControlLine) text_.clear();
            return std::nullopt;
        }
        std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
    }

private:
    std::string text_;
};

class NodeLoop {
public:
    NodeLoop(net::EmbeddedNode& node, NodeControl& control, const RegtestNodeOptions& options,
             Console& console)
        : node_(node), control_(control), options_(options), console_(console) {
        if (options.mine_every) next_block_ = Clock::now() + *options.mine_every;
    }

    void run(const StopSignals& signals) {
        const auto input = options_.control ? std::optional(STDIN_FILENO) : std::nullopt;
        for (;;) {
            switch (signals.wait(input, next_block_)) {
                case StopSignals::Event::stopped:
                    return;
                case StopSignals::Event::timeout:
                    node_.with_chain([](net::RegtestChain& chain) { chain.mine(); });
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
        const bool open = lines_.read_from(STDIN_FILENO);
        while (const auto line = lines_.next()) {
            console_.out() << to_line(control_.answer(*line)) << std::endl;
        }
        return open;
    }

    net::EmbeddedNode& node_;
    NodeControl& control_;
    const RegtestNodeOptions& options_;
    Console& console_;
    std::optional<Clock::time_point> next_block_;
    LineBuffer lines_;
};

void run_regtest_node(const RegtestNodeOptions& options, const GlobalOptions& global,
                      Console& console) {
    check_network(global);
    const StopSignals signals;
    std::vector<Payment> payments = parse_payments(options.pay);
    net::RegtestChain chain = make_chain(options.blocks, payments);
    std::optional<net::EmbeddedNode> node;
    try {
        net::ServerOptions server;
        server.port = options.port;
        server.behaviour.block_time = std::chrono::milliseconds{options.block_delay_ms};
        node.emplace(server, std::move(chain));
    } catch (const std::runtime_error& error) {
        // Boost adds in brackets which of its lines threw it.
        const std::string what = error.what();
        throw CommandError(ExitStatus::failed, "cannot-listen",
                           "cannot listen on port " + std::to_string(options.port) + ": " +
                               what.substr(0, what.find(" [")) +
                               "; choose another with --port, or 0 for any");
    }
    NodeControl control(*node);
    if (global.json) {
        console.out() << to_line(listening_json(*node, control, payments)) << std::endl;
    } else {
        const auto height = node->with_chain([](net::RegtestChain& of) { return of.height(); });
        console.out() << "regtest node at " << to_string(node->endpoint()) << ", block "
                      << format_count(height) << ", " << count_of(payments.size(), "payment")
                      << "; until interrupted" << std::endl;
    }
    NodeLoop(*node, control, options, console).run(signals);
}

CommandEntry add_regtest_node(CLI::App& root) {
    CLI::App* app = add_command(root, kTrying, "regtest-node",
                                "a small regtest node that serves Bloom filters");
    auto options = std::make_shared<RegtestNodeOptions>();
    options->port = 18'444;
    app->add_option("--port", options->port, "where to listen on 127.0.0.1 (default 18444; 0: any)")
        ->type_name("P")
        ->check(whole_number(0, 65'535));
    app->add_option("--blocks", options->blocks,
                    "how long the chain is, payments included (default: 120, or\n"
                    "as long as the payments need)")
        ->type_name("N")
        ->check(whole_number(1, 100'000));
    repeatable(app->add_option("--pay", options->pay,
                               "pay 1 BTC there in one of the last blocks, each in its own;\n"
                               "may be repeated"))
        ->type_name("ADDRESS");
    add_seconds(app, "--mine-every", options->mine_every,
                "mine a block at this interval (default: never)");
    app->add_option("--block-delay-ms", options->block_delay_ms,
                    "delay each requested block by this long (default: 0)")
        ->type_name("MS")
        ->check(whole_number(0, 60'000));
    app->add_flag("--control", options->control,
                  "take commands from standard input, one a line, and answer\n"
                  "each with one line of JSON; ends with the input");
    app->footer(
        "Prints one line once it listens (JSON with --json), and serves until it is "
        "interrupted.\n\n"
        "Commands with --control:\n"
        "  mine [COUNT] [ADDRESS]      mine blocks, their coinbases to the address\n"
        "  pay ADDRESS AMOUNT          put a payment into the mempool\n"
        "  reorganise DEPTH            replace the last DEPTH blocks by one more, empty ones\n"
        "  status                      height, tip, mempool, connections\n\n"
        "Example:\n"
        "  petal regtest-node --port 0 --pay bcrt1q… --json --control");
    return plain_entry(app, options, run_regtest_node);
}

}  // namespace

std::vector<CommandEntry> add_node_commands(CLI::App& root) {
    return {add_regtest_node(root)};
}

}  // namespace petal::cli
