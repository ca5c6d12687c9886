/// One run of a sync over real connections.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "chain/network_params.h"
#include "net/io/driver.h"
#include "net/io/link_feedback.h"
#include "net/io/peer_link.h"
#include "net/io/search/peer_search.h"
#include "net/io/spv_client.h"
#include "net/io/spv_dialler.h"
#include "net/io/spv_group.h"
#include "net/io/spv_timers.h"
#include "net/io/sync_group_peers.h"

namespace petal::net {

/// The driver's user for a sync: passes events to the engine, executes its commands, and ends the
/// run. SpvClient runs one. SpvGroup runs several on one io_context.
class SpvRun final : private DriverUser {
public:
    /// group_peers   the other syncs of the group. Null without a group
    /// io         the group's io_context. Null: the run creates its own
    SpvRun(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options,
           SyncGroupPeers* group_peers = nullptr, std::shared_ptr<asio::io_context> io = nullptr);
    ~SpvRun() = default;
    SpvRun(const SpvRun&) = delete;
    SpvRun& operator=(const SpvRun&) = delete;

    SpvResult run();
    void stop();

    /// The parts of run(), for a group that runs the io_context.
    void begin(bool is_alone);
    SpvGroup::End end();
    /// Another sync may have changed the chain, or ended its header download.
    void reschedule() { driver_.reschedule(); }
    /// Another sync found or dialled nodes, or is over.
    void look_again() { driver_.look_again(); }

private:
    void on_no_peer_left() override { finish(SyncOutcome::no_usable_peer); }
    void on_joined(PeerLink& link, PeerIdentity identity) override;
    void on_received(PeerLink& link) override;
    void on_left(PeerLink& link) override;
    void on_forgotten(PeerLink& link) override;
    std::chrono::milliseconds next_wake_up() const override;
    void on_wake_up(Now now) override;
    void on_signal() override { finish(SyncOutcome::interrupted); }
    void on_over() override;

    void catch_up(Now now);
    void carry_out_commands();
    void on_event();
    void finish(SyncOutcome outcome);
    SpvResult take_result();

    SyncEngine& engine_;
    SpvOptions options_;
    SyncGroupPeers* group_peers_;
    SpvResult result_;
    std::optional<SyncOutcome> outcome_;
    SpvTimers timers_;
    PeerSearch search_;
    SpvDialler dialler_;
    LinkFeedback feedback_;
    Driver driver_;
};

}  // namespace petal::net
