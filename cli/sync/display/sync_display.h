/// The display of the syncs of one run: their progress, and their events.
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

    /// When the output ends.
    enum class Mode : std::uint8_t {
        to_the_last_block,
        listens,  ///< then for unconfirmed transactions, for some time
        stays,    ///< the syncs continue once all blocks are searched
        follows,  ///< they do, and their events are shown
    };

    /// All must outlive it.
    SyncDisplay(const DisplayOptions& options, const GlobalOptions& global, Console& console,
                Clock::time_point start, Mode mode);

    /// Shows a sync, whose status must not be moved. Pass the returned number to update().
    /// wallet   the name in its progress as JSON. Empty for none
    std::size_t add(const net::SyncStatus& status, const std::string& wallet);
    void update(std::size_t sync, Clock::time_point now);
    /// Makes room for a line.
    void clear();
    /// Ends a run: gives the last commands of --notify a moment to end.
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
    std::vector<std::unique_ptr<Progress>> progress_;  // one for all; as JSON one for each
    std::optional<EventOutput> events_;
};

}  // namespace petal::cli
