#include "net/sync/peer_session.h"

namespace petal::net {

std::optional<PeerSession::Milliseconds> PeerSession::give_up_at(
    Milliseconds handshake_timeout, Milliseconds answer_timeout) const {
    if (!is_ready()) return connected_at + handshake_timeout;
    std::optional<Milliseconds> time;
    if (headers->waiting_since()) time = headers_at + answer_timeout;
    if (blocks.in_flight() > 0 && (!time || served_at + answer_timeout < *time)) {
        time = served_at + answer_timeout;
    }
    if (sign_of_life_due && (!time || *sign_of_life_due < *time)) time = sign_of_life_due;
    return time;
}

}  // namespace petal::net
