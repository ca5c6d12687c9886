/// What a sync is to do, and what it may cost.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "net/sync/blocks/second_opinions.h"
#include "net/sync/headers/work_threshold.h"

namespace petal::net {

struct SyncOptions {
    /// To listen until the run is ended.
    static constexpr std::chrono::milliseconds kForever = std::chrono::hours{24 * 36'525};

    std::string user_agent = "/petal:0.1.0/";
    /// That filters are made for, from kLowestRate to kHighestRate; nothing for the one that this
    /// watcher's had so far, or that of Privacy::fast.
    std::optional<double> false_positive_rate;
    /// How long to listen for unconfirmed transactions after the last block; nothing for not at
    /// all.
    std::optional<std::chrono::milliseconds> wait_unconfirmed;
    /// Whether the run goes on when all blocks are in, until it is ended.
    bool is_endless() const { return wait_unconfirmed == kForever; }
    /// Announces the watcher's own unconfirmed transactions once all blocks are in and after each
    /// further one, to half of the peers, at a moment drawn within this time, as nodes forget them;
    /// nothing for not at all.
    std::optional<std::chrono::milliseconds> announce_own_within;
    /// How often Watcher::refresh() is called; nothing for never.
    std::optional<std::chrono::milliseconds> refresh_watcher_every;
    /// What a chain must carry before the watcher hears of it.
    WorkThreshold threshold{};
    /// Asks each peer for the addresses of others; the reader of the messages takes the answers.
    bool ask_for_addresses = false;
    /// How many peers there will be, at most. For one alone, pace is no concern.
    std::size_t expected_peers = 1;
    /// More peers are available than connection slots. When all slots are taken, a slow peer is
    /// replaced (see SlowPeerDetector).
    bool has_substitutes = false;
    /// Downloads full blocks and searches them here: slow, but peers learn nothing, and can leave
    /// nothing out.
    bool full_blocks = false;
    /// Which blocks are asked of a second peer, where there is one.
    CrossCheckMode cross_check = CrossCheckMode::sample;
    /// Blocks that one peer may be asked for without having answered yet.
    std::size_t blocks_in_flight = 2'000;
    /// Blocks that are handed to the watcher at once.
    std::size_t blocks_per_batch = 1'000;
    std::chrono::milliseconds handshake_timeout{10'000};
    /// How long the oldest unanswered request may wait.
    std::chrono::milliseconds answer_timeout{20'000};
    /// The same for a full block, which even 35 kB/s bring in that time when it is a full one.
    std::chrono::milliseconds full_block_timeout{120'000};
    /// Seeds nonces, and what no peer may foresee: which blocks are compared, the salt of a first
    /// download of headers. From the system's randomness, except in tests; with the same inputs
    /// the engine does the same again.
    std::uint64_t random_seed = 0;
};

}  // namespace petal::net
