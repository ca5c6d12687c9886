/// Limits for targets that sync: their chains have some 100 blocks.
#pragma once

#include <cstddef>

#include "net/sync/state/sync_options.h"

namespace petal::fuzz {

/// Such filters are made, and saturate, faster than those of kFilterBytes in net/sync.
inline constexpr std::size_t kFilterBytes = 2'000;
/// Branches that fork more than 12 blocks deep are presynced.
inline constexpr net::HeaderLimits kHeaderLimits{.worthy_depth = 12};

}  // namespace petal::fuzz
