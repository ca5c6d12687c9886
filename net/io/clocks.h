/// The clocks of this machine, which only io reads.
#pragma once

#include "net/sync/commands.h"

namespace petal::net {

/// The time now, by both clocks.
Now read_clocks();

}  // namespace petal::net
