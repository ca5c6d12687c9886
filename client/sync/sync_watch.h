/// What may keep a wallet behind the network while a sync follows the chain.
#pragma once

#include <cstdint>
#include <functional>

#include "net/sync/state/sync_status.h"

namespace petal::client {

/// Functions that a sync calls when a condition begins. Each may be empty.
struct SyncWatchEvents {
    /// No peer has the stored chain (SyncStatus::other_chain).
    std::function<void(const net::SyncStatus&)> on_other_chain;
    /// With all blocks in, no connected peer has all of the stored chain. Called once.
    std::function<void()> on_shorter_chain;
    /// No peer has shown a block for hours (net::TipWatch).
    std::function<void()> on_old_tip;
    /// A peer's block is ahead of the clock, for half a minute or longer or, once, too far to wait
    /// for it (AheadOfClock).
    std::function<void(const net::SyncStatus&)> on_ahead_of_clock;
    /// No peer relays unconfirmed transactions as wanted (SyncStatus::lacks_relay_peer).
    std::function<void(const net::SyncStatus&)> on_no_relay_peer;
};

/// Remembers what was told.
class SyncWatch {
public:
    void update_chains(const net::SyncStatus& status, const SyncWatchEvents& events);
    void update_age(bool is_old, const SyncWatchEvents& events);
    /// now   Unix seconds
    void update_clock(const net::SyncStatus& status, std::int64_t now,
                      const SyncWatchEvents& events);
    void update_relay(const net::SyncStatus& status, const SyncWatchEvents& events);

private:
    bool of_other_chain_ = false;    // at present
    bool of_shorter_chain_ = false;  // ever
    bool of_old_tip_ = false;        // at present
    bool of_early_ = false;          // at present: a block is ahead of the clock
    bool of_no_relay_peer_ = false;  // at present
    bool of_far_ahead_ = false;      // ever: a block is too far ahead to wait for it
};

}  // namespace petal::client
