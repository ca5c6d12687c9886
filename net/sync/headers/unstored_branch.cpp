#include "net/sync/headers/unstored_branch.h"

#include <algorithm>
#include <utility>

namespace petal::net {

std::vector<chain::BlockHash> UnstoredBranch::locator(const chain::HeaderChain& chain) const {
    const std::uint32_t height = std::min(presync_->start_height(), chain.tip().height);
    std::vector<chain::BlockHash> locator = chain.locator(height);
    locator.insert(locator.begin(), presync_->next_after());
    return locator;
}

bool UnstoredBranch::drop_reorganised() {
    drop();
    if (std::exchange(was_reorganised_, true)) return false;
    record_ = 0;
    return true;
}

chain::Expected<UnstoredBranch::Step, chain::PresyncError> UnstoredBranch::take(
    const std::vector<chain::HashedHeader>& headers) {
    using Phase = chain::HeaderPresync::Phase;
    const Phase before = presync_->phase();
    auto worthy = presync_->take(headers);
    if (!worthy) return chain::Unexpected(worthy.error());
    Step step{*std::move(worthy)};
    step.changed_phase = presync_->phase() != before;
    // A peer may repeat the first download, but only a longer download counts as progress.
    step.advanced =
        before == Phase::second_download || step.changed_phase || presync_->height() > record_;
    if (before == Phase::first_download) record_ = std::max(record_, presync_->height());
    if (presync_->phase() == Phase::done) presync_.reset();
    return step;
}

}  // namespace petal::net
