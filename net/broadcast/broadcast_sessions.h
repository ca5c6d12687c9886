/// The connections of a broadcast.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "net/broadcast/broadcast_session.h"

namespace petal::net {

/// Whether there may be peers beyond those that are connected.
enum class PeerAvailability : std::uint8_t {
    none,
    later,  ///< once one of them disconnects
    now,    ///< a peer is being dialled, or looked for
};

/// As Timed, it passes on each deadline of a session to `on_due`.
struct BroadcastSessions final : public Timed {
    /// How many of the open connections are such.
    std::size_t count(bool (BroadcastSession::*is)() const) const;
    /// The open connection of this id; null if there is none.
    BroadcastSession* find_open(PeerId peer);
    const BroadcastSession* find_open(PeerId peer) const;
    /// Whether the node is connected, or the transaction was announced to it.
    bool has_node(const std::string& node) const;

    std::optional<std::chrono::milliseconds> wakes_at() const override;
    void on_wake(Now now) override;
    std::function<void(BroadcastSession&, BroadcastSession::Due, Now)> on_due{};

    std::deque<BroadcastSession> all{};  ///< in the order of connection, including ended ones
    PeerAvailability availability = PeerAvailability::now;
};

}  // namespace petal::net
