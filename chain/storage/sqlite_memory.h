/// SQLite's memory, through which the secret passes.
#pragma once

namespace petal::chain {

/// Makes SQLite wipe all memory that it frees, from the first call on. Has no effect if this
/// process used SQLite before: its allocator can't be replaced then.
void wipe_sqlite_memory();

}  // namespace petal::chain
