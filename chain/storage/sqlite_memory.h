/// SQLite's memory, which may contain the wallet's secret.
#pragma once

namespace petal::chain {

/// Makes SQLite wipe all memory before it is freed. Must be called before the process uses SQLite.
/// Later, the allocator can't be replaced, and the call has no effect.
void wipe_sqlite_memory();

}  // namespace petal::chain
