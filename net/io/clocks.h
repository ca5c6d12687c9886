/// The clocks of this machine, which only io reads.
#pragma once

#include <cstdint>

#include "net/peer/commands.h"

namespace petal::net {

/// The time now, by both clocks.
Now read_clocks();

/// The date, in seconds since 1970.
std::int64_t unix_time_now();

}  // namespace petal::net
