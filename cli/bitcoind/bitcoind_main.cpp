/// The program `petal-bitcoind`.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <ios>
#include <iostream>
#include <string>
#include <vector>

#include "cli/bitcoind/bitcoind.h"
#include "net/io/dial/system_random.h"

int main(int argc, char** argv) try {
    petal::net::salt_tables();
    // Writes to a reader that is gone, or beyond the limit on file sizes, fail with an error.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGHUP, SIG_IGN);  // bitcoind reopens its log, and does not end
    std::ios::sync_with_stdio(false);
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return petal::cli::run_bitcoind(arguments);
} catch (const std::exception& error) {
    std::cerr << "Error: " << error.what() << std::endl;
    return 1;
}
