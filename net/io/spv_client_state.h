/// What a sync over real connections consists of; spv_client.h is for those who run one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "net/io/dial.h"
#include "net/io/dial_plan.h"
#include "net/io/first_of.h"
#include "net/io/peer_link.h"
#include "net/io/spv_client.h"

namespace petal::net {

class SpvClient::State {
public:
    State(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options);

    SpvResult run();
    void stop();

private:
    struct Leave {
        State* state;
        void operator()(PeerLink* link) const;
    };
    /// A connection that the rest knows of as long as this lives.
    using JoinedLink = std::unique_ptr<PeerLink, Leave>;

    void start(asio::awaitable<void> task);
    asio::awaitable<void> until_end(asio::awaitable<void> task);
    asio::awaitable<void> dial_loop();
    void look_for_peers(Now now);
    void offer(const Endpoint& endpoint, std::chrono::milliseconds now);
    bool can_still_find_peers(std::chrono::milliseconds now) const;
    std::chrono::steady_clock::time_point next_look(const std::optional<DialPlan::Next>& next,
                                                    Now now) const;
    asio::awaitable<void> ask_seed(std::string seed);
    bool sends_feelers() const;
    asio::awaitable<void> send_feeler(Endpoint peer);
    void save_peers();
    const Endpoint& endpoint_of(const PeerLink& link) const;
    void learn_from(PeerLink& link, Now now);
    asio::awaitable<void> serve_endpoint(std::size_t index);
    asio::awaitable<chain::Expected<asio::ip::tcp::socket, DialError>> dial_peer(Endpoint peer);
    asio::awaitable<void> read_loop(PeerLink& link);
    asio::awaitable<void> clock_loop();
    void end_on_signals();

    template <typename Step>
    void step(Step what);
    void finish(SyncOutcome outcome);
    void fail_run(std::exception_ptr why);

    void fail_dial(std::size_t index, DialError error);
    JoinedLink join(std::size_t index, asio::ip::tcp::socket socket);
    void leave(PeerLink& link);
    void take_messages(PeerLink& link);
    void note_progress(PeerLink& link, Now now);
    void close(PeerLink& link);
    void report_end(PeerLink& link, DisconnectReason reason, PeerService service);
    void fail(std::size_t index, EndpointFailure failure, bool served);

    PeerLink* find_link(PeerId peer) const;
    void carry_out_commands();
    void carry_out(const Send& command);
    void carry_out(const Disconnect& command);
    void note_event();

    bool is_idle() const;
    std::chrono::milliseconds next_wake_up(std::chrono::milliseconds now) const;
    void on_wake_up(Now now);
    void flush_headers_if_due(std::chrono::milliseconds now);
    void save_peers_if_due(std::chrono::milliseconds now);
    void report_progress(std::chrono::milliseconds now);
    Traffic traffic() const;

    SyncEngine& engine_;
    Magic magic_;
    SpvOptions options_;
    asio::io_context io_{1};
    asio::signal_set signals_{io_};
    WakeUp clock_{io_.get_executor()};
    WakeUp plan_changed_{io_.get_executor()};
    Event ended_{io_.get_executor()};
    std::chrono::milliseconds clock_set_to_{0};
    std::chrono::milliseconds start_;
    SpvResult result_;
    DialPlan plan_;
    std::optional<SyncOutcome> outcome_;
    std::exception_ptr failure_;        // then the outcome means nothing
    std::vector<PeerLink*> links_;      // the connections that stand
    std::uint32_t best_header_height_;  // both as high as they ever were
    std::uint32_t best_synced_height_;
    SyncPhase reported_phase_ = SyncPhase::no_peer;
    std::chrono::milliseconds reported_at_{0};
    bool all_is_told_ = false;  // nothing has come since the last report
    std::chrono::milliseconds flushed_at_;
    std::uint64_t flushed_arrivals_ = 0;
    std::chrono::milliseconds saved_peers_at_;
    PeerId last_peer_ = 0;
};

}  // namespace petal::net
