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

/// Runs a command of the user's (as Bitcoin Core's -walletnotify does) in a thread of its own: for
/// one event after the other, in their order. Its methods are called from one thread.
class EventCommand {
public:
    /// command   for /bin/sh; empty: nothing is run
    explicit EventCommand(std::string command);
    /// Drops the events whose turn has not come. The command that runs goes on.
    ~EventCommand();
    EventCommand(const EventCommand&) = delete;
    EventCommand& operator=(const EventCommand&) = delete;

    bool is_set() const { return !command_.empty(); }

    /// Has the command run with `input` on its standard input, once it has ended for the events
    /// before. Returns false where kMostQueued events wait already: then this one is dropped.
    bool run(std::string input);

    /// How the command failed since the last call, each way once in all, to follow its name:
    /// "ended with status 127".
    std::vector<std::string> take_failures();

    /// Waits for the events that are queued, no longer than this. Returns how many are left.
    std::size_t finish(std::chrono::milliseconds limit);

    static constexpr std::size_t kMostQueued = 10'000;

private:
    void work();
    /// Returns how it failed; empty where it did not.
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
