/// The node on which methods act.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "regtest/chain/regtest_chain.h"
#include "regtest/node_behaviour.h"
#include "regtest/node_peers.h"
#include "regtest/rpc/regtest_network.h"
#include "regtest/rpc/rpc_json.h"
#include "regtest/wallets/wallet_set.h"

namespace petal::regtest::rpc {

/// The times of blocks that are mined on request.
enum class BlockClock : std::uint8_t {
    machine,  ///< the current time
    chain,  ///< ten minutes after the previous block, so that the same commands make the same chain
};

/// The name of the index of compact filters in getindexinfo.
inline constexpr const char* kFilterIndex = "basic block filter index";

/// State kept between commands, apart from the chain. Shared by all commands of a node, over any
/// interface.
struct NodeSettings {
    MempoolPolicy policy;
    /// The behaviour of connections without faults.
    NodeBehaviour behaviour;
    BlockClock clock = BlockClock::chain;
    /// Unix seconds that replace the machine's clock (setmocktime).
    std::optional<std::int64_t> mock_time = std::nullopt;
    /// The machine's clock, in Unix seconds.
    std::function<std::int64_t()> machine_time = {};
    std::int64_t start_time = 0;  ///< Unix seconds, by the machine's clock
    /// The name of the program in the answer to `stop`.
    std::string program = "petal regtest-node";
    std::string log_path;    ///< of the log file, empty without one
    bool has_wallet = true;  ///< whether the methods of wallets exist
    /// The indexes that getindexinfo shows.
    std::vector<std::string> indexes{"txindex", kFilterIndex};
    /// The wallets by name. Null: the node's purse is the only wallet.
    wallets::WalletSet* wallets = nullptr;
    /// Whether the chain is old: no tip since the start was at most a day old.
    bool is_initial_download = false;
    /// Stops the node.
    std::function<void()> stop = [] {};

    /// The tip has changed, or the time.
    void leave_initial_download(const RegtestChain& chain) {
        constexpr std::int64_t kMaxTipAge = 24 * 60 * 60;  // Bitcoin Core: DEFAULT_MAX_TIP_AGE
        if (chain.blocks().tip().header.time >= now() - kMaxTipAge) is_initial_download = false;
    }

    std::int64_t now() const { return mock_time ? *mock_time : machine_time(); }
    /// The time of a block mined now. Empty: ten minutes after the previous block.
    std::optional<std::int64_t> block_time() const {
        const bool is_given = mock_time || clock == BlockClock::machine;
        return is_given ? std::optional(now()) : std::nullopt;
    }
};

struct RpcNode {
    RegtestChain& chain;
    NodePeers& peers;
    NodeSettings& settings;
    /// The wallet that the path of the request names.
    std::optional<std::string> wallet_name = std::nullopt;

    /// Call this before blocks are mined.
    void set_block_time() const { chain.set_time(settings.block_time()); }
};

}  // namespace petal::regtest::rpc
