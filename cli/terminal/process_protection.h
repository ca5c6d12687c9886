/// Protects the process's secrets and files. Called before anything else.
#pragma once

namespace petal::cli {

/// Disables core dumps, keeps processes of the same user from reading this process's memory, and
/// makes SQLite wipe memory before freeing. The descriptor of a closed standard stream is occupied,
/// so that no file that petal opens becomes a standard stream. Call this before any file is opened.
void protect_process();

}  // namespace petal::cli
