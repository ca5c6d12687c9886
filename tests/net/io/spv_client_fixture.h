// Syncs over loopback by SpvClient. Each sync has an engine of its own, and all syncs share the
// stores.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "chain/headers/header_chain.h"
#include "net/io/spv_client.h"
#include "regtest/serve/embedded_node.h"
#include "tests/net/io/scripted_peer.h"
#include "tests/support/list_watcher.h"
#include "tests/support/test_chain.h"

namespace petal::test {

/// A peer's script: reads until the client closes the connection, and sends nothing.
inline void hold(ScriptedConnection& connection) {
    connection.hold();
}

inline constexpr std::uint32_t kPaidChainBlocks = 300;

/// A chain that pays the scripts 0 to 9 of a ListWatcher in its last hundred blocks.
inline regtest::RegtestChain paid_chain() {
    regtest::RegtestChain chain;
    chain.mine(kPaidChainBlocks - 100);
    for (std::uint32_t i = 0; i < 10; ++i) {
        chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(i)}})});
        chain.mine(9);
    }
    return chain;
}

/// Options of a node with connections that fail in this way after this number of filtered blocks.
inline regtest::ServerOptions with_fault(regtest::FaultKind kind, std::uint32_t after_blocks) {
    regtest::Fault fault;
    fault.kind = kind;
    fault.after_blocks = after_blocks;
    regtest::ServerOptions options;
    options.behaviour.faults = {fault};
    return options;
}

/// Calls `on_first_apply` before the first blocks are applied.
class NoticingWatcher : public ListWatcher {
public:
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::StateAfter& state_after) override {
        const auto call = std::exchange(on_first_apply, {});
        if (call) call();
        return ListWatcher::apply(blocks, state_after);
    }

    std::function<void()> on_first_apply;
};

class SpvClientFixture : public testing::Test {
protected:
    SpvClientFixture() {
        sync_options_.blocks.per_batch = 20;
        options_.redial.first_backoff = std::chrono::milliseconds{1};
    }

    net::SpvResult sync(std::vector<net::Endpoint> endpoints) {
        make_client(std::move(endpoints));
        return client_->run();
    }

    void make_client(std::vector<net::Endpoint> endpoints) {
        options_.endpoints = std::move(endpoints);
        client_.reset();
        engine_ = std::make_unique<net::SyncEngine>(headers_, watcher_, sync_options_);
        client_ = std::make_unique<net::SpvClient>(*engine_, regtest_params(), options_);
    }

    /// Syncs from one useless peer, and returns why its connection failed. Expects that the sync
    /// ends after this one dial.
    net::EndpointFailure failure_of(const net::Endpoint& endpoint) {
        const auto result = sync({endpoint});
        EXPECT_EQ(result.outcome, net::SyncOutcome::no_usable_peer);
        EXPECT_EQ(result.endpoints.at(0).dials, 1U);
        return result.endpoints.at(0).last_failure.value();
    }
    net::DisconnectReason reason_of(ScriptedPeer::Script script) {
        const ScriptedPeer peer{{std::move(script)}};
        return failure_of(peer.endpoint()).reason;
    }

    void expect_truth(regtest::EmbeddedNode& node) {
        const auto [truth, tip] = node.with_chain([this](regtest::RegtestChain& chain) {
            return std::pair{read_whole_chain(chain, watcher_.watched()), chain.tip()};
        });
        EXPECT_EQ(watcher_.knowledge(), truth);
        ASSERT_TRUE(watcher_.sync_state().synced.has_value());
        EXPECT_EQ(watcher_.sync_state().synced->hash, tip);
    }

    chain::HeaderChain headers_{regtest_params()};
    NoticingWatcher watcher_;
    net::SyncOptions sync_options_;
    net::SpvOptions options_;
    std::unique_ptr<net::SyncEngine> engine_;
    std::unique_ptr<net::SpvClient> client_;
};

}  // namespace petal::test
