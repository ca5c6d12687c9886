/// One line on standard error about the progress.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cli/terminal/console.h"

namespace petal::cli {

/// Updated in place if standard error is a terminal. Otherwise a plain line is written every few
/// seconds. A line that is already shown is not written again. Silent with LogLevel::error.
class StatusLine {
public:
    using Clock = std::chrono::steady_clock;

    /// `console` must outlive the status line.
    StatusLine(Console& console, Clock::time_point start);
    /// Clears the line.
    ~StatusLine();
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;

    void show(std::string_view text, Clock::time_point now);

    /// Clears the line, so that a line of output can be written. The next show() draws the status
    /// line again.
    void clear();

private:
    Console& console_;
    Clock::time_point last_line_;
    bool drawn_ = false;
    std::string shown_;  // the last line written. Empty after clear()
};

}  // namespace petal::cli
