/// Several syncs on one header chain, which download its headers once.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "net/sync/headers/too_new_header.h"

namespace petal::net {

class HeaderFollower;

/// Connects the engines of several watchers that share a HeaderChain: each has its own peers, but
/// while a peer of one engine sends headers, the other engines request none. Each engine sees new
/// headers in the chain itself (SyncEngine::is_current()).
class SharedHeaders {
public:
    /// The steady time until which another follower may download headers alone; empty if no other
    /// follower does.
    std::optional<std::chrono::milliseconds> busy_until(const HeaderFollower& asking) const;

    /// Whether another follower's sync got this block of the best chain, or may get it.
    bool can_get(const chain::BlockRef& block, const HeaderFollower& asking) const;

    /// A peer of any follower that has shown an early header is gone: each follower asks its peers.
    void expect_early(const TooNewHeader& header);

    /// The follower takes part, until remove().
    void add(HeaderFollower& follower) { followers_.push_back(&follower); }
    void remove(HeaderFollower& follower) { std::erase(followers_, &follower); }

private:
    std::vector<HeaderFollower*> followers_;
};

}  // namespace petal::net
