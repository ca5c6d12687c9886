/// The handshake, keep-alive and announcements of a connection, without sockets or clocks.
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

struct PeerTimeouts {
    std::chrono::milliseconds handshake{10'000};
    /// The maximum age of the oldest unanswered request or keep-alive ping.
    std::chrono::milliseconds answer{20'000};
    /// Without a new block for this long, another peer is wanted (TipWatch). Three times the block
    /// interval, as in Bitcoin Core (net_processing.cpp, TipMayBeStale).
    std::chrono::milliseconds extra_peer{1'800'000};
};

/// One connection: handshake, keep-alive, fee filter, and the transactions announced in either
/// direction. The engine that owns the peer sends the requests.
class Peer {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// A peer that has been silent for this long is sent a ping.
    static constexpr Milliseconds kKeepAlive{120'000};

    /// ours   our version message, with a nonce that no other connection uses
    Peer(PeerId id, Version ours, HandshakeAims aims, PeerTimeouts timeouts, Milliseconds now);

    PeerId id() const { return id_; }
    Milliseconds connected_at() const { return connected_at_; }
    /// The message to send when the connection is open.
    Message open() const { return handshake_.open(); }

    /// What Peer did with a message.
    enum class Effect : std::uint8_t {
        none,                ///< the engine must handle the message (too)
        handled,             ///< no further handling needed
        handshake_complete,  ///< the message completed the handshake
    };
    /// Handles any message. Answers handshake messages and pings.
    chain::Expected<Effect, Violation> on_message(const Message& message, Outbox& outbox, Now now);

    /// Whether the handshake is complete. Before, all other messages are ignored.
    bool has_completed_handshake() const { return handshake_.complete(); }
    /// The peer's version message. Empty until it arrives.
    const std::optional<Version>& version() const { return handshake_.peer(); }
    PeerClaims claims() const;
    /// Whether the peer's version message signals NODE_WITNESS (BIP144).
    bool serves_witnesses() const { return version() && (version()->services & kNodeWitness) != 0; }
    /// Whether the peer's version message asks for transactions (BIP37's relay flag).
    bool takes_transactions() const { return version() && version()->relay; }
    /// The peer's `feefilter`, in satoshi per 1,000 vB (BIP133). 0 before the peer sends one.
    chain::Satoshis least_fee_rate() const { return least_fee_rate_; }

    /// Sends a keep-alive ping. The connection fails at `due` unless a pong or
    /// cancel_pong_deadline() comes first.
    void ping(Milliseconds due, SecretNumbers& random, Outbox& outbox);
    /// Whether a ping is unanswered.
    bool owes_pong() const { return pong_due_.has_value(); }
    /// Cancels the pong's deadline: the peer delivered data that was requested before the ping.
    void cancel_pong_deadline() { pong_due_.reset(); }

    /// The latest transactions that the peer announced.
    const RecentTxids& announced_by_peer() const { return announced_by_peer_; }
    /// The latest transactions that were announced to the peer. An announcement of the same
    /// transaction by the peer does not prove that the network relayed the transaction.
    const RecentTxids& announced_to_peer() const { return announced_to_peer_; }
    /// Sends an `inv` of our own transactions.
    void announce(Inv inv, Outbox& outbox);
    /// Limits the size of announced_by_peer() and of announced_to_peer().
    void limit_inventory(std::size_t txids);

    std::optional<Milliseconds> wakes_at() const;
    /// Pings a silent peer. Fails if the handshake or a pong is overdue.
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
