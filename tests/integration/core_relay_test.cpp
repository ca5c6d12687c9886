// Unconfirmed payments beside compact filters, relayed by Bitcoin Core.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "net/io/clocks.h"
#include "regtest/serve/embedded_node.h"
#include "tests/integration/client.h"
#include "tests/integration/core_peer.h"
#include "tests/integration/full_node.h"
#include "tests/support/ports.h"

namespace petal::test {
namespace {

class CoreRelay : public testing::TestWithParam<net::UnconfirmedMode> {};

INSTANTIATE_TEST_SUITE_P(Modes, CoreRelay,
                         testing::Values(net::UnconfirmedMode::bloom, net::UnconfirmedMode::all),
                         [](const auto& row) { return std::string(code_of(row.param)); });

TEST_P(CoreRelay, ShowsPaymentsBeforeTheyConfirm) {
    if (const auto missing = why_missing(NodeKind::bitcoind); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    constexpr std::uint32_t kBlocks = 150;
    regtest::RegtestChain chain(
        {net::unix_time_now() - std::int64_t{kBlocks} * 600, regtest::PurseKind::p2wpkh});
    chain.mine(kBlocks);
    regtest::EmbeddedNode node({}, std::move(chain));
    const net::Endpoint core_place{"127.0.0.1", free_port()};
    const CorePeer core(node.endpoint(),
                        {"-listen=1", "-bind=" + to_string(core_place), "-blockfilterindex=1",
                         "-peerblockfilters=1", "-peerbloomfilters=1"});
    ASSERT_TRUE(core.reaches(node)) << core.log();
    ASSERT_TRUE(CorePeer::wait_until([&] {
        const auto index = core.call("getindexinfo")["basic block filter index"];
        return index["synced"] && index["best_block_height"] == core.call("getblockcount");
    }));

    Client client;
    const auto pay = [&](std::uint32_t index) {
        const auto script = client.open().script_at({0, index});
        return node.with_chain(
            [&](regtest::RegtestChain& of_node) { return of_node.pay(script, 100'000); });
    };
    const chain::Txid before = pay(0);
    ASSERT_TRUE(CorePeer::wait_until([&] { return core.call("getrawmempool").size() == 1; }));

    net::SyncOptions options;
    options.blocks.source = net::MatchSourceKind::compact_filters;
    options.unconfirmed = GetParam();
    options.wait_unconfirmed = std::chrono::seconds{40};
    net::SpvOptions how;
    std::optional<chain::Txid> after;
    how.events.on_progress = [&](const net::SyncStatus& status, const net::Traffic&) {
        if (status.phase == net::SyncPhase::listening && !after) after = pay(1);
    };
    const SyncRun run = client.sync({core_place}, options, how);
    EXPECT_EQ(run.result.outcome, net::SyncOutcome::synced) << core.log();
    EXPECT_EQ(run.status.counts.compact_filters, kBlocks);
    EXPECT_EQ(run.status.peers.at(0).misbehaviour, 0U);
    const auto wallet = client.open();
    ASSERT_TRUE(after);
    EXPECT_TRUE(wallet.transaction(*after));
    // Only peers with a filter are asked for what they had before.
    const bool has_filter = GetParam() == net::UnconfirmedMode::bloom;
    EXPECT_EQ(wallet.transaction(before).has_value(), has_filter);
    EXPECT_EQ(run.status.counts.filter_loads, has_filter ? 1U : 0U);
}

}  // namespace
}  // namespace petal::test
