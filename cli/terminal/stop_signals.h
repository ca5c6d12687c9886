/// Waits for SIGINT, SIGTERM and SIGHUP.
#pragma once

#include <signal.h>

#include <chrono>
#include <optional>

#include "net/io/signals.h"

namespace petal::cli {

/// While an object exists, the first signal does not end the process, but ends a blocked write
/// (StopSignalWatch). At most one object at a time, because signals are per process.
class StopSignals {
public:
    /// Throws std::system_error.
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// Acts as if a signal had arrived. From any thread.
    static void stop();
    /// Whether a signal has arrived.
    bool stopped() const;

    enum class Event : std::uint8_t { stopped, input, timeout };
    /// Waits for a signal, for input on the file descriptor `input` (if given), or until the time
    /// `until` (if given).
    Event wait(std::optional<int> input,
               std::optional<std::chrono::steady_clock::time_point> until) const;

private:
    struct sigaction interrupt_before_ {};
    struct sigaction terminate_before_ {};
    struct sigaction hang_up_before_ {};
    std::optional<net::StopSignalWatch> watch_;
};

}  // namespace petal::cli
