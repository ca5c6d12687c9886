#include "net/sync/peer_session.h"

#include <algorithm>

namespace petal::net {

// Other answers come behind those blocks that were asked for before.
std::optional<PeerSession::Milliseconds> PeerSession::give_up_at(const Patience& patience) const {
    if (!is_ready()) return connected_at + patience.handshake;
    std::optional<Milliseconds> time;
    if (blocks.in_flight() > 0) {
        time = served_at + patience.block;
    } else if (headers->waiting_since()) {
        time = std::max(headers_at, served_at) + patience.answer;
    }
    if (sign_of_life_due && (!time || *sign_of_life_due < *time)) time = sign_of_life_due;
    return time;
}

}  // namespace petal::net
