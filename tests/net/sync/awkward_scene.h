/// A sync that a test drives step by step.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/hand_driven_network.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal::test {

/// A sync of a watcher of this type, over a network that is driven by hand or simulated.
template <typename Network, typename Watcher = ListWatcher>
struct Sync {
    explicit Sync(net::SyncOptions options, chain::Birthday birthday = {})
        : engine((watcher.set_birthday(birthday), headers), watcher, std::move(options)),
          network(engine) {}

    net::SyncPhase phase() const { return engine.status().phase; }
    bool is_listening() const { return phase() == net::SyncPhase::listening; }

    chain::HeaderChain headers{*chain::find_network("regtest")};
    Watcher watcher;
    net::SyncEngine engine;
    Network network;
};
using HandDriven = Sync<HandDrivenNetwork>;
using Simulated = Sync<SimulatedNetwork>;

inline net::SyncOptions options_for(std::size_t peers) {
    net::SyncOptions options;
    options.expected_peers = peers;
    return options;
}

inline net::SyncOptions listening_for(std::chrono::milliseconds time, std::size_t peers = 1) {
    net::SyncOptions options = options_for(peers);
    options.wait_unconfirmed = time;
    return options;
}

/// Options of a sync that listens without an end.
inline net::SyncOptions following_with(std::size_t peers) {
    return listening_for(net::SyncOptions::kForever, peers);
}

}  // namespace petal::test
