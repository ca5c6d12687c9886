/// The command `petal`.
#include <signal.h>

#include <ios>
#include <string>
#include <vector>

#include "cli/run.h"

int main(int argc, char** argv) {
    // A write beyond a limit on file sizes shall fail with an error, as on a full disk.
    signal(SIGXFSZ, SIG_IGN);
    // Nothing here uses C's streams; without them, input comes in blocks instead of by the byte.
    std::ios::sync_with_stdio(false);
    auto console = petal::cli::Console::of_process();
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return static_cast<int>(petal::cli::run(arguments, console));
}
