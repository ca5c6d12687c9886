/// Starts /bin/sh for commands of the user.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace petal::cli {

/// Starts /bin/sh with these arguments. The shell gets the standard streams of this process, and no
/// other open files. Returns the process, or 0 on a failure.
/// redirect   changes the standard streams. May be empty
pid_t spawn_shell(std::vector<std::string> arguments,
                  const std::function<void(posix_spawn_file_actions_t&)>& redirect = {});

}  // namespace petal::cli
