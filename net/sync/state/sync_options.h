/// The options of a sync.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "net/peer/handshake.h"
#include "net/peer/peer.h"
#include "net/sync/blocks/held_blocks.h"
#include "net/sync/blocks/second_opinions.h"
#include "net/sync/filters/filter_policy.h"
#include "net/sync/headers/header_options.h"
#include "net/sync/state/source_facts.h"
#include "net/sync/state/source_kind.h"
#include "net/sync/state/unconfirmed_mode.h"

namespace petal::net {

/// How blocks are downloaded.
struct BlockOptions {
    MatchSourceKind source = MatchSourceKind::filtered_blocks;
    /// Chooses the source once peers have shown what they serve. Empty: `source`.
    ChooseSource choose_source;
    /// Selects the blocks that are requested from a second peer, too, if there is one.
    CrossCheckMode cross_check = CrossCheckMode::sample;
    /// The maximum number of blocks in flight from one peer.
    std::size_t in_flight = 2'000;
    /// The number of blocks in one call of Watcher::apply().
    std::size_t per_batch = 1'000;
    /// The maximum size of the transactions of delivered blocks that wait for lower ones. Above two
    /// thirds of it, only blocks below those that wait are requested. Above it, the highest blocks
    /// are dropped, and requested again later.
    std::size_t max_held_bytes = kMaxHeldBytes;
    /// The memory limit of answers that wait for a second one (SecondOpinions).
    std::size_t max_unchecked_bytes = SecondOpinions::kMaxBytes;
    /// How long a run with an end waits for a block whose time is too far ahead of the clock. All
    /// other blocks must be in, and every peer must have shown a block that counts within this
    /// time. If only some peers have shown one, the run waits ten seconds. At least ten seconds.
    std::chrono::milliseconds early_patience{0};
};

struct SyncOptions {
    /// Waits for unconfirmed transactions until the run is ended.
    static constexpr std::chrono::milliseconds kForever = std::chrono::hours{24 * 36'525};

    std::string user_agent = kUserAgent;
    /// The false positive rate that filters are made for, from kLowestRate to kHighestRate. Empty:
    /// the last rate of this watcher, or that of Privacy::fast.
    std::optional<double> false_positive_rate;
    /// The size of every filter. Another one than the default is for tests with short chains: a
    /// small filter is made and saturates faster.
    std::size_t filter_bytes = kFilterBytes;
    /// How long to wait for unconfirmed transactions after the last block. Empty: unconfirmed
    /// transactions are not requested.
    std::optional<std::chrono::milliseconds> wait_unconfirmed;
    UnconfirmedMode unconfirmed = UnconfirmedMode::all;
    /// With UnconfirmedMode::bloom: the node (PeerIdentity::node) that got the filter last
    /// (SyncEvents::on_relay_peer). It gets the filter again if it connects.
    std::optional<std::string> relay_node;
    /// How long to wait for transactions that only undone blocks had, until they are forgotten. A
    /// node answers `mempool` at its next trickle. The time to the trickle is exponentially
    /// distributed with a mean of 5 s (Bitcoin Core: INBOUND_INVENTORY_BROADCAST_INTERVAL): 0.25 %
    /// of the nodes answer after more than 30 s.
    std::chrono::milliseconds wait_undone{30'000};
    /// Whether the run continues without an end when all blocks are in.
    bool is_endless() const { return wait_unconfirmed == kForever; }
    /// Rebroadcasts the watcher's own unconfirmed transactions, as nodes forget them: once all
    /// blocks are in and after each new block, to half of the peers, after a random delay of at
    /// most this time. Empty: never.
    std::optional<std::chrono::milliseconds> announce_own_within;
    /// How often Watcher::refresh() is called. Empty: never.
    std::optional<std::chrono::milliseconds> refresh_watcher_every;
    /// The work that a chain must have before its blocks are shown to the watcher.
    WorkThreshold threshold{};
    HeaderLimits header_limits{};
    /// Sends `getaddr` to each peer; the answers are read by AddrCollector, not by the engine.
    bool ask_for_addresses = false;
    /// The maximum number of peers. With 1, download windows are not adapted to the peer's pace.
    std::size_t expected_peers = 1;
    /// More peers are available than connection slots. When all slots are taken, a slow peer is
    /// replaced (see SlowPeerDetector).
    bool has_substitutes = false;
    BlockOptions blocks;
    PeerTimeouts timeouts;
    /// Seeds nonces, and choices that no peer may predict: which blocks are cross-checked, the salt
    /// of a header presync. From the system's randomness, except in tests: the same inputs and seed
    /// give the same commands.
    std::uint64_t random_seed = 0;
};

}  // namespace petal::net
