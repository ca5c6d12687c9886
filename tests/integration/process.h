/// Programs that a test starts, and ends whatever happens.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace petal::test {

/// A child process. Dies with this object, and with the test.
class Process {
public:
    /// Starts `arguments[0]`, found in the PATH, with these variables added to the environment;
    /// what it prints is appended to the file `log`. Throws std::runtime_error where it can't be
    /// started.
    explicit Process(const std::vector<std::string>& arguments,
                     const std::map<std::string, std::string>& environment = {},
                     const std::string& log = "/dev/null");
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// The exit status once it has ended by itself; nothing while it runs.
    std::optional<int> exit_status();
    /// Waits for its end and returns the exit status; -1 where a signal ended it.
    int wait();
    /// kill -9. Returns whether it still ran.
    bool kill();

private:
    pid_t pid_ = -1;
    std::optional<int> status_;
};

/// The program's path; empty where the PATH has none of this name.
std::string find_program(const std::string& name);

/// A folder that is removed with this object.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace petal::test
