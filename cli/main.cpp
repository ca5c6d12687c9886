/// The command `petal`.
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <ios>
#include <iostream>
#include <string>
#include <vector>

#include "cli/process_protection.h"
#include "cli/run.h"
#include "cli/wallet/wiping_output.h"
#include "net/io/dial/system_random.h"

namespace {

/// Redirects standard output through a WipingOutput during its lifetime.
class StandardOutput {
public:
    StandardOutput() : buffer_(STDOUT_FILENO), before_(std::cout.rdbuf(&buffer_)) {}
    ~StandardOutput() { std::cout.rdbuf(before_); }
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;

private:
    petal::cli::WipingOutput buffer_;
    std::streambuf* before_;
};

}  // namespace

int main(int argc, char** argv) try {
    petal::cli::protect_process();
    petal::net::salt_tables();
    // A write beyond a limit on file sizes shall fail with an error, as on a full disk.
    signal(SIGXFSZ, SIG_IGN);
    // C streams are not used; without synchronisation, input is read in blocks instead of bytes.
    std::ios::sync_with_stdio(false);
    const StandardOutput output;
    auto console = petal::cli::Console::of_process();
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return static_cast<int>(petal::cli::run(arguments, console));
} catch (const std::exception& error) {  // before a command runs
    std::cerr << "error: " << error.what() << '\n';
    return static_cast<int>(petal::cli::ExitStatus::failed);
}
