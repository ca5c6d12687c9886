#include "net/sync/shared_headers.h"

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

void SharedHeaders::expect_early(const TooNewHeader& header) {
    for (HeaderFollower* follower : followers_) follower->expect_early(header);
}

}  // namespace petal::net
