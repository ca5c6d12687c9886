/// One connection of a broadcast: what its peer was told, and what it showed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "net/broadcast/broadcast_report.h"
#include "net/peer/peer.h"
#include "net/peer/timers.h"

namespace petal::net {

struct BroadcastSession {
    using Milliseconds = std::chrono::milliseconds;

    /// What a session waits for.
    enum class Due : std::uint8_t {
        connection,  ///< see Peer::on_wake()
        ask,         ///< it is to be asked for the transaction
        overdue,     ///< it was told, and has not asked in time
    };

    bool is_open() const { return !shown.ended; }
    /// It has not said yet what it takes.
    bool is_new() const { return !settled; }
    bool is_told() const { return told_at.has_value(); }
    bool is_told_or_saw_it() const { return is_told() || shown.saw_it; }
    /// It has said what it takes, and this is part of it.
    bool takes_it() const;
    /// It takes the transaction, and could announce it unasked.
    bool watches() const { return takes_it() && !is_told(); }
    /// It takes no such transactions, or has not asked for this one in time. A peer that refuses it
    /// is of use: it says what is wrong.
    bool is_useless() const;
    /// It was told, and has not shown any interest.
    bool awaits_request() const;
    /// A peer that has not asked in time, or refuses, no longer counts, so that another is told in
    /// its place.
    bool counts_as_told() const;
    bool is_told_and_refuses() const { return is_told() && shown.refusal; }
    bool is_told_and_has_it() const { return is_told() && shown.has_it; }

    /// The earliest; nothing once the connection has ended.
    std::optional<Deadline<Due>> next_deadline() const;

    Peer peer;
    BroadcastPeer shown;
    bool settled = false;  ///< it has answered the ping behind which it has said what it takes
    std::optional<Milliseconds> told_at{};
    std::optional<Milliseconds> ask_at{};
    bool overdue = false;
    bool asked_mempool = false;
};

}  // namespace petal::net
