/// Shows the progress of a sync on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "cli/terminal/status_line.h"
#include "cli/text/json.h"
#include "net/sync/sync_engine.h"

namespace petal::cli {

/// The form of the progress on standard error.
enum class ProgressFormat : std::uint8_t {
    automatic,  ///< a bar on a terminal, lines elsewhere
    json,       ///< an object a line: the event `progress` of `sync --follow --json`
    none,
};

/// The event `progress` of `sync --follow --json` and of `--progress json`.
Json progress_json(const net::SyncStatus& status);

/// The status of the least advanced of several syncs, with the blocks of all syncs together.
/// syncs   at least one
net::SyncStatus overall_status(const std::vector<const net::SyncStatus*>& syncs);

/// A bar that is updated in place if standard error is a terminal, plain lines otherwise
/// (StatusLine). As JSON: at most one object a second, after a change.
class Progress {
public:
    using Clock = StatusLine::Clock;

    /// `console` must outlive the progress.
    /// wallet    named in each object. Empty for none
    /// listens   whether the sync listens for unconfirmed transactions once all blocks are in
    Progress(Console& console, Clock::time_point start,
             ProgressFormat format = ProgressFormat::automatic, std::string wallet = {},
             bool listens = true);

    void update(const net::SyncStatus& status, Clock::time_point now);

    /// Clears the bar, so that a line of output can be written. The next update draws the bar
    /// again.
    void clear() { line_.clear(); }

private:
    struct Sample {
        Clock::time_point time;
        std::uint64_t blocks;
    };

    void write_json(const net::SyncStatus& status, Clock::time_point now);
    void sample(std::uint64_t blocks, Clock::time_point now);
    /// Blocks a second over the last few seconds. 0 if unknown.
    double rate() const;
    std::string phase_text(const net::SyncStatus& status) const;
    std::string counts(const net::SyncStatus& status) const;
    std::string plain_line(const net::SyncStatus& status) const;
    std::string bar_line(const net::SyncStatus& status) const;

    Console& console_;
    StatusLine line_;
    ProgressFormat format_;
    std::string wallet_;
    bool listens_;
    std::optional<Clock::time_point> written_at_;  // the last object
    Json written_;
    std::deque<Sample> samples_;
};

}  // namespace petal::cli
