/// The JSON-RPC interface of petal-bitcoind.
#pragma once

#include <optional>

#include "cli/bitcoind/debug_log.h"
#include "cli/regtest/rpc_access.h"
#include "regtest/front/node_options.h"
#include "regtest/rpc/rpc_node.h"
#include "regtest/serve/embedded_node.h"

namespace petal::cli {

/// Serves the interface until the node ends. The destructor removes the cookie.
class BitcoindRpc {
public:
    /// Throws InitError. The settings must outlive the node.
    BitcoindRpc(const regtest::front::RpcServiceOptions& options, regtest::EmbeddedNode& node,
                regtest::rpc::NodeSettings& settings, DebugLog& log);

private:
    std::optional<RpcCookie> cookie_;
};

}  // namespace petal::cli
