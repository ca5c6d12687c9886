/// Several syncs on one header chain, which download its headers once.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "net/sync/headers/too_new_header.h"

namespace petal::net {

/// Connects the engines of several watchers that share a HeaderChain: each has its own peers, but
/// while a peer of one engine sends headers, the other engines request none. Each engine sees new
/// headers in the chain itself (SyncEngine::is_current()).
class SharedHeaders {
public:
    /// One of the syncs.
    class Member {
    public:
        virtual ~Member() = default;
        /// The time until which the other syncs leave the download to this one; empty if it
        /// downloads nothing.
        virtual std::optional<std::chrono::milliseconds> downloads_until() const = 0;
        /// A peer that has shown an early header is gone: at its time, every peer is asked.
        virtual void expect_early(const TooNewHeader& header) = 0;
        /// Whether this block of the best chain was served to the sync, or a peer of the sync
        /// claims to have it.
        virtual bool can_get(const chain::BlockRef& block) const = 0;
    };

    /// The steady time until which another member may download headers alone; empty if no other
    /// member does.
    std::optional<std::chrono::milliseconds> busy_until(const Member& asking) const;

    /// Whether another member got this block of the best chain, or may get it.
    bool can_get(const chain::BlockRef& block, const Member& asking) const;

    /// A peer of any member that has shown an early header is gone: each member asks its peers.
    void expect_early(const TooNewHeader& header);

    /// The member takes part, until remove().
    void add(Member& member) { members_.push_back(&member); }
    void remove(Member& member) { std::erase(members_, &member); }

private:
    std::vector<Member*> members_;
};

}  // namespace petal::net
