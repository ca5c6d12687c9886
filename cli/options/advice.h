/// Commands that messages advise the user to run.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.h"

namespace petal::cli {

/// A command line in backquotes, such as `petal --datadir '/mnt/my disk' --wallet savings sync`:
/// the command, with the options by which this command line says which wallet of which network is
/// meant, quoted for a shell. What the environment, the default config file and the defaults say
/// holds for the next command, too, and is left out. `command` has its arguments, such as `rescan
/// --from HEIGHT|DATE`.
std::string advised(std::string_view command, const GlobalOptions& global);

}  // namespace petal::cli
