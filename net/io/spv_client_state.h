/// What a sync over real connections consists of; its callers need spv_client.h alone.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "net/io/dial/dial_plan.h"
#include "net/io/driver.h"
#include "net/io/peer_link.h"
#include "net/io/spv_client.h"

namespace petal::net {

/// The driver's user for a sync: chooses the endpoints to dial, reports progress, ends the run.
class SpvClient::State final : private DriverUser {
public:
    State(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options);
    ~State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    SpvResult run();
    void stop();

private:
    std::chrono::steady_clock::time_point dial_more(Now now) override;
    Endpoint endpoint_at(std::size_t index) const override;
    PeerLink::Origin origin_of(std::size_t index) const override;
    void on_dial_failed(std::size_t index, DialError error) override;
    void on_joined(PeerLink& link, PeerIdentity identity) override;
    void on_received(PeerLink& link) override;
    void on_left(PeerLink& link) override;
    void on_forgotten(PeerLink& link) override;
    std::chrono::milliseconds next_wake_up(std::chrono::milliseconds now) const override;
    void on_wake_up(Now now) override;
    void on_signal() override { finish(SyncOutcome::interrupted); }

    void look_for_peers(Now now);
    void offer(const Endpoint& endpoint, std::chrono::milliseconds now);
    bool can_still_find_peers(std::chrono::milliseconds now) const;
    std::chrono::steady_clock::time_point next_look(const std::optional<DialPlan::Next>& next,
                                                    Now now) const;
    bool sends_feelers() const;
    asio::awaitable<void> send_feeler(Endpoint peer);
    const Endpoint& endpoint_of(const PeerLink& link) const;
    void learn_from(PeerLink& link, Now now);
    void note_progress(PeerLink& link, Now now);
    void report_end(PeerLink& link, DisconnectReason reason, PeerService service);
    void fail(std::size_t index, EndpointFailure failure, bool served);
    void finish(SyncOutcome outcome);
    void note_search();
    void tell_of_failure();
    void carry_out_commands();
    void note_event();

    bool is_idle() const;
    void save_peers();
    void flush_headers_if_due(std::chrono::milliseconds now);
    void save_peers_if_due(std::chrono::milliseconds now);
    void report_progress(std::chrono::milliseconds now);
    Traffic traffic() const;

    SyncEngine& engine_;
    Magic magic_;
    SpvOptions options_;
    std::chrono::milliseconds start_;
    SpvResult result_;
    DialPlan plan_;
    std::optional<SyncOutcome> outcome_;
    std::uint32_t best_header_height_;  // both as high as they ever were
    std::uint32_t best_synced_height_;
    SyncPhase reported_phase_ = SyncPhase::no_peer;
    std::chrono::milliseconds reported_at_{0};
    bool all_is_told_ = false;  // nothing has come since the last report
    std::chrono::milliseconds flushed_at_;
    std::uint64_t flushed_arrivals_ = 0;
    std::chrono::milliseconds saved_peers_at_;
    Driver driver_;
};

}  // namespace petal::net
