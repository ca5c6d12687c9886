/// Why another process's sync makes no progress, for people.
#pragma once

#include <string>

#include "client/data/sync_standing.h"

namespace petal::cli {

/// The rest of a sentence that starts with the sync: "has no peer". Empty without trouble.
std::string trouble_sentence(const client::SyncStanding& standing);

}  // namespace petal::cli
