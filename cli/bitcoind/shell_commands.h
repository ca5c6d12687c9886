/// The commands that a user has run on events, such as -blocknotify.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace petal::cli {

/// The command with each `placeholder` replaced by the value.
std::string fill_in(std::string command, std::string_view placeholder, std::string_view value);

/// Runs commands by /bin/sh, with the streams of this process.
class ShellCommands {
public:
    /// Starts a command and does not wait. A command that can't be started is ignored.
    void start(const std::string& command);
    /// Runs a command and waits for its end.
    static void run(const std::string& command);

private:
    std::vector<pid_t> running_;
};

}  // namespace petal::cli
