/// Waits for unconfirmed transactions once all blocks are in.
#pragma once

#include <optional>

#include "net/peer/timers.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/state/sync_context.h"
#include "net/sync/unconfirmed_intake.h"

namespace petal::net {

/// It asks for transactions of undone blocks, too, even if the options exclude waiting: an honest
/// node returns them to its mempool. Those that no peer has shown in time are forgotten. Whether
/// peers are asked depends on all matches, and not only on the watcher's transactions, which an
/// undone block of an attacker could test.
class UnconfirmedListener final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    UnconfirmedListener(SyncContext& sync, MatchSource& source, TxRelay& relay,
                        UnconfirmedIntake& unconfirmed)
        : sync_(sync), source_(source), relay_(relay), unconfirmed_(unconfirmed) {}

    /// All blocks are in: has the peers with filters asked for their mempools, unless the options
    /// exclude waiting and no block was undone.
    void request_mempools(Now now);
    void on_pong(SyncPeer& peer, const Pong& pong);
    /// Sends `mempool` requests again, because the filters hold more elements now.
    void ask_again() { relay_.ask_again(); }
    /// Transactions of undone blocks are asked for, again, once all blocks are in.
    void on_reorganised() {
        stop_awaiting();
        relay_.on_reorganised();
    }
    /// Whether unconfirmed transactions are awaited now.
    bool is_listening() const { return has_begun_ && !is_over(); }
    /// Whether all blocks have ever been in.
    bool has_begun() const { return has_begun_; }
    /// Whether SyncOptions::wait_unconfirmed has passed, and no undone transaction is awaited.
    bool is_over() const { return is_over_ && !awaits_undone_; }
    /// Whether peers have the time to show undone transactions.
    bool awaits_undone() const { return undone_until_.has_value(); }

    std::optional<Milliseconds> wakes_at() const override {
        return earlier_of(until_, undone_until_);
    }
    void on_wake(Now now) override;

private:
    void await_undone(Now now);
    void stop_awaiting();

    SyncContext& sync_;
    MatchSource& source_;
    TxRelay& relay_;
    UnconfirmedIntake& unconfirmed_;
    bool has_begun_ = false;
    std::optional<Milliseconds> until_;
    bool is_over_ = false;
    bool awaits_undone_ = false;
    std::optional<Milliseconds> undone_until_;  // empty if the time is over
};

}  // namespace petal::net
