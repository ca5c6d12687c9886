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

/// How a broadcast gets to peers.
struct BroadcastRoute {
    /// Each is dialled once, however often it is named, in this order.
    std::vector<Endpoint> endpoints;
    /// A SOCKS5 proxy for every connection. It resolves names, too.
    std::optional<Endpoint> proxy;
    /// Finds peers beyond the endpoints; null for none.
    EndpointFinder* search = nullptr;
    /// The maximum number of peers connected at once.
    std::size_t max_peers = 8;
    /// The limit for all addresses of one endpoint together.
    std::chrono::milliseconds connect_timeout{5'000};
    /// Called after every possible change.
    std::function<void(const BroadcastReport&)> on_progress;
    /// Whether SIGINT, SIGTERM and SIGHUP end the broadcast, while it lasts (StopSignalWatch).
    bool stop_on_signals = false;
};

struct BroadcastResult {
    BroadcastReport report;
    bool interrupted = false;               ///< by a signal; the report has the state then
    std::vector<EndpointReport> endpoints;  ///< all that were dialled, or were to be
    SearchReport search{};
};

/// Broadcasts a transaction (see BroadcastEngine). Blocks at most for the options' timeout. Nothing
/// is stored: to rebroadcast, call again.
/// transaction   with its witnesses; chain::check_transaction() must accept it. If its fee is
///               known, peers whose feefilter is above it are skipped
BroadcastResult broadcast(chain::OwnTransaction transaction, const chain::NetworkParams& network,
                          BroadcastRoute route, BroadcastOptions options);

}  // namespace petal::net
