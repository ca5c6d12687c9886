#include "cli/bitcoind/daemon.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iostream>
#include <system_error>
#include <utility>

#include "cli/bitcoind/init_error.h"

namespace petal::cli {
namespace {

/// Waits until the child tells success or ends.
[[noreturn]] void end_parent(int pipe) {
    char token = 0;
    ssize_t size = 0;
    do {
        size = read(pipe, &token, 1);
    } while (size < 0 && errno == EINTR);
    if (size == 1) _exit(0);
    std::cerr << "Error during initialization - check debug.log for details" << std::endl;
    _exit(1);
}

void leave_streams() {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
    if (nothing > STDERR_FILENO) close(nothing);
}

InitError fork_error() {
    return InitError("fork_daemon() failed: " + std::generic_category().message(errno));
}

}  // namespace

DaemonParent DaemonParent::fork() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw fork_error();
    const pid_t child = ::fork();
    if (child < 0) throw fork_error();
    if (child > 0) {
        close(ends[1]);
        end_parent(ends[0]);
    }
    close(ends[0]);
    setsid();
    leave_streams();
    return DaemonParent(ends[1]);
}

DaemonParent::DaemonParent(DaemonParent&& other) noexcept : pipe_(std::exchange(other.pipe_, -1)) {}

DaemonParent::~DaemonParent() {
    if (pipe_ >= 0) close(pipe_);
}

void DaemonParent::tell_success() {
    const char token = 1;
    // The parent may have been killed.
    [[maybe_unused]] const ssize_t written = write(pipe_, &token, 1);
    close(std::exchange(pipe_, -1));
}

}  // namespace petal::cli
