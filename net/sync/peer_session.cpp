#include "net/sync/peer_session.h"

#include <algorithm>

#include "chain/transaction_rules.h"

namespace petal::net {

bool PeerSession::expects_transaction(std::size_t payload_bytes) const {
    if (transactions_due == 0) return false;
    // Those of a filtered block come without witnesses, which alone make more of a block.
    if (blocks.missing_transactions() > 0) return payload_bytes <= chain::kMaxStrippedBytes;
    // Each byte weighs at least one.
    return !requested.empty() && payload_bytes <= chain::kMaxRelayedWeight;
}

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
