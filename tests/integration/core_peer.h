/// Bitcoin Core as a peer of the embedded node, with Core's wallets.
#pragma once

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cli/regtest/temporary_folder.h"
#include "regtest/serve/embedded_node.h"
#include "tests/integration/full_node.h"
#include "tests/integration/process.h"
#include "tests/integration/rpc.h"
#include "tests/support/ports.h"

namespace petal::test {

/// Bitcoin Core, connected to only one node.
class CorePeer {
public:
    /// more   options
    explicit CorePeer(const net::Endpoint& node, const std::vector<std::string>& more = {})
        : rpc_port_(free_port()), rpc_(rpc_port_, "petal:petal"), process_(command(node, more)) {}

    nlohmann::json call(const std::string& method, const nlohmann::json& parameters = {}) const {
        return rpc_.call(method, parameters.is_null() ? nlohmann::json::array() : parameters);
    }

    /// Whether the condition becomes true within three minutes. Failing calls count as false.
    static bool wait_until(const std::function<bool()>& condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{3};
        while (std::chrono::steady_clock::now() < deadline) {
            try {
                if (condition()) return true;
            } catch (const std::runtime_error&) {  // Core is starting
            }
            std::this_thread::sleep_for(std::chrono::milliseconds{50});
        }
        return false;
    }
    bool reaches(regtest::EmbeddedNode& node) const {
        return wait_until([&] {
            const auto tip =
                node.with_chain([](regtest::RegtestChain& chain) { return chain.tip(); });
            return call("getbestblockhash") == tip.to_hex();
        });
    }

    /// Core's log, for the message of a failure.
    std::string log() const {
        std::ifstream file(folder_.path() / "regtest/debug.log");
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    std::vector<std::string> command(const net::Endpoint& node,
                                     const std::vector<std::string>& more) const {
        std::vector<std::string> words = {bitcoind_path(),
                                          "-regtest",
                                          "-server=1",
                                          "-dnsseed=0",
                                          "-connect=" + to_string(node),
                                          "-rpcport=" + std::to_string(rpc_port_),
                                          "-rpcuser=petal",
                                          "-rpcpassword=petal",
                                          "-datadir=" + folder_.path().string(),
                                          "-fallbackfee=0.0001",
                                          "-debug=net"};
        words.insert(words.end(), more.begin(), more.end());
        const auto is_listen = [](const auto& word) { return word.starts_with("-listen"); };
        if (std::ranges::none_of(more, is_listen)) words.emplace_back("-listen=0");
        return words;
    }

    cli::TemporaryFolder folder_;
    std::uint16_t rpc_port_;
    RpcClient rpc_;
    Process process_;
};

}  // namespace petal::test
