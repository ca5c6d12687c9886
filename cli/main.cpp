/// The command `petal`.
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <ios>
#include <iostream>
#include <string>
#include <vector>

#include "cli/run.h"
#include "cli/secrets/wiping_output.h"
#include "cli/terminal/process_protection.h"
#include "net/io/dial/system_random.h"

namespace {

/// Redirects a standard stream through a WipingOutput during its lifetime.
class StandardStream {
public:
    StandardStream(std::ostream& stream, int descriptor)
        : stream_(stream), buffer_(descriptor), before_(stream.rdbuf(&buffer_)) {}
    ~StandardStream() { stream_.rdbuf(before_); }
    StandardStream(const StandardStream&) = delete;
    StandardStream& operator=(const StandardStream&) = delete;

private:
    std::ostream& stream_;
    petal::cli::WipingOutput buffer_;
    std::streambuf* before_;
};

}  // namespace

int main(int argc, char** argv) try {
    petal::cli::protect_process();
    petal::net::salt_tables();
    // A write beyond the limit on file sizes then fails with an error, like a write to a full disk,
    // and does not end the process.
    signal(SIGXFSZ, SIG_IGN);
    // C streams are not used. Without synchronisation, input is read in blocks instead of bytes.
    std::ios::sync_with_stdio(false);
    const StandardStream output(std::cout, STDOUT_FILENO);
    const StandardStream errors(std::cerr, STDERR_FILENO);
    auto console = petal::cli::Console::of_process();
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return static_cast<int>(petal::cli::run(arguments, console));
} catch (const std::exception& error) {  // before a command runs
    std::cerr << "error: " << error.what() << '\n';
    return static_cast<int>(petal::cli::ExitStatus::failed);
}
