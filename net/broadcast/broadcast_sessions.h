/// The connections of a broadcast, and the state of each. The README has the state machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "net/broadcast/broadcast_report.h"
#include "net/peer/peer.h"
#include "net/peer/timers.h"

namespace petal::net {

/// Whether there may be peers beyond those that are connected.
enum class PeerAvailability : std::uint8_t {
    none,
    later,  ///< once one of them disconnects
    now,    ///< a peer is being dialled, or looked for
};

/// What changes the state of a session.
enum class RelayEvent : std::uint8_t {
    declines_all,     ///< the handshake is complete, and the peer takes no transactions
    takes_some,       ///< the handshake is complete, and the peer takes transactions
    declines_fee,     ///< the feefilter is above the transaction's fee
    takes_fee,        ///< the feefilter is not above the fee, or the peer has sent none
    announced_to_it,  ///< we sent the peer an announcement
    announced_by_it,  ///< or the peer says that it has the transaction
    fetched,          ///< the transaction was sent on request
    returned,         ///< the peer sent the transaction
    rejected,
    overdue,  ///< BroadcastSession::overdue_at has passed
};

struct BroadcastSession {
    using Milliseconds = std::chrono::milliseconds;

    /// A session's deadlines.
    enum class Due : std::uint8_t {
        connection,  ///< see Peer::on_wake()
        request,     ///< of the transaction from the peer
        overdue,     ///< of the peer's next step
    };

    bool is_open() const { return !shown.ended; }
    bool is(RelayStates states) const { return states.contains(shown.state); }
    /// Sets the time of the next request of the transaction from the peer.
    void request_after(Milliseconds pause, Now now);
    /// The same, after twice the last pause.
    void request_again(Now now);

    /// The earliest deadline. Empty once the connection has ended.
    std::optional<Deadline<Due>> next_deadline() const;

    Peer peer;
    BroadcastPeer shown;
    std::optional<Milliseconds> overdue_at{};
    std::optional<Milliseconds> request_at{};
    Milliseconds request_pause{};  ///< between the last two requests
    bool has_mempool_request = false;
};

/// How far the transaction has come with any peer, which decides how long the broadcast waits.
enum class BroadcastProgress : std::uint8_t {
    none,
    announced,
    known,    ///< a peer to which it was announced has it, and none has requested it
    fetched,  ///< a peer got the transaction from us
    relayed,  ///< a peer that did not get the transaction from us has announced it
};

struct BroadcastSessions {
    using Milliseconds = std::chrono::milliseconds;

    /// Applies an event to a session, and to the progress. Returns false if the event does not
    /// change the session's state.
    bool apply(BroadcastSession& session, RelayEvent event, Now now);

    /// The number of open connections in these states, with or without a filter of the wallet.
    std::size_t count(RelayStates states, std::optional<bool> has_filter = std::nullopt) const;
    /// The open connection of this id. Null if the connection is not open.
    BroadcastSession* find_open(PeerId peer);
    const BroadcastSession* find_open(PeerId peer) const;
    /// Whether the node is connected, or the transaction was announced to it.
    bool has_node(const std::string& node) const;
    bool has_spread() const { return progress == BroadcastProgress::relayed; }

    /// The time at which the broadcast has waited long enough, unless an event comes first. Empty
    /// if the broadcast waits for an event.
    std::optional<Milliseconds> enough_at() const;

    std::deque<BroadcastSession> all{};  ///< in the order of connection, including ended ones
    PeerAvailability availability = PeerAvailability::now;
    BroadcastProgress progress = BroadcastProgress::none;
    Milliseconds wait_until{};  ///< see enough_at(); meaningless without progress

private:
    void advance(BroadcastProgress to, Now now);
};

}  // namespace petal::net
