/// A shell command that is run for each event.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace petal::cli {

/// Why a command for /bin/sh would always fail: the first word names neither a program nor a
/// command of the shell, or the shell can't parse the command. Empty if the command may work. Runs
/// no part of the command.
std::string command_fault(const std::string& command);

/// Runs a command of the user (like Bitcoin Core's -walletnotify) for one event at a time, in the
/// order of the events, from a thread of its own. All methods must be called from one thread.
class EventCommand {
public:
    /// command   for /bin/sh. If empty, no command is run
    explicit EventCommand(std::string command);
    /// Drops the waiting events. A running command continues.
    ~EventCommand();
    EventCommand(const EventCommand&) = delete;
    EventCommand& operator=(const EventCommand&) = delete;

    bool is_set() const { return !command_.empty(); }

    /// Runs the command with `input` on standard input, after the commands of earlier events have
    /// ended. Returns false, and drops the event, if kMostQueued events are waiting.
    bool run(std::string input);

    /// The failures since the last call, to follow the command's name: "ended with status 127". A
    /// kind of failure is returned only once in the object's lifetime.
    std::vector<std::string> take_failures();

    /// Waits for the queued events, at most for `limit`. Returns the number of events that are
    /// left.
    std::size_t finish(std::chrono::milliseconds limit);

    static constexpr std::size_t kMostQueued = 10'000;

private:
    void work();
    /// Returns the failure. Empty if the command succeeded.
    std::string run_now(const std::string& input);

    std::string command_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> queue_;  // the command runs for the first
    bool ended_ = false;
    std::set<std::string> failures_;         // all kinds so far
    std::vector<std::string> new_failures_;  // since take_failures()
    std::thread thread_;                     // while there is a command
};

}  // namespace petal::cli
