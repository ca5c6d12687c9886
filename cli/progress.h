/// How a sync is coming along, on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "cli/console.h"
#include "net/sync/sync_engine.h"

namespace petal::cli {

/// Draws a bar that moves in place where standard error is a terminal, and writes a plain line
/// every few seconds elsewhere. Silent with LogLevel::error.
class Progress {
public:
    using Clock = std::chrono::steady_clock;

    /// `console` must outlive it.
    Progress(Console& console, Clock::time_point start);
    /// Takes the bar away.
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(const net::SyncStatus& status, Clock::time_point now);

    /// Takes the bar away, so that something else can be written; the next update draws it again.
    void clear();

private:
    struct Sample {
        Clock::time_point time;
        std::uint64_t blocks;
    };

    void sample(std::uint64_t blocks, Clock::time_point now);
    /// Blocks a second over the last few seconds; 0 while that can't be told.
    double rate() const;
    std::string counts(const net::SyncStatus& status) const;
    std::string bar_line(const net::SyncStatus& status) const;

    Console& console_;
    Clock::time_point last_line_;
    std::deque<Sample> samples_;
    bool drawn_ = false;
};

}  // namespace petal::cli
