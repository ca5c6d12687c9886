/// Sessions of a broadcast at various stages.
#pragma once

#include "net/broadcast/broadcast_sessions.h"

namespace petal::test {

/// A peer that has just connected.
inline net::BroadcastSession new_session(net::PeerId id) {
    constexpr net::HandshakeAims kNone{.filters = false, .blocks = false, .addresses = false};
    net::BroadcastSession session{
        net::Peer{id, net::Version{}, kNone, {}, std::chrono::milliseconds{0}}, {}};
    session.shown.id = id;
    return session;
}

/// A peer that has stated its limits and takes the transaction.
inline net::BroadcastSession taker(net::PeerId id) {
    net::BroadcastSession session = new_session(id);
    session.settled = true;
    return session;
}

inline net::BroadcastSession taker_with_filter(net::PeerId id) {
    net::BroadcastSession session = taker(id);
    session.shown.has_filter = true;
    return session;
}

inline void announce_to(net::BroadcastSession& session) {
    session.shown.announced = true;
    session.announced_at = std::chrono::milliseconds{0};
}

}  // namespace petal::test
