/// Lets several syncs on one header chain download headers only once.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "net/sync/headers/too_new_header.h"

namespace petal::net {

/// Connects the engines of several watchers that share a HeaderChain. Each engine has its own
/// peers. While a peer of one engine sends headers, the other engines do not request headers. Each
/// engine detects new headers in the chain itself (SyncEngine::is_current()).
class SharedHeaders {
public:
    class Member {
    public:
        virtual ~Member() = default;
        /// Until when the other syncs leave the download to this sync. Empty if it downloads
        /// nothing.
        virtual std::optional<std::chrono::milliseconds> downloads_until() const = 0;
        /// A peer that showed an early header is gone. The sync asks its peers at the time of the
        /// header.
        virtual void expect_early(const TooNewHeader& header) = 0;
        /// Whether this block of the best chain was served to the sync, or a peer of the sync
        /// claims to have it.
        virtual bool can_get(const chain::BlockRef& block) const = 0;
    };

    /// The steady time until which another member may be the only one to download headers. Empty if
    /// no other member downloads.
    std::optional<std::chrono::milliseconds> busy_until(const Member& asking) const;

    /// Whether another member has got this block of the best chain, or may get it.
    bool can_get(const chain::BlockRef& block, const Member& asking) const;

    /// A peer that showed an early header is gone. Each member asks its peers at the time of the
    /// header.
    void expect_early(const TooNewHeader& header);

    /// Registers the member until remove().
    void add(Member& member) { members_.push_back(&member); }
    void remove(Member& member) { std::erase(members_, &member); }

private:
    std::vector<Member*> members_;
};

}  // namespace petal::net
