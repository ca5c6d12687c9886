/// Starts programs that always end with the test.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace petal::test {

/// A child process. Killed by the destructor, and when the test ends.
class Process {
public:
    /// Starts `arguments[0]`, found in the PATH, with these variables added to the environment. The
    /// output is appended to the file `log`. Throws std::runtime_error if the process can't be
    /// started.
    explicit Process(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment = {},
                     const std::string& log = "/dev/null");
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// The exit status if the process has ended by itself. Nothing while the process runs.
    std::optional<int> exit_status();
    /// Waits for the end of the process and returns the exit status, -1 if a signal ended the
    /// process.
    int wait();
    /// Kills the process with SIGKILL. Returns whether the process was still running.
    bool kill();

private:
    pid_t pid_ = -1;
    std::optional<int> status_;
};

/// The path of the program. Empty if the PATH has no program of this name.
std::string find_program(const std::string& name);

}  // namespace petal::test
