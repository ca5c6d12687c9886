/// Sessions of a broadcast at various stages.
#pragma once

#include "net/broadcast/broadcast_sessions.h"

namespace petal::test {

inline net::BroadcastSession session_of(net::PeerId id, net::RelayState state,
                                        bool has_filter = false) {
    constexpr net::HandshakeAims kNone{.services = 0};
    net::BroadcastSession session{
        net::Peer{id, net::Version{}, kNone, {}, std::chrono::milliseconds{0}}, {}};
    session.shown.id = id;
    session.shown.state = state;
    session.shown.has_filter = has_filter;
    return session;
}

}  // namespace petal::test
