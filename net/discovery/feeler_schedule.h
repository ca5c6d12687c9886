/// Chooses the nodes that feelers test, and the times.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>

#include "net/discovery/addrman.h"
#include "net/peer/timers.h"

namespace petal::net {

/// Allows one feeler at a time, and one per interval (Bitcoin Core: ThreadOpenConnections). Reports
/// each result to the address manager.
class FeelerSchedule {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// `addrman` must outlive the schedule.
    FeelerSchedule(AddrMan& addrman, Reach reach, Milliseconds interval, Milliseconds now)
        : addrman_(addrman), reach_(reach), interval_(interval), next_(now + interval) {}

    /// The node to test now: a tried node whose slot another node wants, otherwise a new node.
    /// Empty while another feeler is running, or before the interval has passed.
    /// in_use      nodes that are connected or being dialled
    /// is_online   false if this machine may be offline, which skips this interval
    std::optional<PeerAddress> choose(const std::set<PeerAddress>& in_use, bool is_online, Now now);
    /// The time to choose the next node. Empty while a feeler is running.
    std::optional<Milliseconds> next_at() const;
    const std::optional<PeerAddress>& tested() const { return tested_; }

    void on_answered(std::uint64_t services, Now now);
    void on_failed(DisconnectReason reason, Now now);
    /// The feeler failed, but not because of the node.
    void on_no_verdict() { tested_.reset(); }

private:
    AddrMan& addrman_;
    Reach reach_;
    Milliseconds interval_;
    Milliseconds next_;
    std::optional<PeerAddress> tested_;
};

}  // namespace petal::net
