/// The program without its streams: runs the command of the arguments, returns an exit status.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "cli/text/command_error.h"

namespace petal::cli {

/// Runs the command of the arguments (without the program's name). A failure becomes one line on
/// standard error, with --json one object on standard output, too, and the exit status.
ExitStatus run(const std::vector<std::string>& arguments, Console& console);

}  // namespace petal::cli
