/// Protects the process's secrets and its files. Called before anything else.
#pragma once

namespace petal::cli {

/// Disables core dumps of this process, keeps processes of the same user from reading its memory,
/// and makes SQLite wipe memory before freeing it. Standard streams that are closed can be neither
/// read nor written from then on, and no file gets their place. Call this before any file is
/// opened.
void protect_process();

}  // namespace petal::cli
