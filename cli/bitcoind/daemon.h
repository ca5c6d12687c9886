/// A process that goes on without its terminal.
#pragma once

#include <optional>

namespace petal::cli {

/// Tells the process that started a daemon how the start went.
class DaemonParent {
public:
    /// Forks. Returns in the child only, which has a session of its own, and /dev/null as its
    /// standard streams. The parent waits for the child and ends: with status 0 after
    /// tell_success(), and with status 1 and a line on standard error if the child ends before.
    /// Call this before threads are started. Throws InitError.
    static DaemonParent fork();
    ~DaemonParent();
    DaemonParent(DaemonParent&& other) noexcept;
    DaemonParent(const DaemonParent&) = delete;
    DaemonParent& operator=(const DaemonParent&) = delete;

    /// Lets the parent end with status 0.
    void tell_success();

private:
    explicit DaemonParent(int pipe) : pipe_(pipe) {}
    int pipe_;
};

}  // namespace petal::cli
