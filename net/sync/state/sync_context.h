/// The state that all parts of a sync engine share.
#pragma once

#include <utility>

#include "chain/headers/header_chain.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/peer/random.h"
#include "net/sync/blocks/checkpoint_keeper.h"
#include "net/sync/blocks/scan.h"
#include "net/sync/headers/shared_headers.h"
#include "net/sync/peers/sync_peers.h"
#include "net/sync/peers/tip_watch.h"
#include "net/sync/state/sync_options.h"
#include "net/sync/state/sync_status.h"

namespace petal::net {

struct SyncContext {
    SyncContext(chain::HeaderChain& headers, chain::Watcher& watched, SyncOptions how,
                SharedHeaders* shared_headers, const SyncEvents& events_of_user)
        : chain(headers),
          shared(shared_headers),
          watcher(watched),
          options(std::move(how)),
          random(options.random_seed),
          keeper(headers, watched, options.false_positive_rate, options.filter_bytes),
          scan(headers, watched, keeper, options.blocks.max_held_bytes),
          peers(status.peers, random, outbox),
          tip_watch(headers, peers,
                    {.expected_peers = options.expected_peers,
                     .may_have_extra_peer = options.has_substitutes && options.is_endless(),
                     .extra_peer_after = options.timeouts.extra_peer}),
          events(events_of_user) {}
    SyncContext(const SyncContext&) = delete;
    SyncContext& operator=(const SyncContext&) = delete;

    chain::HeaderChain& chain;
    SharedHeaders* const shared;  ///< with other engines; null if none shares the chain
    chain::Watcher& watcher;
    const SyncOptions options;
    SecretNumbers random;  // peers see nonces, and must not foresee the rest
    Outbox outbox;
    SyncStatus status;
    CheckpointKeeper keeper;
    Scan scan;
    SyncPeers peers;
    TipWatch tip_watch;
    const SyncEvents& events;
};

}  // namespace petal::net
