/// One connection of a sync or a broadcast, from its first byte to its last.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "net/discovery/addr_collector.h"
#include "net/discovery/addrman.h"
#include "net/io/dial/connection.h"
#include "net/io/spv_result.h"
#include "net/peer/received_message.h"
#include "net/sync/sync_engine.h"
#include "net/wire/message_header.h"

namespace petal::net {

/// Passes on what the peer and the engine say to each other, and notes what came of it. The engine
/// knows the connection by its id, from on_connected() on.
class PeerLink {
public:
    struct Origin {
        std::size_t endpoint = 0;         ///< which of those to sync from
        std::uint32_t synced_height = 0;  ///< how far the sync had ever come before
        std::chrono::milliseconds time{0};
    };

    PeerLink(PeerId id, Origin origin, asio::ip::tcp::socket socket, const Magic& magic,
             ReadPace pace = ReadPace::batched);

    /// For logs: called with each message, those that are dropped unread too, and its size with its
    /// header. The command of one that was received is what the peer wrote there.
    using OnMessage =
        std::function<void(bool is_sent, std::string_view command, std::size_t bytes)>;
    void set_on_message(OnMessage on_message) { on_message_ = std::move(on_message); }

    PeerId id() const { return id_; }
    const Origin& origin() const { return origin_; }
    std::size_t endpoint() const { return origin_.endpoint; }
    Connection& connection() { return connection_; }
    Traffic traffic() const;

    /// Hands the engine the next message of those received, or drops it unread where the engine
    /// does not expect it; false where none is left. The connection is closed when what was
    /// received is no message.
    /// engine   a SyncEngine or a BroadcastEngine
    template <class Engine>
    bool hand_over_next(Engine& engine, Now now) {
        const auto frame = connection_.next_frame();
        if (frame && *frame) {
            if (on_message_) {
                on_message_(false, (*frame)->command,
                            kMessageHeaderBytes + (*frame)->payload.size());
            }
            const auto expected = engine.expects(id_, **frame);
            if (!expected) tell_refusal(engine, expected.error(), now);
            if (!expected || !*expected) return true;
        }
        auto message = received_message(frame);
        if (!message) {
            tell_refusal(engine, message.error(), now);
            return true;
        }
        if (!*message) return false;
        collector_.note(**message);
        engine.on_message(id_, **std::move(message), now);
        return true;
    }

    /// Notes what the messages handed over have done to the sync.
    /// raised_headers   whether the best chain known became longer
    void note_progress(const SyncStatus& status, bool raised_headers);

    /// What the connection has been good for so far, where nothing speaks against the peer.
    PeerService service() const;
    bool serves() const { return service() != PeerService::none; }

    /// What a connection that ended so was good for. Where something speaks against the peer, only
    /// what brought the sync further than it ever was counts.
    PeerService service_until(const SyncStatus& status, DisconnectReason reason) const;

    /// Whether it has sent what it was asked for, be it that there was nothing to send.
    bool has_answered(const SyncStatus& status) const;

    /// What the peer says of itself and of others.
    AddrCollector& collector() { return collector_; }

    /// Does nothing once the connection is closed.
    void send(const Message& message);
    /// The engine wants nothing more of the peer, and knows that the connection ends.
    void disconnect(EndpointFailure why);
    bool ended_by_engine() const { return ended_by_engine_; }

    /// Why the connection has ended; where our side did not end it, the peer has gone.
    EndpointFailure failure() const;

private:
    bool has_helped(std::uint64_t blocks, const SyncStatus& status) const;
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
    bool advanced_ = false;  // it raised headers, or the sync came further by its blocks
    bool listened_ = false;  // the sync came as far as that on it
    std::uint64_t blocks_ = 0;
    AddrCollector collector_;
    OnMessage on_message_;
};

}  // namespace petal::net
