/// Unconfirmed transactions that peers announce: asked for, judged, and stored together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "net/peer/timers.h"
#include "net/sync/filter_keeper.h"
#include "net/sync/inv_counter.h"
#include "net/sync/sync_context.h"

namespace petal::net {

/// Nothing proves that an unconfirmed transaction will ever be in a block. The watcher is told of
/// them by the timer alone, of whatever came by then: the time that a message takes must not depend
/// on whether it concerns the watcher.
class UnconfirmedIntake final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    UnconfirmedIntake(SyncContext& sync, FilterKeeper& filters) : sync_(sync), filters_(filters) {}

    /// A peer announced transactions.
    /// wanted   whether they are to be requested
    void on_announced(SyncPeer& peer, std::span<const chain::Txid> txids, bool wanted);
    /// Takes a transaction that belongs to no block.
    Outcome on_transaction(SyncPeer& peer, chain::Transaction transaction, const chain::Txid& txid,
                           Now now);
    /// Some can be judged now that came before what they spend.
    void ask_again_for_unjudged();
    void on_reorganised(std::uint32_t fork_height);

    /// Stores what waits, if anything does.
    void store();
    /// There is no later moment to store what waits.
    void hurry() { store_at_ = Milliseconds{0}; }
    /// Called if the watch list grew by what was stored.
    std::function<void()> on_grown;

    /// The last block that may be asked of the peer. A filter must show the transactions that take
    /// the place of unconfirmed matches, so newer blocks than the matches wait until the timer has
    /// stored those. Blocks that their senders had do not: an honest node shows nothing that
    /// conflicts with its chain.
    std::uint32_t last_block_to_ask(const SyncPeer& peer) const;
    /// How many sources announced it.
    std::size_t seen_from(const chain::Txid& txid) const { return inv_counter_.count(txid); }

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now /*now*/) override { store(); }

private:
    void request(SyncPeer& peer, std::span<const chain::Txid> txids);

    SyncContext& sync_;
    FilterKeeper& filters_;
    InvCounter inv_counter_;
    Milliseconds store_at_{0};   // if anything waits
    std::uint32_t seen_at_ = 0;  // the peers that showed what waits have all blocks up to here
};

}  // namespace petal::net
