/// A branch of one peer that has not reached the work required for storing it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "chain/expected.h"
#include "chain/headers/header_chain.h"
#include "chain/headers/header_presync.h"

namespace petal::net {

/// Presyncs a branch (chain::HeaderPresync): downloads it twice, and stores nothing of the first
/// download. One branch at a time.
class UnstoredBranch {
public:
    /// Begins to follow a branch.
    void follow(const chain::NetworkParams& network, const chain::PresyncTask& task) {
        presync_ = std::make_unique<chain::HeaderPresync>(network, task);
    }
    void drop() { presync_.reset(); }
    /// Drops a branch that a reorganisation removed, so that the next one counts as new. Returns
    /// false, and only drops it, after the first time: a peer could feign reorganisations.
    bool drop_reorganised();
    bool is_followed() const { return presync_ != nullptr; }
    /// Whether the next header of the branch is a child of this block.
    bool continues_after(const chain::BlockHash& parent) const {
        return presync_ && presync_->next_after() == parent;
    }
    /// The locator of the request for the next headers; only while a branch is followed.
    std::vector<chain::BlockHash> locator(const chain::HeaderChain& chain) const;
    /// The height that the branch has reached; empty if none is followed.
    std::optional<std::uint32_t> height() const {
        return presync_ ? std::optional(presync_->height()) : std::nullopt;
    }

    struct Step {
        /// Headers of a branch with enough work, to be stored.
        std::vector<chain::BlockHeader> worthy;
        /// Whether the branch got further than any before. Headers that the peer has sent before do
        /// not count: it could repeat them for ever.
        bool advanced = false;
        bool changed_phase = false;
    };
    /// Handles the next headers of the followed branch. The branch is dropped once all of its
    /// headers were returned as worthy.
    chain::Expected<Step, chain::PresyncError> take(
        const std::vector<chain::HashedHeader>& headers);

private:
    std::unique_ptr<chain::HeaderPresync> presync_;
    std::uint32_t record_ = 0;  // the maximum height of all first downloads
    bool was_reorganised_ = false;
};

}  // namespace petal::net
