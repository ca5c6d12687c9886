/// One connection's life, without sockets or clocks, whatever the connection is used for.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "chain/expected.h"
#include "net/peer/commands.h"
#include "net/peer/handshake.h"
#include "net/peer/random.h"
#include "net/peer/recent_txids.h"
#include "net/peer/timers.h"
#include "net/wire/message_header.h"
#include "net/wire/messages.h"

namespace petal::net {

/// How long a peer may take.
struct PeerTimeouts {
    std::chrono::milliseconds handshake{10'000};
    std::chrono::milliseconds answer{20'000};  ///< also to a keep-alive ping
};

/// The handshake, the keep-alive, and what the peer says of itself: the fee filter and the
/// transactions that it has. What is asked of it beyond that is its user's part.
class Peer {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// A peer that has been silent for so long is asked whether it is still there.
    static constexpr Milliseconds kKeepAlive{120'000};

    /// ours   our version message; its nonce must be the connection's own
    Peer(PeerId id, Version ours, HandshakeAims aims, PeerTimeouts timeouts, Milliseconds now);

    PeerId id() const { return id_; }
    Milliseconds connected_at() const { return connected_at_; }
    /// To be sent when the connection stands.
    Message open() const { return handshake_.open(); }

    /// What a message meant for the connection itself.
    enum class Effect : std::uint8_t {
        none,     ///< nothing, or not that alone: it is for the peer's user too
        handled,  ///< that was all
        greeted,  ///< it completed the handshake
    };
    /// Takes any message, and answers those of the handshake and pings.
    chain::Expected<Effect, Violation> on_message(const Message& message, Outbox& outbox, Now now);

    /// The handshake is complete; other messages count from then on.
    bool is_greeted() const { return handshake_.complete(); }
    /// Its version message; nothing before it came.
    const std::optional<Version>& version() const { return handshake_.peer(); }
    /// Whether its version message says that it gives witnesses (BIP144).
    bool serves_witnesses() const { return version() && (version()->services & kNodeWitness) != 0; }
    /// Whether its version message says that it takes transactions (BIP37's relay flag).
    bool takes_transactions() const { return version() && version()->relay; }
    /// What it takes, in satoshi per 1,000 vB (BIP133); 0 before it said anything.
    chain::Satoshis least_fee_rate() const { return least_fee_rate_; }

    /// Asks for a sign of life by this time: a pong, or whatever note_alive() is told of.
    void ping(Milliseconds due, SecretNumbers& random, Outbox& outbox);
    /// Whether a pong is awaited.
    bool owes_pong() const { return pong_due_.has_value(); }
    /// It has delivered something that it was asked for before the ping, and gets to that later.
    void note_alive() { pong_due_.reset(); }

    /// The last transactions that it announced.
    const RecentTxids& announced_by_peer() const { return announced_by_peer_; }
    /// The last ones that were announced to it: its echo of these proves nothing.
    const RecentTxids& announced_to_peer() const { return announced_to_peer_; }
    /// Sends an `inv` of our own transactions.
    void announce(Inv inv, Outbox& outbox);
    /// How many ids of each kind are remembered.
    void limit_inventory(std::size_t txids);

    /// When on_wake() is due.
    std::optional<Milliseconds> wakes_at() const;
    /// Pings a silent peer; fails for one whose answer is overdue.
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
