/// Bitcoin Core as a peer of the embedded node: it validates the node's chain by itself.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "cli/regtest/demo_chain.h"
#include "net/io/clocks.h"
#include "net/io/serve/embedded_node.h"
#include "tests/integration/full_node.h"
#include "tests/integration/process.h"
#include "tests/integration/rpc.h"
#include "wallet/descriptors/address.h"

namespace petal::test {
namespace {

constexpr std::uint32_t kDemoBlocks = 500;

/// A Bitcoin Core that is connected to one node and has nothing else.
class CorePeer {
public:
    explicit CorePeer(const net::Endpoint& node)
        : rpc_port_(free_port()),
          rpc_(rpc_port_, "petal:petal"),
          process_({program(), "-regtest", "-listen=0", "-server=1", "-dnsseed=0",
                    "-connect=" + to_string(node), "-rpcport=" + std::to_string(rpc_port_),
                    "-rpcuser=petal", "-rpcpassword=petal", "-datadir=" + folder_.path(),
                    "-fallbackfee=0.0001"}) {}

    nlohmann::json call(const std::string& method, const nlohmann::json& parameters = {}) const {
        return rpc_.call(method, parameters.is_null() ? nlohmann::json::array() : parameters);
    }

    /// Whether the condition comes true within a minute; false too while calls fail.
    static bool wait_until(const std::function<bool()>& condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
        while (std::chrono::steady_clock::now() < deadline) {
            try {
                if (condition()) return true;
            } catch (const std::runtime_error&) {  // it is starting
            }
            std::this_thread::sleep_for(std::chrono::milliseconds{50});
        }
        return false;
    }
    bool reaches(net::EmbeddedNode& node) const {
        return wait_until([&] {
            const auto tip = node.with_chain([](net::RegtestChain& chain) { return chain.tip(); });
            return call("getbestblockhash") == tip.to_hex();
        });
    }

private:
    static std::string program() {
        const char* const named = std::getenv("BITCOIND");
        return named == nullptr ? find_program("bitcoind") : named;
    }

    TemporaryFolder folder_;
    std::uint16_t rpc_port_;
    RpcClient rpc_;
    Process process_;
};

cli::DemoChain::Keys demo_keys() {
    cli::DemoChain::Keys keys;
    for (std::uint32_t i = 0; i < 40; ++i) {
        keys.receive.push_back(net::RegtestKey::of_number(100 + i));
        keys.change.push_back(net::RegtestKey::of_number(200 + i));
    }
    return keys;
}

net::RegtestChain demo_chain() {
    cli::DemoChain demo(demo_keys(), net::unix_time_now() - std::int64_t{kDemoBlocks} * 600);
    while (demo.height() < kDemoBlocks) demo.mine_next(kDemoBlocks);
    return demo.take();
}

TEST(CorePeer, ReachesTheDemosTipAndTakesAndRefusesTheSameTransactions) {
    if (const auto missing = why_missing(NodeKind::bitcoind); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    net::EmbeddedNode node({}, demo_chain());
    const CorePeer core(node.endpoint());
    ASSERT_TRUE(core.reaches(node));
    EXPECT_EQ(core.call("getblockchaininfo").at("initialblockdownload"), false);

    core.call("createwallet", {"fresh"});
    const std::string address = core.call("getnewaddress");
    const auto script = wallet::parse_address(address, *chain::find_network("regtest")).value();
    const auto payment = node.with_chain([&](net::RegtestChain& chain) {
        return chain.make_payment({{100'000, script}});
    });
    auto wrong = payment;
    ++wrong.outputs[0].value;
    const auto verdict = core.call("testmempoolaccept", {{chain::to_hex(wrong.serialize())}});
    const auto refused =
        node.with_chain([&](net::RegtestChain& chain) { return chain.offer(wrong); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(verdict.at(0).at("reject-reason"), describe(refused.error()));

    node.with_chain([&](net::RegtestChain& chain) { chain.submit(payment); });
    const auto expected = nlohmann::json::array({payment.txid().to_hex()});
    EXPECT_TRUE(CorePeer::wait_until([&] { return core.call("getrawmempool") == expected; }));
    node.with_chain([](net::RegtestChain& chain) {
        chain.set_time(net::unix_time_now());
        chain.mine();
    });
    EXPECT_TRUE(core.reaches(node));
    EXPECT_EQ(core.call("getrawmempool").size(), 0U);
    EXPECT_EQ(core.call("getbalance"), 0.001);
}

}  // namespace
}  // namespace petal::test
