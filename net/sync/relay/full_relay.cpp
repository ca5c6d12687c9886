#include "net/sync/relay/full_relay.h"

#include <algorithm>

namespace petal::net {

namespace {

// A node that takes no transactions (Bitcoin Core: -blocksonly) has none to relay.
bool may_relay(const SyncPeer& peer) {
    return peer.relays_all && (!peer.is_ready() || peer.connection.takes_transactions());
}

}  // namespace

bool FullRelay::relays_all_from_next_peer() const {
    return sync_.options.wait_unconfirmed &&
           std::ranges::none_of(sync_.peers,
                                [](const auto& entry) { return may_relay(entry.second); });
}

const SyncPeer* FullRelay::single_peer() const {
    const auto found = std::ranges::find_if(sync_.peers, [](const auto& entry) {
        return entry.second.is_ready() && may_relay(entry.second);
    });
    return found == sync_.peers.end() ? nullptr : &found->second;
}

}  // namespace petal::net
