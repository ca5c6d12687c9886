/// The program petal-bitcoind: the regtest node with bitcoind's arguments and files.
#pragma once

#include <string>
#include <vector>

namespace petal::cli {

/// Runs the node until `stop`, SIGTERM or SIGINT. Returns the exit status: 0, or 1 after a line
/// `Error: …` on standard error.
/// arguments   without the program's name
int run_bitcoind(const std::vector<std::string>& arguments);

}  // namespace petal::cli
