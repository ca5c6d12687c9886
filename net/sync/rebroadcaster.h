/// Rebroadcasts the watcher's own transactions until a block confirms them.
#pragma once

#include <optional>

#include "net/peer/timers.h"
#include "net/peer/tx_server.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

class Rebroadcaster final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    explicit Rebroadcaster(SyncContext& sync) : sync_(sync) {}

    void on_request(const SyncPeer& peer, const GetData& message);
    /// All blocks are in. If the tip is new, plans an announcement after a random delay: only the
    /// owner of a transaction would announce it again right after each block.
    void resume(Now now);
    /// Some blocks are missing: a planned announcement waits for them.
    void pause() { is_paused_ = true; }

    std::optional<Milliseconds> wakes_at() const override {
        return is_paused_ ? std::nullopt : announce_at_;
    }
    void on_wake(Now now) override;

private:
    Milliseconds draw_delay(Milliseconds within);
    bool announce_to_half();

    SyncContext& sync_;
    TxServer tx_server_;
    std::optional<chain::BlockHash> planned_at_tip_;
    std::optional<Milliseconds> announce_at_;
    bool is_paused_ = true;
};

}  // namespace petal::net
