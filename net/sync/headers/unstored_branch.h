/// A branch that one peer sends and that has not shown enough work to be stored.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "chain/expected.h"
#include "chain/headers/header_chain.h"
#include "chain/headers/header_presync.h"

namespace petal::net {

/// Follows the branch by chain::HeaderPresync, which downloads it twice and stores nothing of the
/// first download; one branch at a time.
class UnstoredBranch {
public:
    /// Begins to follow a branch.
    void follow(const chain::NetworkParams& network, const chain::PresyncTask& task) {
        presync_ = std::make_unique<chain::HeaderPresync>(network, task);
    }
    void drop() { presync_.reset(); }
    bool is_followed() const { return presync_ != nullptr; }
    /// Whether the branch goes on with a header whose parent this is.
    bool continues_after(const chain::BlockHash& parent) const {
        return presync_ && presync_->next_after() == parent;
    }
    /// How to ask for what follows; only where a branch is followed.
    std::vector<chain::BlockHash> locator(const chain::HeaderChain& chain) const;
    /// How far the branch is known; nothing where none is followed.
    std::optional<std::uint32_t> height() const {
        return presync_ ? std::optional(presync_->height()) : std::nullopt;
    }

    struct Step {
        /// Headers that have shown their worth, for the chain.
        std::vector<chain::BlockHeader> worthy;
        /// It brought something that can't be repeated for ever.
        bool advanced = false;
        bool changed_phase = false;
    };
    /// Takes the next headers of the branch, which is followed; no longer once all of it is worthy.
    chain::Expected<Step, chain::PresyncError> take(
        const std::vector<chain::HashedHeader>& headers);

private:
    std::unique_ptr<chain::HeaderPresync> presync_;
    std::uint32_t record_ = 0;  // how far any first download has come
};

}  // namespace petal::net
