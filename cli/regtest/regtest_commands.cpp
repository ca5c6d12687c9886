#include "cli/regtest/regtest_commands.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <ostream>

#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/json.h"
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

}  // namespace

void run_regtest_node(const RegtestNodeOptions& options, const GlobalOptions& global,
                      Console& console) {
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

}  // namespace petal::cli
