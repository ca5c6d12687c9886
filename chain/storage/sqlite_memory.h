/// SQLite's memory, through which the secret passes.
#pragma once

namespace petal::chain {

/// Has SQLite wipe whatever memory it gives back, from the first call on. Without effect where
/// SQLite was used in this process before, as its memory can't be exchanged then.
void wipe_sqlite_memory();

}  // namespace petal::chain
