/// Listens for unconfirmed transactions once all blocks are in.
#pragma once

#include <optional>

#include "net/peer/timers.h"
#include "net/sync/filter_keeper.h"
#include "net/sync/sync_context.h"
#include "net/sync/unconfirmed_intake.h"

namespace petal::net {

class Listener final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    Listener(SyncContext& sync, FilterKeeper& filters, UnconfirmedIntake& unconfirmed)
        : sync_(sync), filters_(filters), unconfirmed_(unconfirmed) {}

    /// All blocks are in: asks each peer for its memory pool once, if that is wanted.
    void listen(Now now);
    /// Peers are to be asked for their memory pools again, by filters that know more.
    void ask_again();
    /// Whether all blocks were in before.
    bool has_begun() const { return has_begun_; }
    /// Whether it has lasted as long as is wanted.
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
