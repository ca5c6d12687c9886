/// SIGINT, SIGTERM and SIGHUP as something that can be waited for.
#pragma once

#include <signal.h>

#include <chrono>
#include <optional>

namespace petal::cli {

/// While it lasts, the two signals no longer end the process. At most one at a time, as signals are
/// the process's.
class StopSignals {
public:
    /// Throws std::system_error.
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// As if one of them came; from any thread.
    static void stop();
    /// Whether one of them came.
    bool stopped() const;

    enum class Event : std::uint8_t { stopped, input, timeout };
    /// Waits for a signal, for something to read from `input` (a file descriptor, where one is
    /// given), or until the time, where one is given.
    Event wait(std::optional<int> input,
               std::optional<std::chrono::steady_clock::time_point> until) const;

private:
    struct sigaction interrupt_before_ {};
    struct sigaction terminate_before_ {};
    struct sigaction hang_up_before_ {};
};

}  // namespace petal::cli
