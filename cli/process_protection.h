/// Protects secrets that may pass through the process's memory; called before anything else.
#pragma once

namespace petal::cli {

/// No core dump of this process is written, processes of the same user can't read its memory, and
/// SQLite wipes memory before it gives it back. To be called before SQLite is used.
void protect_process();

}  // namespace petal::cli
