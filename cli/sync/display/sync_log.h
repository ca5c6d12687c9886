/// The log of a sync on standard error, by `-v` and `-vv`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "cli/terminal/console.h"
#include "net/sync/state/sync_status.h"

namespace petal::cli {

/// Peers, phases and filters as they change, at LogLevel::info. Each message at LogLevel::debug.
class SyncLog {
public:
    /// `console` must outlive the log.
    /// before_line   called before each line, so that a line in place can be cleared
    /// prefix        of each line
    SyncLog(Console& console, std::function<void()> before_line, std::string prefix)
        : console_(console), before_line_(std::move(before_line)), prefix_(std::move(prefix)) {}

    /// Call this after every possible change.
    void update(const net::SyncStatus& status);
    void on_message(const std::string& peer, bool is_sent, std::string_view command,
                    std::size_t bytes);

private:
    struct Peer {
        bool greeted = false;
        bool ended = false;
    };

    void log(const std::string& line);
    void log_peers(const net::SyncStatus& status);
    void log_phase(const net::SyncStatus& status);
    void log_filters(const net::SyncStatus& status);

    Console& console_;
    std::function<void()> before_line_;
    std::string prefix_;
    std::map<net::PeerId, Peer> peers_;
    std::string last_phase_;
    std::uint64_t filter_loads_ = 0;
};

}  // namespace petal::cli
