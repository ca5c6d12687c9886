/// How a sync is coming along, on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "cli/console.h"
#include "cli/sync/status_line.h"
#include "net/sync/sync_engine.h"

namespace petal::cli {

/// A bar that moves in place where standard error is a terminal, plain lines elsewhere
/// (StatusLine).
class Progress {
public:
    using Clock = StatusLine::Clock;

    /// `console` must outlive it.
    Progress(Console& console, Clock::time_point start);

    void update(const net::SyncStatus& status, Clock::time_point now);

    /// Takes the bar away, so that something else can be written; the next update draws it again.
    void clear() { line_.clear(); }

private:
    struct Sample {
        Clock::time_point time;
        std::uint64_t blocks;
    };

    void sample(std::uint64_t blocks, Clock::time_point now);
    /// Blocks a second over the last few seconds; 0 while that can't be told.
    double rate() const;
    std::string counts(const net::SyncStatus& status) const;
    std::string plain_line(const net::SyncStatus& status) const;
    std::string bar_line(const net::SyncStatus& status) const;

    Console& console_;
    StatusLine line_;
    std::deque<Sample> samples_;
};

}  // namespace petal::cli
