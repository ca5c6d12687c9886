/// Bitcoin Core as a peer of the embedded node: it validates the chain of that node itself.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/regtest/demo_chain.h"
#include "net/io/clocks.h"
#include "regtest/serve/embedded_node.h"
#include "tests/integration/core_peer.h"
#include "tests/integration/full_node.h"
#include "tests/support/plain_client.h"
#include "tests/support/ports.h"
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

/// A node's messages in answer to a request for block filters, and whether it then disconnects.
struct FilterAnswer {
    std::vector<net::Message> messages;
    bool is_disconnected = false;

    friend bool operator==(const FilterAnswer&, const FilterAnswer&) = default;
};

FilterAnswer filter_answer(const net::Endpoint& node, const net::Message& request) {
    PlainClient client(node);
    client.shake_hands();
    client.send(request);
    constexpr std::uint64_t kLastPing = 0x600d;
    client.send(net::Ping{kLastPing});
    FilterAnswer answer;
    try {
        for (;;) {
            auto message = client.receive_any();
            if (message == net::Message(net::Pong{kLastPing})) return answer;
            const bool is_answer = message && (std::holds_alternative<net::CFilter>(*message) ||
                                               std::holds_alternative<net::CFHeaders>(*message) ||
                                               std::holds_alternative<net::CFCheckpt>(*message));
            if (is_answer) answer.messages.push_back(*std::move(message));
        }
    } catch (const std::runtime_error&) {
        answer.is_disconnected = true;
    }
    return answer;
}

/// 2,100 blocks with some payments, up to the current time.
regtest::RegtestChain long_chain() {
    constexpr std::uint32_t kBlocks = 2'100;
    regtest::RegtestChain chain(
        {net::unix_time_now() - std::int64_t{kBlocks} * 600, regtest::PurseKind::p2wpkh});
    chain.mine(200);
    for (chain::Byte i = 1; i <= 20; ++i) {
        chain.pay(chain::Bytes(22, i), 10'000);
        chain.pay(chain::Bytes{0x51, i}, 20'000);
        chain.mine();
    }
    chain.mine(kBlocks - chain.height());
    return chain;
}

TEST(CorePeer, ServesTheSameBlockFilters) {
    if (const auto missing = why_missing(NodeKind::bitcoind); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    regtest::EmbeddedNode node({}, long_chain());
    const net::Endpoint core_place{"127.0.0.1", free_port()};
    const CorePeer core(node.endpoint(), {"-listen=1", "-bind=" + to_string(core_place),
                                          "-blockfilterindex=1", "-peerblockfilters=1"});
    ASSERT_TRUE(core.reaches(node)) << core.log();
    ASSERT_TRUE(CorePeer::wait_until([&] {
        const auto index = core.call("getindexinfo")["basic block filter index"];
        return index["synced"] && index["best_block_height"] == core.call("getblockcount");
    }));

    const auto hash_at = [&](std::uint32_t height) {
        return node.with_chain(
            [height](regtest::RegtestChain& chain) { return chain.blocks().at(height).hash; });
    };
    constexpr auto kBasic = net::BlockFilterType::basic;
    constexpr auto kOther = static_cast<net::BlockFilterType>(1);
    const chain::BlockHash unknown{{1, 2, 3}};
    const std::vector<net::Message> requests = {
        net::GetCFilters{kBasic, 0, hash_at(999)},
        net::GetCFilters{kBasic, 1'000, hash_at(1'999)},
        net::GetCFilters{kBasic, 2'100, hash_at(2'100)},
        net::GetCFHeaders{kBasic, 0, hash_at(1'999)},
        net::GetCFHeaders{kBasic, 2'000, hash_at(2'100)},
        net::GetCFCheckpt{kBasic, hash_at(2'100)},
        net::GetCFCheckpt{kBasic, hash_at(1'000)},
        net::GetCFCheckpt{kBasic, hash_at(999)},
        net::GetCFCheckpt{kBasic, hash_at(0)},
        // Each of these ends the connection.
        net::GetCFilters{kBasic, 0, hash_at(1'000)},
        net::GetCFHeaders{kBasic, 0, hash_at(2'000)},
        net::GetCFilters{kBasic, 2, hash_at(1)},
        net::GetCFHeaders{kBasic, 2, hash_at(1)},
        net::GetCFilters{kOther, 0, hash_at(1)},
        net::GetCFHeaders{kOther, 0, hash_at(1)},
        net::GetCFCheckpt{kOther, hash_at(1)},
        net::GetCFilters{kBasic, 0, unknown},
        net::GetCFHeaders{kBasic, 0, unknown},
        net::GetCFCheckpt{kBasic, unknown},
    };
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const FilterAnswer of_core = filter_answer(core_place, requests[i]);
        EXPECT_EQ(filter_answer(node.endpoint(), requests[i]), of_core) << "request " << i;
        EXPECT_EQ(of_core.is_disconnected, i >= 9) << "request " << i;
        EXPECT_EQ(of_core.messages.empty(), i >= 9) << "request " << i;
    }
}

}  // namespace
}  // namespace petal::test
