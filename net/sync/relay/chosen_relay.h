/// The relay of unconfirmed transactions beside a source that is chosen late.
#pragma once

#include <memory>
#include <optional>

#include "net/sync/relay/tx_relay.h"

namespace petal::net {

/// Stands for the relay that `sync.options.unconfirmed` and the source of matches call for, once
/// the source is chosen. Until then, it asks one peer for all transactions if the mode is `all`:
/// the flag of our version message cannot be changed later.
class ChosenRelay final : public TxRelay {
public:
    /// The source must outlive the relay.
    ChosenRelay(SyncContext& sync, MatchSource& source);

    /// Call this after the source may have been chosen.
    void choose();

    bool relays_all_from_next_peer() const override;
    void on_handshake_complete(SyncPeer& peer) override;
    void on_end(const SyncPeer& peer) override;
    void on_reorganised() override;
    bool is_reserved(const SyncPeer& peer) const override {
        return relay_ && relay_->is_reserved(peer);
    }
    void request_mempools(Now now) override;
    void ask_again() override;
    bool takes_from(const SyncPeer& peer, bool blocks_are_in) const override {
        return relay_ && relay_->takes_from(peer, blocks_are_in);
    }
    Outcome check(const SyncPeer& peer, const chain::Transaction& transaction,
                  const chain::Txid& txid) override;
    const SyncPeer* single_peer() const override {
        return relay_ ? relay_->single_peer() : nullptr;
    }

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now now) override;

private:
    MatchSource& source_;
    std::optional<MatchSourceKind> of_;  // the source that the relay was made for
    std::unique_ptr<TxRelay> relay_;
};

}  // namespace petal::net
