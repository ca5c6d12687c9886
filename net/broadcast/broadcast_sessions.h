/// The connections of a broadcast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "net/broadcast/broadcast_session.h"

namespace petal::net {

/// Whether there may be peers beyond those that are connected.
enum class PeerAvailability : std::uint8_t {
    none,
    later,  ///< once one of those is gone
    now,    ///< a peer is being dialled, or looked for
};

struct BroadcastSessions {
    /// How many of the open connections are such.
    std::size_t count(bool (BroadcastSession::*is)() const) const;
    /// The open connection of this id; null if there is none.
    BroadcastSession* find_open(PeerId peer);
    const BroadcastSession* find_open(PeerId peer) const;
    /// Whether the node is connected, or was told.
    bool has_node(const std::string& node) const;

    std::deque<BroadcastSession> all{};  ///< in the order of connection, ended ones too
    PeerAvailability availability = PeerAvailability::now;
};

}  // namespace petal::net
