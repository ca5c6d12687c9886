/// The peers' filters: loaded when they are needed, added to, and renewed before they saturate.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "net/sync/filters/watch_index.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

class FilterKeeper {
public:
    explicit FilterKeeper(SyncContext& sync) : sync_(sync) {}

    /// The watched elements and outpoints by which full blocks are searched: the watch list, the
    /// base, and the matched outpoints.
    WatchIndex& watch_index();
    /// The watch list grew, or the matched outpoints changed: rebuilds watch_index() at its next
    /// use.
    void forget_watch_index() { watch_index_.reset(); }

    /// Each peer is sent a new filter before the next request to it.
    void mark_all_stale();
    /// Whether any filter that is not marked stale yet is saturating.
    bool any_saturates();
    /// Marks the peer's filter stale if it is saturating.
    void mark_if_saturating(SyncPeer& peer) { peer.filter_stale |= is_saturating(peer); }
    /// Loads a filter if the peer has none or a stale one.
    void refresh(SyncPeer& peer);
    /// Sends `filteradd` for the outpoints to all peers except `has_them`, which inserted them
    /// itself (UPDATE_ALL). This reveals nothing, because outpoints of false positives are added,
    /// too.
    void add_to_all(const std::vector<chain::Outpoint>& outpoints,
                    const SyncPeer* has_them = nullptr);

    /// The number of blocks in flight that keeps the peer busy.
    std::size_t busy_window(const SyncPeer& peer) const;
    /// The number of blocks that may be in flight: busy_window(), reduced to the blocks whose
    /// matches the filter has room for. Blocks in flight can saturate the filter before a new one
    /// reaches the peer.
    std::size_t window(const SyncPeer& peer);

private:
    std::size_t outpoints_of_next_filter() const;
    double rate_of_next_filter();
    double room_of_next_filter();
    double room_of(const SyncPeer& peer);
    std::size_t expected_in_flight(const SyncPeer& peer) const;
    bool is_saturating(const SyncPeer& peer);

    SyncContext& sync_;
    std::optional<WatchIndex> watch_index_;
};

}  // namespace petal::net
