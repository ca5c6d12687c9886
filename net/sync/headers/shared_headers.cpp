#include "net/sync/headers/shared_headers.h"

#include <algorithm>

namespace petal::net {

std::optional<std::chrono::milliseconds> SharedHeaders::busy_until(const Member& asking) const {
    std::optional<std::chrono::milliseconds> until;
    for (const Member* member : members_) {
        if (member != &asking) until = std::max(until, member->downloads_until());
    }
    return until;
}

bool SharedHeaders::can_get(const chain::BlockRef& block, const Member& asking) const {
    return std::ranges::any_of(members_, [&](const Member* member) {
        return member != &asking && member->can_get(block);
    });
}

void SharedHeaders::expect_early(const TooNewHeader& header) {
    for (Member* member : members_) member->expect_early(header);
}

}  // namespace petal::net
