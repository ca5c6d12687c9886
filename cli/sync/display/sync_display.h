/// The display of the syncs of one run: progress and events.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/sync/display/follow_events.h"
#include "cli/sync/display/progress.h"
#include "cli/terminal/console.h"
#include "net/sync/state/sync_status.h"

namespace petal::cli {

/// How syncs are shown.
struct DisplayOptions {
    ProgressFormat progress = ProgressFormat::automatic;
    std::string notify;  ///< a shell command that gets events. Empty for none
};

/// The progress of one sync or of several together, and, with --follow, the output of events.
class SyncDisplay {
public:
    using Clock = Progress::Clock;

    /// How long the syncs run, and what is shown.
    enum class Mode : std::uint8_t {
        to_the_last_block,
        listens,  ///< to the last block, then waits for unconfirmed transactions
        stays,    ///< the syncs continue once all blocks are searched
        follows,  ///< as `stays`, and events are shown
    };

    /// The arguments must outlive the display.
    SyncDisplay(const DisplayOptions& options, const GlobalOptions& global, Console& console,
                Clock::time_point start, Mode mode);

    /// Shows a sync. Keeps a reference to `status`. Returns a number to pass to update().
    /// wallet   the name in JSON progress. Empty for none
    std::size_t add(const net::SyncStatus& status, const std::string& wallet);
    void update(std::size_t sync, Clock::time_point now);
    /// Clears the progress, so that a line can be written.
    void clear();
    /// Call this at the end of a run. Waits a moment for the last commands of --notify.
    void finish_events();

    /// Null without --follow.
    EventOutput* events() { return events_ ? &*events_ : nullptr; }

private:
    bool shows(const net::SyncStatus& all);

    const DisplayOptions& options_;
    Console& console_;
    Clock::time_point start_;
    Mode mode_;
    bool was_done_ = false;  // all blocks were searched
    std::vector<const net::SyncStatus*> statuses_;
    std::vector<std::unique_ptr<Progress>> progress_;  // one for all, or (JSON) for each
    std::optional<EventOutput> events_;
};

}  // namespace petal::cli
