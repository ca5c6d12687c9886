/// A connection of a sync or a broadcast.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "chain/expected.h"
#include "net/discovery/addr_collector.h"
#include "net/discovery/addrman.h"
#include "net/io/dial/connection.h"
#include "net/io/spv_result.h"
#include "net/peer/byte_budget.h"
#include "net/peer/received_message.h"
#include "net/sync/sync_engine.h"
#include "net/wire/message_header.h"

namespace petal::net {

/// Passes messages between a peer and the engine, and records whether the connection was useful.
/// The engine knows the connection by its id, after on_connected().
class PeerLink {
public:
    struct Origin {
        std::size_t endpoint = 0;  ///< index of the endpoint in the sync
        std::chrono::milliseconds time{0};
    };

    PeerLink(PeerId id, Origin origin, asio::ip::tcp::socket socket, const Magic& magic,
             ReadPace pace = ReadPace::batched);

    /// For logs: called with each message and its size with the header, including dropped messages.
    /// The command of a received message is as the peer sent it.
    using OnMessage =
        std::function<void(bool is_sent, std::string_view command, std::size_t bytes)>;
    void set_on_message(OnMessage on_message) { on_message_ = std::move(on_message); }

    /// The greatest synced height before this connection. 0 unless set.
    void set_synced_before(std::uint32_t height) { synced_before_ = height; }

    PeerId id() const { return id_; }
    const Origin& origin() const { return origin_; }
    std::size_t endpoint() const { return origin_.endpoint; }
    Connection& connection() { return connection_; }
    Traffic traffic() const;

    /// Passes the next received message to the engine. Drops it undecoded if the engine does not
    /// expect it (expects()). Returns false if no message is left. Closes the connection if the
    /// bytes are not a valid message.
    /// engine   a SyncEngine or a BroadcastEngine
    template <class Engine>
    bool hand_over_next(Engine& engine, Now now) {
        const auto frame = connection_.next_frame();
        if (frame && *frame) {
            record_frame(**frame);
            auto expected = engine.expects(id_, **frame);
            if (expected) expected = within_budget(**frame, *expected, now);
            if (!expected) tell_refusal(engine, expected.error(), now);
            if (!expected || !*expected) return true;
        }
        auto message = received_message(frame);
        if (!message) {
            tell_refusal(engine, message.error(), now);
            return true;
        }
        if (!*message) return false;
        collector_.on_message(**message);
        engine.on_message(id_, **std::move(message), now);
        return true;
    }

    /// Records how far the passed messages have advanced the sync.
    /// raised_headers   whether the best known chain became longer
    void record_progress(const SyncStatus& status, bool raised_headers);

    /// How useful the connection has been, assuming that the peer did not misbehave.
    PeerService service() const;
    bool serves() const { return service() != PeerService::none; }

    /// How useful a connection was that ended for this reason. If the peer misbehaved or timed out,
    /// only an advance of the sync counts.
    PeerService service_until(const SyncStatus& status, DisconnectReason reason) const;

    /// Whether the peer answered the requests, even if it has nothing new.
    bool has_answered(const SyncStatus& status) const;

    /// The services and addresses from the peer.
    AddrCollector& collector() { return collector_; }

    /// Sends a message. Ignored after the connection is closed.
    void send(const Message& message);
    /// Ends the connection for the engine.
    void disconnect(EndpointFailure why);
    bool ended_by_engine() const { return ended_by_engine_; }

    /// Why the connection ended. Without a reason of our own, the peer closed the connection.
    EndpointFailure failure() const;

private:
    bool has_helped(std::uint64_t blocks, const SyncStatus& status) const;
    void record_frame(const Frame& frame);
    /// Returns `is_expected`. Fails if the peer has sent too many unrequested bytes.
    chain::Expected<bool, Violation> within_budget(const Frame& frame, bool is_expected, Now now);
    void refuse(const Violation& why);
    template <class Engine>
    void tell_refusal(Engine& engine, const Violation& why, Now now) {
        refuse(why);
        engine.on_bad_bytes(id_, why.reason, why.detail, now);
    }

    PeerId id_;
    Origin origin_;
    Connection connection_;
    std::optional<EndpointFailure> failure_;
    bool ended_by_engine_ = false;
    std::uint32_t synced_before_ = 0;
    bool advanced_ = false;  // raised headers, or its blocks advanced the sync
    bool listened_ = false;  // the sync reached `listening` over this connection
    std::uint64_t blocks_ = 0;
    ByteBudget unrequested_;
    AddrCollector collector_;
    OnMessage on_message_;
};

}  // namespace petal::net
