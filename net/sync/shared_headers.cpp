#include "net/sync/shared_headers.h"

#include <algorithm>

#include "net/sync/header_follower.h"

namespace petal::net {

std::optional<std::chrono::milliseconds> SharedHeaders::busy_until(
    const HeaderFollower& asking) const {
    std::optional<std::chrono::milliseconds> until;
    for (const HeaderFollower* follower : followers_) {
        if (follower != &asking) until = std::max(until, follower->downloads_until());
    }
    return until;
}

bool SharedHeaders::can_get(const chain::BlockRef& block, const HeaderFollower& asking) const {
    return std::ranges::any_of(followers_, [&](const HeaderFollower* follower) {
        return follower != &asking && follower->can_get(block);
    });
}

void SharedHeaders::expect_early(const TooNewHeader& header) {
    for (HeaderFollower* follower : followers_) follower->expect_early(header);
}

}  // namespace petal::net
