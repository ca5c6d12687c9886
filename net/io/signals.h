/// Signals of the process.
#pragma once

namespace petal::net {

/// Whether the process ignores the signal. A signal that was ignored at the start stays ignored, so
/// that nohup works.
bool is_ignored(int signal);

}  // namespace petal::net
