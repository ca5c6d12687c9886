/// One connection's handshake, keep-alive and announcements, without sockets or clocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "chain/expected.h"
#include "net/peer/commands.h"
#include "net/peer/handshake.h"
#include "net/peer/peer_identity.h"
#include "net/peer/random.h"
#include "net/peer/recent_txids.h"
#include "net/peer/timers.h"
#include "net/wire/message_header.h"
#include "net/wire/messages.h"

namespace petal::net {

/// The deadlines of a peer.
struct PeerTimeouts {
    std::chrono::milliseconds handshake{10'000};
    /// The maximum age of the oldest unanswered request, a keep-alive ping included.
    std::chrono::milliseconds answer{20'000};
    /// How long no new block may come until another peer is wanted (TipWatch): three times the time
    /// between blocks, as in Bitcoin Core (net_processing.cpp, TipMayBeStale).
    std::chrono::milliseconds extra_peer{1'800'000};
};

/// One connection: handshake, keep-alive, fee filter, and the transactions that the peer announced.
/// Its user, an engine, sends the requests.
class Peer {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// A peer that has been silent for this long is sent a ping.
    static constexpr Milliseconds kKeepAlive{120'000};

    /// ours   our version message; its nonce must be the connection's own
    Peer(PeerId id, Version ours, HandshakeAims aims, PeerTimeouts timeouts, Milliseconds now);

    PeerId id() const { return id_; }
    Milliseconds connected_at() const { return connected_at_; }
    /// The message to send when the connection is open.
    Message open() const { return handshake_.open(); }

    /// The effect of a message on the connection itself.
    enum class Effect : std::uint8_t {
        none,     ///< none, or not the only one: the engine handles the message, too
        handled,  ///< that was all
        greeted,  ///< it completed the handshake
    };
    /// Handles any message; answers those of the handshake, and pings.
    chain::Expected<Effect, Violation> on_message(const Message& message, Outbox& outbox, Now now);

    /// Whether the handshake is complete; other messages are ignored before.
    bool is_greeted() const { return handshake_.complete(); }
    /// The peer's version message; empty before it arrived.
    const std::optional<Version>& version() const { return handshake_.peer(); }
    PeerClaims claims() const;
    /// Whether its version message signals that it serves witnesses (BIP144).
    bool serves_witnesses() const { return version() && (version()->services & kNodeWitness) != 0; }
    /// Whether its version message signals that it accepts transactions (BIP37's relay flag).
    bool takes_transactions() const { return version() && version()->relay; }
    /// The peer's `feefilter`, in satoshi per 1,000 vB (BIP133); 0 before it sent one.
    chain::Satoshis least_fee_rate() const { return least_fee_rate_; }

    /// Sends a keep-alive ping; the connection fails unless a pong or note_alive() arrives by
    /// `due`.
    void ping(Milliseconds due, SecretNumbers& random, Outbox& outbox);
    /// Whether a pong is awaited.
    bool owes_pong() const { return pong_due_.has_value(); }
    /// The peer delivered data that was requested before the ping, so its pong is due later.
    void note_alive() { pong_due_.reset(); }

    /// The last transactions that the peer announced.
    const RecentTxids& announced_by_peer() const { return announced_by_peer_; }
    /// The last transactions that were announced to the peer. If the peer announces them back, that
    /// does not show that they were relayed.
    const RecentTxids& announced_to_peer() const { return announced_to_peer_; }
    /// Sends an `inv` of our own transactions.
    void announce(Inv inv, Outbox& outbox);
    /// Bounds each of the two sets of txids.
    void limit_inventory(std::size_t txids);

    /// When on_wake() is due.
    std::optional<Milliseconds> wakes_at() const;
    /// Pings a silent peer; fails if a peer's answer is overdue.
    chain::Expected<void, Violation> on_wake(Now now, SecretNumbers& random, Outbox& outbox);

private:
    enum class Due : std::uint8_t { give_up, keep_alive };

    std::optional<Deadline<Due>> next_deadline() const;

    PeerId id_;
    Handshake handshake_;
    PeerTimeouts timeouts_;
    Milliseconds connected_at_;
    Milliseconds heard_at_;
    std::optional<Milliseconds> pong_due_;
    std::uint64_t ping_nonce_ = 0;
    chain::Satoshis least_fee_rate_ = 0;
    RecentTxids announced_by_peer_{kMaxTxids};
    RecentTxids announced_to_peer_{kMaxTxids};
};

}  // namespace petal::net
