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
class AnnouncementPolicy {
public:
    using Milliseconds = std::chrono::milliseconds;
    using Recipients = std::vector<BroadcastSession*>;

    /// After this many replacements of useless peers, the next peers are likely to be useless, too.
    static constexpr int kMostReplaced = 16;

    /// How long the transaction is withheld from peers that have a filter.
    struct Patience {
        Milliseconds search_until{};  ///< while another peer may be found
        Milliseconds until{};         ///< while another has not announced it
    };

    /// patience   empty if no peer has a filter
    explicit AnnouncementPolicy(std::optional<Patience> patience) : patience_(patience) {}

    /// The peer to disconnect so that another one can be connected; null if there is none. Counts
    /// it as replaced.
    BroadcastSession* choose_replaced(BroadcastSessions& sessions, Now now);
    /// The peers to announce the transaction to now, in order.
    Recipients choose_recipients(BroadcastSessions& sessions, Now now) const;

    /// When the choices change by themselves, after this time.
    std::optional<Milliseconds> next_change(Now now) const;

private:
    bool is_searching(Now now) const { return patience_ && now.steady < patience_->search_until; }
    bool is_out_of_patience(Now now) const { return patience_ && now.steady >= patience_->until; }
    bool withholds_from_filter_peers(const BroadcastSessions& sessions, Now now) const;

    std::optional<Patience> patience_;
    int replaced_ = 0;
};

}  // namespace petal::net
