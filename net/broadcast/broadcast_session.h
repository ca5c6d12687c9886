/// One connection of a broadcast: what was announced to the peer, and its answers.
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

    /// A session's deadlines.
    enum class Due : std::uint8_t {
        connection,  ///< see Peer::on_wake()
        request,     ///< of the transaction from it
        overdue,     ///< it has not requested the transaction in time, or not announced it after
    };

    bool is_open() const { return !shown.ended; }
    /// Whether the peer has not stated yet which transactions it accepts.
    bool is_new() const { return !settled; }
    /// Whether the transaction was announced to the peer.
    bool is_recipient() const { return announced_at.has_value(); }
    bool is_recipient_or_saw_it() const { return is_recipient() || shown.saw_it; }
    /// Whether the peer has stated its limits and accepts the transaction.
    bool takes_it() const;
    /// Whether the peer has no filter of the wallet's, and accepts the transaction or has not
    /// stated its limits yet. False once it has missed a deadline.
    bool may_take_it_without_filter() const;
    /// may_take_it_without_filter() of a peer that has stated its limits.
    bool takes_it_without_filter() const { return !is_new() && may_take_it_without_filter(); }
    /// Whether the peer has no filter of the wallet's and has announced the transaction.
    bool has_it_without_filter() const { return !shown.has_filter && shown.has_it; }
    /// Whether the peer accepts the transaction and it was not announced to the peer, so that the
    /// peer's own announcement shows a relay.
    bool observes() const { return takes_it() && !is_recipient(); }
    /// observes() of a peer that has a filter of the wallet's.
    bool observes_with_filter() const { return observes() && shown.has_filter; }
    bool counts_as_recipient_with_filter() const {
        return counts_as_recipient() && shown.has_filter;
    }
    /// Whether the peer does not accept the transaction, or has not requested it in time. A peer
    /// that sends `reject` is useful: it states the reason.
    bool is_useless() const;
    /// Whether the transaction was announced to the peer, which has not requested it yet.
    bool awaits_request() const;
    /// Whether it has not requested the transaction in time.
    bool ignores_it() const { return overdue && awaits_request(); }
    /// Whether the peer got the transaction, and has neither announced nor refused it.
    bool is_silent() const;
    /// Whether it has not announced the transaction in time: it may keep it to itself.
    bool keeps_silent() const { return overdue && is_silent(); }
    /// A peer that has not requested the transaction in time, has not announced it in time, or
    /// refuses it, no longer counts, so that it is announced to another.
    bool counts_as_recipient() const;
    bool is_recipient_and_refuses() const { return is_recipient() && shown.refusal; }
    bool is_recipient_and_has_it() const { return is_recipient() && shown.has_it; }

    /// The earliest deadline; empty once the connection has ended.
    std::optional<Deadline<Due>> next_deadline() const;

    Peer peer;
    BroadcastPeer shown;
    bool settled = false;  ///< it answered the ping, and so has stated its limits
    std::optional<Milliseconds> announced_at{};
    std::optional<Milliseconds> fetched_at{};  ///< first
    std::optional<Milliseconds> request_at{};
    Milliseconds request_pause{};  ///< between the last two requests
    bool overdue = false;
    bool has_mempool_request = false;
};

}  // namespace petal::net
