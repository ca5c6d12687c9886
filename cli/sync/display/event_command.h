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

/// Why a command for /bin/sh would fail each time: its first word names no program and no command
/// of the shell, or the shell cannot parse it. Empty if it may work. Nothing of it is run.
std::string command_fault(const std::string& command);

/// Runs a command of the user (as Bitcoin Core's -walletnotify) in its own thread, for one event at
/// a time, in the order of the events. Its methods are called from one thread.
class EventCommand {
public:
    /// command   for /bin/sh; if empty, nothing is run
    explicit EventCommand(std::string command);
    /// Drops the waiting events. A running command continues.
    ~EventCommand();
    EventCommand(const EventCommand&) = delete;
    EventCommand& operator=(const EventCommand&) = delete;

    bool is_set() const { return !command_.empty(); }

    /// Runs the command with `input` on its standard input, after it has ended for earlier events.
    /// Returns false, and drops the event, if kMostQueued events are waiting.
    bool run(std::string input);

    /// How the command failed since the last call, each way once in all, to follow its name:
    /// "ended with status 127".
    std::vector<std::string> take_failures();

    /// Waits for the queued events, at most for `limit`. Returns how many are left.
    std::size_t finish(std::chrono::milliseconds limit);

    static constexpr std::size_t kMostQueued = 10'000;

private:
    void work();
    /// Returns how it failed. Empty if it did not.
    std::string run_now(const std::string& input);

    std::string command_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> queue_;  // its first is being run
    bool ended_ = false;
    std::set<std::string> failures_;         // ever
    std::vector<std::string> new_failures_;  // since they were taken
    std::thread thread_;                     // while there is a command
};

}  // namespace petal::cli
