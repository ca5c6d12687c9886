/// Decides to which peers of a broadcast the transaction is announced, and which peers are
/// replaced.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "net/broadcast/broadcast_sessions.h"

namespace petal::net {

/// The transaction is announced to the first and every second of the peers that accept it; to more
/// if some of those do not request it, do not announce it back in time, or refuse it. A peer that
/// does not relay transactions, or does not request ours, is replaced if another peer can be
/// connected.
///
/// Peers that have a filter of the wallet only observe, and are replaced if other peers can be
/// found. If such a peer were the first recipient, it would learn from the filter that the
/// transaction is the wallet's. If no other peer has announced the transaction in time, those that
/// got it may keep it to themselves: it is announced to the other observers, and to one of these.
class AnnouncementPolicy final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;
    using Recipients = std::vector<BroadcastSession*>;

    /// After this many replacements of useless peers, the next peers are likely to be useless, too.
    static constexpr int kMostReplaced = 16;

    /// How long the transaction is withheld from peers that have a filter; each is empty once it is
    /// over, and both are if no peer has a filter.
    struct Patience {
        std::optional<Milliseconds> search_until{};  ///< while another peer may be found
        std::optional<Milliseconds> until{};         ///< while another has not announced it
    };

    explicit AnnouncementPolicy(Patience patience) : patience_(patience) {}

    /// The peer to disconnect so that another one can be connected; null if there is none. Counts
    /// it as replaced.
    BroadcastSession* choose_replaced(BroadcastSessions& sessions);
    /// The peers to announce the transaction to now, in order.
    /// has_spread   whether a peer has announced the transaction that did not get it from us
    Recipients choose_recipients(BroadcastSessions& sessions, bool has_spread) const;

    std::optional<Milliseconds> wakes_at() const override { return time_of(next_deadline()); }
    void on_wake(Now now) override;

private:
    using Span = std::optional<Milliseconds> Patience::*;

    std::optional<Deadline<Span>> next_deadline() const;
    bool withholds_from_filter_peers(const BroadcastSessions& sessions, bool has_spread) const;

    Patience patience_;
    bool is_out_of_patience_ = false;  // no other peer has announced it in time
    int replaced_ = 0;
};

}  // namespace petal::net
