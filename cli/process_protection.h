/// Protects secrets in the process's memory; called before anything else.
#pragma once

namespace petal::cli {

/// Disables core dumps of this process, keeps processes of the same user from reading its memory,
/// and makes SQLite wipe memory before freeing it. Call this before SQLite is used.
void protect_process();

}  // namespace petal::cli
