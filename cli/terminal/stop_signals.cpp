#include "cli/terminal/stop_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <system_error>

namespace petal::cli {
namespace {

// A signal handler can access only static data. The handler writes a byte to the pipe. The byte
// wakes a waiting poll(), whichever thread receives the signal.
std::array<int, 2> signal_pipe{-1, -1};
std::atomic<bool> signal_came{false};  // stop() may be called on another thread
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
    const int error_before = errno;
    signal_came = true;
    const char byte = 0;
    // A full pipe wakes poll() too.
    [[maybe_unused]] const ssize_t written = write(signal_pipe[1], &byte, 1);
    errno = error_before;
}

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// For poll(): rounded up, so that the time has passed when poll() returns. -1 for no limit.
int milliseconds_until(std::optional<std::chrono::steady_clock::time_point> until) {
    if (!until) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

}  // namespace

StopSignals::StopSignals() {
    assert(signal_pipe[0] < 0);
    if (pipe2(signal_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) fail("pipe");
    signal_came = false;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, &interrupt_before_);
    sigaction(SIGTERM, &action, &terminate_before_);
    sigaction(SIGHUP, nullptr, &hang_up_before_);
    if (!net::is_ignored(SIGHUP)) sigaction(SIGHUP, &action, nullptr);
    watch_.emplace();
}

StopSignals::~StopSignals() {
    sigaction(SIGINT, &interrupt_before_, nullptr);
    sigaction(SIGTERM, &terminate_before_, nullptr);
    sigaction(SIGHUP, &hang_up_before_, nullptr);
    for (int& descriptor : signal_pipe) {
        close(descriptor);
        descriptor = -1;
    }
}

void StopSignals::stop() {
    net::request_stop();
    on_signal(SIGTERM);
}

bool StopSignals::stopped() const {
    return signal_came;
}

StopSignals::Event StopSignals::wait(
    std::optional<int> input, std::optional<std::chrono::steady_clock::time_point> until) const {
    std::array<pollfd, 2> watched{pollfd{signal_pipe[0], POLLIN, 0},
                                  pollfd{input.value_or(-1), POLLIN, 0}};
    for (;;) {
        const int ready = poll(watched.data(), watched.size(), milliseconds_until(until));
        if (ready < 0 && errno != EINTR) fail("poll");
        if (stopped()) return Event::stopped;
        if (ready > 0 && watched[1].revents != 0) return Event::input;
        if (until && std::chrono::steady_clock::now() >= *until) return Event::timeout;
    }
}

}  // namespace petal::cli
