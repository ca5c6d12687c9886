/// Broadcasts a transaction over real connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "chain/network_params.h"
#include "net/broadcast/broadcast_engine.h"
#include "net/io/dial/endpoint.h"
#include "net/io/search/endpoint_finder.h"
#include "net/io/spv_result.h"

namespace petal::net {

/// Where a broadcast connects to, and how.
struct BroadcastRoute {
    /// Dialled in this order, each once, even if listed twice.
    std::vector<Endpoint> endpoints;
    /// A SOCKS5 proxy for every connection. The proxy also resolves names.
    std::optional<Endpoint> proxy;
    /// Finds peers beyond the endpoints. Null: only the endpoints are used.
    EndpointFinder* search = nullptr;
    /// The maximum number of peers connected at once.
    std::size_t max_peers = 8;
    /// The time limit for an endpoint, including all its addresses.
    std::chrono::milliseconds connect_timeout{5'000};
    /// Called after every possible change.
    std::function<void(const BroadcastReport&)> on_progress;
    /// Whether SIGINT, SIGTERM and SIGHUP end the broadcast (StopSignalWatch).
    bool stop_on_signals = false;
};

struct BroadcastResult {
    BroadcastReport report;
    bool interrupted = false;               ///< ended by a signal, before the report was final
    std::vector<EndpointReport> endpoints;  ///< all endpoints, dialled or not
    SearchReport search{};
};

/// Broadcasts a transaction (see BroadcastEngine). Blocks at most for the options' timeout. Nothing
/// is stored: call this again to rebroadcast.
/// transaction   with witnesses, and accepted by chain::check_transaction(). If its fee is known,
///               peers with a higher feefilter are skipped
BroadcastResult broadcast(chain::OwnTransaction transaction, const chain::NetworkParams& network,
                          BroadcastRoute route, BroadcastOptions options);

}  // namespace petal::net
