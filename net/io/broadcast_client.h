/// Gets a transaction into the network over real connections.
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
    /// A SOCKS5 proxy through which every connection goes, and which resolves names.
    std::optional<Endpoint> proxy;
    /// Finds peers beyond the endpoints; null for none.
    EndpointFinder* search = nullptr;
    /// Connected at once, at most. Half of them are told of the transaction.
    std::size_t max_peers = 8;
    /// For all addresses of one endpoint together.
    std::chrono::milliseconds connect_timeout{5'000};
    /// Called whenever something may have changed.
    std::function<void(const BroadcastReport&)> on_progress;
    /// Whether SIGINT, SIGTERM and SIGHUP end the broadcast, while it lasts.
    bool stop_on_signals = false;
};

struct BroadcastResult {
    BroadcastReport report;
    bool interrupted = false;               ///< by a signal; the report says how far it was
    std::vector<EndpointReport> endpoints;  ///< all that were dialled, or were to be
    bool offline = false;  ///< peers were searched for, and nothing at all could be reached
    bool has_no_known_address = false;  ///< peers were searched for, and there is no address to try
    SeedLookups seed_lookups{};         ///< where peers were searched for
};

/// Announces a transaction to some of the peers, gives it to those that ask, and waits until the
/// others announce it (BroadcastEngine says how, and when that is enough). Blocks for as long as
/// the options' timeout at most. Nothing is kept: to have it announced again, call again.
///
/// transaction   with its witnesses, as nodes check it; one that chain::check_transaction()
/// accepts.
///               With its fee, where that is known, peers that ask for more are passed over
BroadcastResult broadcast(chain::OwnTransaction transaction, const chain::NetworkParams& network,
                          BroadcastRoute route, BroadcastOptions options);

}  // namespace petal::net
