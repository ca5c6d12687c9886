/// A branch of one peer with too little work to be stored.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "chain/expected.h"
#include "chain/headers/header_chain.h"
#include "chain/headers/header_presync.h"

namespace petal::net {

/// Presyncs a branch (chain::HeaderPresync), which downloads the branch twice and stores nothing of
/// the first download. Follows one branch at a time.
class UnstoredBranch {
public:
    /// Begins to follow a branch.
    void follow(const chain::NetworkParams& network, const chain::PresyncTask& task) {
        presync_ = std::make_unique<chain::HeaderPresync>(network, task);
    }
    void drop() { presync_.reset(); }
    /// Drops a branch that a reorganisation removed, so that the next branch counts as new. After
    /// the first time, the branch is only dropped, and false is returned, because a peer could
    /// feign reorganisations.
    bool drop_reorganised();
    bool is_followed() const { return presync_ != nullptr; }
    /// Whether the next header of the branch is a child of this block.
    bool continues_after(const chain::BlockHash& parent) const {
        return presync_ && presync_->next_after() == parent;
    }
    /// The locator for the next headers. Only while a branch is followed.
    std::vector<chain::BlockHash> locator(const chain::HeaderChain& chain) const;
    /// The height that the branch has reached. Empty if no branch is followed.
    std::optional<std::uint32_t> height() const {
        return presync_ ? std::optional(presync_->height()) : std::nullopt;
    }

    struct Step {
        /// Headers to be stored, of a branch with enough work.
        std::vector<chain::BlockHeader> worthy;
        /// Whether the branch reached a greater height than before. Repeated headers do not count,
        /// because a peer could repeat them forever.
        bool advanced = false;
        bool changed_phase = false;
    };
    /// Handles the next headers of the followed branch. The branch is dropped once all headers were
    /// returned as worthy.
    chain::Expected<Step, chain::PresyncError> take(
        const std::vector<chain::HashedHeader>& headers);

private:
    std::unique_ptr<chain::HeaderPresync> presync_;
    std::uint32_t record_ = 0;  // the greatest height of a first download
    bool was_reorganised_ = false;
};

}  // namespace petal::net
