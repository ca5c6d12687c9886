/// Signals of the process.
#pragma once

namespace petal::net {

/// Whether the process ignores the signal. One that it was started with so stays ignored: nohup has
/// petal go on without a terminal by that.
bool is_ignored(int signal);

}  // namespace petal::net
