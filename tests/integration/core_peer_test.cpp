/// Bitcoin Core as a peer of the embedded node: it validates the chain of that node itself.
#include <gtest/gtest.h>

#include <string>

#include "cli/regtest/demo_chain.h"
#include "net/io/clocks.h"
#include "regtest/serve/embedded_node.h"
#include "tests/integration/core_peer.h"
#include "tests/integration/full_node.h"
#include "wallet/descriptors/address.h"

namespace petal::test {
namespace {

constexpr std::uint32_t kDemoBlocks = 500;

cli::DemoChain::Keys demo_keys() {
    cli::DemoChain::Keys keys;
    for (std::uint32_t i = 0; i < 40; ++i) {
        keys.receive.push_back(regtest::RegtestKey::of_number(100 + i));
        keys.change.push_back(regtest::RegtestKey::of_number(200 + i));
    }
    return keys;
}

regtest::RegtestChain demo_chain() {
    cli::DemoChain demo(demo_keys(), net::unix_time_now() - std::int64_t{kDemoBlocks} * 600);
    while (demo.height() < kDemoBlocks) demo.mine_next(kDemoBlocks);
    return demo.take();
}

TEST(CorePeer, ReachesTheDemosTipAndTakesAndRefusesTheSameTransactions) {
    if (const auto missing = why_missing(NodeKind::bitcoind); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    regtest::EmbeddedNode node({}, demo_chain());
    const CorePeer core(node.endpoint());
    ASSERT_TRUE(core.reaches(node)) << core.log();
    EXPECT_EQ(core.call("getblockchaininfo").at("initialblockdownload"), false);

    core.call("createwallet", {"fresh"});
    const std::string address = core.call("getnewaddress");
    const auto script = wallet::parse_address(address, *chain::find_network("regtest")).value();
    const auto payment = node.with_chain([&](regtest::RegtestChain& chain) {
        return chain.make_payment({{100'000, script}});
    });
    auto wrong = payment;
    ++wrong.outputs[0].value;
    const auto verdict = core.call("testmempoolaccept", {{chain::to_hex(wrong.serialize())}});
    const auto refused =
        node.with_chain([&](regtest::RegtestChain& chain) { return chain.offer(wrong); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(verdict.at(0).at("reject-reason"), describe(refused.error()));

    node.with_chain([&](regtest::RegtestChain& chain) { chain.submit(payment); });
    const auto expected = nlohmann::json::array({payment.txid().to_hex()});
    EXPECT_TRUE(CorePeer::wait_until([&] { return core.call("getrawmempool") == expected; }));
    node.with_chain([](regtest::RegtestChain& chain) {
        chain.set_time(net::unix_time_now());
        chain.mine();
    });
    EXPECT_TRUE(core.reaches(node)) << core.log();
    EXPECT_EQ(core.call("getrawmempool").size(), 0U);
    EXPECT_EQ(core.call("getbalance"), 0.001);
}

}  // namespace
}  // namespace petal::test
