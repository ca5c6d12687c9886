/// All transactions of one peer, matched here.
#pragma once

#include "net/sync/relay/tx_relay.h"

namespace petal::net {

/// A single peer is asked to relay all transactions, so that they arrive once. The peer learns
/// nothing. If its connection ends, the next peer that connects is asked: without a filter, the
/// flag cannot be changed during a connection (BIP37).
class FullRelay final : public TxRelay {
public:
    explicit FullRelay(SyncContext& sync)
        : TxRelay(sync, {.by_single_peer = UnconfirmedMode::all}) {}

    bool relays_all_from_next_peer() const override;
    void request_mempools(Now /*now*/) override {}
    bool takes_from(const SyncPeer& peer, bool blocks_are_in) const override {
        return blocks_are_in && peer.relays_all;
    }
    const SyncPeer* single_peer() const override;
};

}  // namespace petal::net
