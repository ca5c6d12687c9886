/// The transactions that match a filter of the awaited addresses, from one peer.
#pragma once

#include <optional>
#include <vector>

#include "bloom/bloom_filter.h"
#include "net/sync/relay/tx_relay.h"

namespace petal::net {

/// A single peer gets a filter of the awaited addresses alone (make_awaited_filter()). Until the
/// filter is sent, the choice is open: first the node that had the filter in the last run
/// (SyncOptions::relay_node), then the peer that has served the fewest blocks. Afterwards another
/// peer is chosen only if the connection ends.
///
/// With compact filters, the chosen peer serves no blocks if another peer can. Otherwise the chosen
/// peer would see which blocks are downloaded in full, and could search these blocks for
/// transactions that match its filter.
class AwaitedRelay final : public TxRelay {
public:
    /// How often the filter is compared with what the watcher awaits.
    static constexpr Milliseconds kRenewal{600'000};
    /// How long the last run's node may take to connect before another node gets the filter.
    static constexpr Milliseconds kPatience{5'000};

    AwaitedRelay(SyncContext& sync, MatchSource& source);

    void on_handshake_complete(SyncPeer& peer) override;
    void on_end(const SyncPeer& peer) override;
    void on_reorganised() override;
    bool is_reserved(const SyncPeer& peer) const override;
    /// Sends the filter first. Waits for the node of the last run.
    void request_mempools(Now now) override;
    bool takes_from(const SyncPeer& peer, bool /*blocks_are_in*/) const override {
        return filter_ && chosen_ == peer.id();
    }
    Outcome check(const SyncPeer& peer, const chain::Transaction& transaction,
                  const chain::Txid& txid) override;
    const SyncPeer* single_peer() const override;

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now now) override;

private:
    void choose();
    bool is_remembered(const SyncPeer& peer) const;
    bool awaits_remembered(Now now);
    void load_filter(SyncPeer& peer, Now now);

    MatchSource& source_;
    std::optional<PeerId> chosen_;
    // Of the chosen peer, once it was sent: the present filter, and the one before.
    std::optional<bloom::BloomFilter> filter_;
    std::optional<bloom::BloomFilter> earlier_filter_;
    std::vector<std::vector<chain::Bytes>> groups_;  // of `filter_`
    std::optional<Milliseconds> renews_at_;
    std::optional<Milliseconds> waits_until_;  // for the node of the last run
    bool has_waited_ = false;
};

}  // namespace petal::net
