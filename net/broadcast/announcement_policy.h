/// Chooses the recipients of a broadcast's announcement, and the peers that are replaced.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "net/broadcast/broadcast_sessions.h"

namespace petal::net {

/// The transaction is announced to half of the peers that accept it. A recipient that does not
/// request the transaction, does not announce it back in time, or rejects it no longer counts, and
/// another peer becomes a recipient. A peer that does not relay transactions, or does not request
/// ours, is replaced if another peer can be connected.
///
/// Peers that have a filter of the wallet only observe, and are replaced if peers without a filter
/// can be found. If the first recipient has a filter, it learns from the filter that the wallet
/// owns the transaction. If no observer has announced the transaction in time, the recipients may
/// be withholding it. The transaction is then announced to the remaining observers without a
/// filter, and to one peer with a filter.
class AnnouncementPolicy {
public:
    using Milliseconds = std::chrono::milliseconds;
    using Recipients = std::vector<BroadcastSession*>;

    /// After this many replacements of useless peers, the next peers are likely to be useless, too.
    static constexpr int kMostReplaced = 16;

    /// Until when the transaction is withheld from peers that have a filter.
    struct Patience {
        Milliseconds search_until{};  ///< while another peer may be found
        Milliseconds until{};         ///< while another has not announced it
    };

    /// patience   empty if no peer has a filter
    explicit AnnouncementPolicy(std::optional<Patience> patience) : patience_(patience) {}

    /// The peer to disconnect so that a better one can be connected. Counts the peer as replaced.
    /// Null if no peer is to be replaced.
    BroadcastSession* choose_replaced(BroadcastSessions& sessions, Now now);
    /// The peers to which the transaction is announced now, in order.
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
