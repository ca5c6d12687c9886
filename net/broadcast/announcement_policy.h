/// Which peers of a broadcast are told of the transaction, and which make room for others.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "net/broadcast/broadcast_sessions.h"

namespace petal::net {

/// Half of the peers that accept the transaction are told of it, the first and every second one;
/// more if those do not request it, do not show it in time, or refuse it. A peer that does not
/// relay transactions, or does not request ours, is replaced if another peer can be connected.
/// Peers that have a filter of the wallet's only watch, and make room for others, unless no other
/// is to be had: told first, they would learn by the filter that the transaction is the wallet's.
/// One is told if no other has shown the transaction in time.
class AnnouncementPolicy {
public:
    using Milliseconds = std::chrono::milliseconds;
    using PeersToTell = std::vector<BroadcastSession*>;

    /// After so many useless peers were replaced, the next ones are likely to be useless, too.
    static constexpr int kMostReplaced = 16;

    /// How long the transaction is kept from peers that have a filter; each is empty once it is
    /// over, and both are if no peer has a filter.
    struct Sparing {
        std::optional<Milliseconds> search_until{};  ///< while any other peer may be found
        std::optional<Milliseconds> until{};         ///< while another has not shown it
    };

    explicit AnnouncementPolicy(Sparing sparing) : sparing_(sparing) {}

    /// To be called with the time before the next two.
    void on_time(Milliseconds now);
    /// The peer to disconnect for another one that waits for its place; null for none. Counts it as
    /// replaced.
    BroadcastSession* choose_replaced(BroadcastSessions& sessions);
    /// The peers to tell now, in order.
    /// has_spread   whether a peer that was not told has announced the transaction
    PeersToTell choose_told(BroadcastSessions& sessions, bool has_spread) const;

    /// When on_time() is due; empty if time alone changes nothing.
    std::optional<Milliseconds> next_deadline() const;

private:
    bool spares_filter_holders(const BroadcastSessions& sessions, bool has_spread) const;

    Sparing sparing_;
    int replaced_ = 0;
};

}  // namespace petal::net
