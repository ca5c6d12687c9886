/// The peers' filters: loaded when they are needed, added to, and renewed before they saturate.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "net/sync/filters/watch_index.h"
#include "net/sync/sync_context.h"

namespace petal::net {

class FilterKeeper {
public:
    explicit FilterKeeper(SyncContext& sync) : sync_(sync) {}

    /// What is watched, for full blocks: the watch list, the base, and what has matched.
    WatchIndex& watch_index();
    /// What is watched has grown, or what is remembered of matches has changed.
    void forget_watch_index() { watch_index_.reset(); }

    /// All peers need new filters before they are asked for anything.
    void mark_all_stale();
    /// Whether any peer's filter saturates that is not stale yet.
    bool any_saturates();
    /// The peer needs a new filter if its own saturates.
    void mark_if_saturating(SyncPeer& peer) { peer.filter_stale |= is_saturating(peer); }
    /// Loads the peer's filter where it has none or a stale one.
    void refresh(SyncPeer& peer);
    /// Has peers add outpoints to their filters, but for the one that has added them by itself.
    /// That they come tells nothing: they come for all that matches, false ones too.
    void add_to_all(const std::vector<chain::Outpoint>& outpoints,
                    const SyncPeer* has_them = nullptr);

    /// How many blocks keep the peer busy.
    std::size_t busy_window(const SyncPeer& peer) const;
    /// How many blocks the peer may be asked for at once: so many, but no more than its filter has
    /// room for the matches of. What is in flight can fill the filter before any other one reaches
    /// the peer.
    std::size_t window(const SyncPeer& peer);

private:
    double room_of_next_filter();
    double room_of(const SyncPeer& peer);
    bool is_saturating(const SyncPeer& peer);

    SyncContext& sync_;
    std::optional<WatchIndex> watch_index_;
};

}  // namespace petal::net
