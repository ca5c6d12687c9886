/// Waits for unconfirmed transactions once all blocks are in.
#pragma once

#include <optional>

#include "net/peer/timers.h"
#include "net/sync/filter_keeper.h"
#include "net/sync/sync_context.h"
#include "net/sync/unconfirmed_intake.h"

namespace petal::net {

class UnconfirmedListener final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    UnconfirmedListener(SyncContext& sync, FilterKeeper& filters, UnconfirmedIntake& unconfirmed)
        : sync_(sync), filters_(filters), unconfirmed_(unconfirmed) {}

    /// All blocks are in: sends each peer one `mempool` request (BIP35), unless the options exclude
    /// waiting.
    void request_mempools(Now now);
    void on_pong(SyncPeer& peer, const Pong& pong);
    /// Sends `mempool` requests again, because the filters hold more elements now.
    void ask_again();
    /// Whether all blocks have ever been in.
    bool has_begun() const { return has_begun_; }
    /// Whether SyncOptions::wait_unconfirmed has passed.
    bool is_over() const { return is_over_; }

    std::optional<Milliseconds> wakes_at() const override { return until_; }
    void on_wake(Now now) override;

private:
    SyncContext& sync_;
    FilterKeeper& filters_;
    UnconfirmedIntake& unconfirmed_;
    bool has_begun_ = false;
    std::optional<Milliseconds> until_;
    bool is_over_ = false;
};

}  // namespace petal::net
