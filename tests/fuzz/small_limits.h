/// Limits for targets that sync chains of some 100 blocks.
#pragma once

#include <cstddef>

#include "net/sync/state/sync_options.h"
#include "regtest/node_behaviour.h"

namespace petal::fuzz {

/// Filters of this size are made, and saturate, faster than filters of net's kFilterBytes.
inline constexpr std::size_t kFilterBytes = 2'000;
/// Branches that fork more than 12 blocks deep are presynced.
inline constexpr net::HeaderLimits kHeaderLimits{.per_message = 16, .worthy_depth = 12};
inline constexpr regtest::NodeLimits kNodeLimits{.headers_per_message = kHeaderLimits.per_message,
                                                 .send_buffer_bytes = 50'000,
                                                 .turn_bytes = 12'800};

}  // namespace petal::fuzz
