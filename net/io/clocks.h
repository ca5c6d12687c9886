/// The clocks of this machine. Only net/io reads them.
#pragma once

#include <cstdint>

#include "net/peer/commands.h"

namespace petal::net {

/// The steady time and the Unix time.
Now read_clocks();

/// Unix time, in seconds.
std::int64_t unix_time_now();

}  // namespace petal::net
