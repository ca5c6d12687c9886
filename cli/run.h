/// The program apart from the process's streams: runs a command, returns an exit status.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "cli/text/command_error.h"

namespace petal::cli {

/// Runs the command of the arguments (without the program's name). A failure becomes the exit
/// status and one line on standard error. With --json, a failure also becomes one object on
/// standard output.
ExitStatus run(const std::vector<std::string>& arguments, Console& console);

}  // namespace petal::cli
