/// A shell command that is run for each event.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace petal::cli {

/// Runs a command of the user's (as Bitcoin Core's -walletnotify does), and does not wait for it.
/// Not thread-safe.
class EventCommand {
public:
    /// command   for /bin/sh; empty: nothing is run
    explicit EventCommand(std::string command) : command_(std::move(command)) {}
    EventCommand(const EventCommand&) = delete;
    EventCommand& operator=(const EventCommand&) = delete;

    bool is_set() const { return !command_.empty(); }

    /// Starts the command with `input` on its standard input. Returns false where it can't be
    /// started, or where kMostRunning of them have not ended.
    bool run(const std::string& input);

    static constexpr std::size_t kMostRunning = 100;

private:
    std::string command_;
    std::vector<pid_t> running_;
};

}  // namespace petal::cli
