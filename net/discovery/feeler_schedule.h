/// Chooses the node that a feeler tests, and when.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>

#include "net/discovery/addrman.h"
#include "net/peer/timers.h"

namespace petal::net {

/// One feeler at a time, at most one in each interval (Bitcoin Core: ThreadOpenConnections).
/// Reports each result to the address manager.
class FeelerSchedule {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// `addrman` must outlive the schedule.
    FeelerSchedule(AddrMan& addrman, Reach reach, Milliseconds interval, Milliseconds now)
        : addrman_(addrman), reach_(reach), interval_(interval), next_(now + interval) {}

    /// The node to test now: first a tried node whose slot another node would take, else a new
    /// node. Empty while another feeler is running, or before the interval has passed.
    /// in_use      nodes that are connected, or being dialled
    /// is_online   false if this machine may be offline; then this interval is skipped
    std::optional<PeerAddress> choose(const std::set<PeerAddress>& in_use, bool is_online, Now now);
    /// The time to choose the next node; empty while one is running.
    std::optional<Milliseconds> next_at() const;
    /// The node that is being tested.
    const std::optional<PeerAddress>& tested() const { return tested_; }

    void on_answered(std::uint64_t services, Now now);
    void on_failed(DisconnectReason reason, Now now);
    /// The feeler failed for a reason that is not the node's.
    void on_no_verdict() { tested_.reset(); }

private:
    AddrMan& addrman_;
    Reach reach_;
    Milliseconds interval_;
    Milliseconds next_;
    std::optional<PeerAddress> tested_;
};

}  // namespace petal::net
