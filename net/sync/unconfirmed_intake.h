/// Unconfirmed transactions that peers announce: requests, verifies and stores them in batches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "net/peer/timers.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/relay/tx_relay.h"
#include "net/sync/state/sync_context.h"
#include "net/sync/unconfirmed/inv_counter.h"
#include "net/sync/unconfirmed/tx_sources.h"

namespace petal::net {

/// The watcher is shown unconfirmed transactions only by a timer, in batches: the time in which a
/// message is handled must not depend on whether it concerns the watcher.
class UnconfirmedIntake final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    UnconfirmedIntake(SyncContext& sync, MatchSource& source, TxRelay& relay)
        : sync_(sync), source_(source), relay_(relay) {}

    /// Requests the transactions that the peer announces, if TxRelay takes them from it.
    void on_announced(SyncPeer& peer, const Inv& message, bool blocks_are_in);
    /// Receives a transaction that does not belong to an arriving block. One that was not requested
    /// is ignored.
    /// is_shown   whether the watcher is shown it. Not while blocks are missing: the blocks mined
    ///            after it would have to wait until it is stored. It is announced again later
    ///            (`mempool`).
    Outcome on_transaction(SyncPeer& peer, chain::Transaction transaction, const chain::Txid& txid,
                           bool is_shown, Now now);
    /// Requests transactions again that arrived before the outputs they spend, and can be verified
    /// now. Not if this would show a peer that the outputs match (TxRelayTraits).
    void ask_again_for_unjudged();
    void on_reorganised(std::uint32_t fork_height);
    void on_end(const SyncPeer& peer) { sources_.forget(peer.id()); }

    /// Stores the transactions that wait, if there are any, and which peers show them.
    void store();
    /// Stores the waiting transactions when the engine next wakes: the sync is about to end. If
    /// none waits, stores the sources now.
    void store_at_next_wake();
    /// Called if the stored transactions made the watch list grow.
    std::function<void()> on_grown;

    /// The highest block that may be requested from this peer now. Blocks mined after an unstored
    /// unconfirmed match wait until the match is stored and in the filter. Otherwise a replacement
    /// in such a block would be missed. Blocks that the sender of the match already had cannot
    /// contain a conflict, and need not wait.
    std::uint32_t last_block_to_ask(const SyncPeer& peer) const;
    /// The number of network groups that announced the transaction.
    std::size_t seen_from(const chain::Txid& txid) const { return inv_counter_.count(txid); }

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now /*now*/) override { store(); }

private:
    void add_source(const SyncPeer& peer, const chain::Txid& txid);
    std::vector<chain::PresentSources> take_sources();
    void request(SyncPeer& peer, std::span<const chain::Txid> txids);
    void distrust_blocks_of_others();

    SyncContext& sync_;
    MatchSource& source_;
    TxRelay& relay_;
    InvCounter inv_counter_;
    TxSources sources_;                  // of tracked transactions
    std::set<chain::Txid> new_sources_;  // transactions whose sources the watcher was not shown
    bool are_sources_due_ = false;       // not only together with transactions
    Milliseconds store_at_{0};           // if a transaction waits, or sources are due
    std::uint32_t seen_at_ = 0;  // senders of waiting transactions have all blocks up to here
};

}  // namespace petal::net
