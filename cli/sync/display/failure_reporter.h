/// Reports why a continuous sync has no peer.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "net/io/spv_result.h"
#include "net/sync/state/sync_status.h"

namespace petal::cli {

/// Warns of each failure of a node that the user named. A failure is not repeated until the failure
/// changes or the node has answered. In a search for peers, failures are common. So a search only
/// causes warnings while there is no peer, one for each kind of failure.
class FailureReporter {
public:
    using Clock = std::chrono::steady_clock;
    using OnFailure =
        std::function<void(const net::Endpoint& endpoint, const net::EndpointFailure& failure)>;

    struct Setting {
        bool searches = false;         ///< for peers, as the user named none
        bool has_auto_source = false;  ///< see FailedEndpoints
    };

    /// before_line   called before each warning, to clear the progress line
    /// on_failure    called with each failure of a named node that causes a warning
    /// prefix        of each warning
    FailureReporter(Console& console, const GlobalOptions& global, Setting setting,
                    std::function<void()> before_line, OnFailure on_failure,
                    std::string prefix = {});

    /// Call this after a failure. Keeps a reference to `so_far`.
    void on_failure(const net::SpvResult& so_far, const net::SyncStatus& status);
    /// Call this regularly.
    void update(const net::SyncStatus& status, Clock::time_point now);

private:
    void warn_of_named(const net::SpvResult& so_far, const net::SyncStatus& status);
    void warn(const std::string& text);

    Console& console_;
    const GlobalOptions& global_;
    Setting setting_;
    std::function<void()> before_line_;
    OnFailure on_failure_;
    std::string prefix_;
    const net::SpvResult* so_far_ = nullptr;
    std::map<std::string, std::string> reported_;  // the last failure of each endpoint
    std::string reported_search_;
    Clock::time_point had_peer_at_ = Clock::now();
};

}  // namespace petal::cli
