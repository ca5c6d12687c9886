/// The node that methods act on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chain/network_params.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/node_behaviour.h"
#include "regtest/node_peers.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// When the requested blocks are mined.
enum class BlockClock : std::uint8_t {
    machine,  ///< now
    chain,  ///< ten minutes after the previous block, so that the same commands make the same chain
};

/// State that is kept between commands, besides the chain. All commands of one node share it, over
/// any interface.
struct NodeSettings {
    MempoolPolicy policy;
    /// How connections are served without faults.
    NodeBehaviour behaviour;
    BlockClock clock = BlockClock::chain;
    /// Unix seconds, instead of the machine's (setmocktime).
    std::optional<std::int64_t> mock_time = std::nullopt;
    /// The machine's clock, Unix seconds.
    std::function<std::int64_t()> machine_time = {};
    std::int64_t start_time = 0;  ///< by that clock
    /// Ends the node.
    std::function<void()> stop = [] {};

    std::int64_t now() const { return mock_time ? *mock_time : machine_time(); }
    /// The time of a block that is mined now; empty for the chain's own time.
    std::optional<std::int64_t> block_time() const {
        const bool is_given = mock_time || clock == BlockClock::machine;
        return is_given ? std::optional(now()) : std::nullopt;
    }
};

/// A node during one call.
struct RpcNode {
    RegtestChain& chain;
    NodePeers& peers;
    NodeSettings& settings;

    /// Before blocks are mined.
    void set_block_time() const { chain.set_time(settings.block_time()); }
};

inline const chain::NetworkParams& regtest_network() {
    static const chain::NetworkParams& network = *chain::find_network("regtest");
    return network;
}

}  // namespace petal::regtest::rpc
