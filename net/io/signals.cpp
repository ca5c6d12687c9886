#include "net/io/signals.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>

namespace petal::net {
namespace {

constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::chrono::nanoseconds kTimeToStop = std::chrono::seconds{1};

// A signal handler may access only static data, and only lock-free atomics.
using Handler = void (*)(int);
std::array<std::atomic<Handler>, kStopSignals.size()> watched_handlers{};
std::atomic<std::int64_t> stop_requested_at{0};  // steady time in nanoseconds (0: not requested)
std::atomic<int> watches{0};
static_assert(std::atomic<Handler>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

std::int64_t steady_now() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::atomic<Handler>& watched_handler_of(int signal) {
    const auto place = std::find(kStopSignals.begin(), kStopSignals.end(), signal);
    return watched_handlers[static_cast<std::size_t>(place - kStopSignals.begin())];
}

void on_stop_signal(int signal) {
    const int error_before = errno;
    const std::int64_t first = stop_requested_at;
    if (watches > 0 && first != 0 && steady_now() - first >= kTimeToStop.count()) {
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        sigaction(signal, &action, nullptr);
        raise(signal);  // delivered when the handler returns
    } else {
        request_stop();
        watched_handler_of(signal).load()(signal);
    }
    errno = error_before;
}

}  // namespace

bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

StopSignalWatch::StopSignalWatch() {
    if (watches++ == 0) stop_requested_at = 0;
    for (const int signal : kStopSignals) {
        struct sigaction action {};
        sigaction(signal, nullptr, &action);
        const auto handler = action.sa_handler;
        if (handler == SIG_DFL || handler == SIG_IGN || handler == on_stop_signal) continue;
        watched_handler_of(signal) = handler;
        action.sa_handler = on_stop_signal;
        action.sa_flags &= ~SA_RESTART;  // so that blocking calls end
        sigaction(signal, &action, nullptr);
    }
}

StopSignalWatch::~StopSignalWatch() {
    --watches;
}

bool is_stop_requested() {
    return stop_requested_at != 0;
}

void request_stop() {
    std::int64_t not_yet = 0;
    stop_requested_at.compare_exchange_strong(not_yet, steady_now());
}

}  // namespace petal::net
