#include "cli/sync/display/event_command.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

extern char** environ;  // POSIX; in no header

namespace petal::cli {
namespace {

/// Starts /bin/sh with `input` as standard input. Returns 0 if that fails.
pid_t start_shell(std::string& command, int input) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    // Standard output is petal's own.
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    std::string shell = "sh";
    std::string option = "-c";
    const std::array<char*, 4> arguments{shell.data(), option.data(), command.data(), nullptr};
    pid_t child = 0;
    const int error = posix_spawn(&child, "/bin/sh", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : 0;
}

/// Writes as much as the reader accepts now. Returns the rest; empty if it does not read any more.
std::string_view send_some(int socket, std::string_view left) {
    while (!left.empty()) {
        const ssize_t sent = send(socket, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN ? left : std::string_view{};
        left.remove_prefix(static_cast<std::size_t>(sent));
    }
    return left;
}

/// How a command failed, by the status of waitpid(); empty if it did not. Ctrl-C ends the command
/// together with petal: the shell itself, or a program whose exit status reports it.
std::string failure_of(int status) {
    constexpr int kEndedByInterrupt = 128 + SIGINT;  // POSIX, sh: "Exit Status for Commands"
    if (WIFEXITED(status) && WEXITSTATUS(status) == kEndedByInterrupt) return "";
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGINT) {
        return "was ended by signal " + std::to_string(WTERMSIG(status));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
        return "ended with status " + std::to_string(WEXITSTATUS(status));
    }
    return "";
}

}  // namespace

EventCommand::EventCommand(std::string command) : command_(std::move(command)) {
    if (is_set()) thread_ = std::thread([this] { work(); });
}

EventCommand::~EventCommand() {
    {
        const std::scoped_lock lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

bool EventCommand::run(std::string input) {
    {
        const std::scoped_lock lock(mutex_);
        if (queue_.size() >= kMostQueued) return false;
        queue_.push_back(std::move(input));
    }
    changed_.notify_all();
    return true;
}

std::vector<std::string> EventCommand::take_failures() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(new_failures_, {});
}

std::size_t EventCommand::finish(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, limit, [this] { return queue_.empty(); });
    return queue_.size();
}

void EventCommand::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return ended_ || !queue_.empty(); });
        if (ended_) return;
        const std::string& input = queue_.front();  // stays valid when others are added
        lock.unlock();
        const std::string failure = run_now(input);
        lock.lock();
        if (!failure.empty() && failures_.insert(failure).second) new_failures_.push_back(failure);
        queue_.pop_front();
        changed_.notify_all();
    }
}

/// Returns when the command has ended, or when there is to be an end of all.
std::string EventCommand::run_now(const std::string& input) {
    // Sockets, since a write to a pipe that no process reads would end petal.
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return "could not be started";
    }
    const pid_t child = start_shell(command_, ends[1]);
    close(ends[1]);
    std::string_view left = input;
    bool is_open = true;
    int status = 0;
    std::chrono::milliseconds pause{1};
    while (child != 0) {
        left = send_some(ends[0], left);
        if (left.empty() && std::exchange(is_open, false)) close(ends[0]);
        if (waitpid(child, &status, WNOHANG) != 0) break;
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, pause, [this] { return ended_; })) break;
        pause = std::min(pause * 2, std::chrono::milliseconds{20});
    }
    if (is_open) close(ends[0]);
    return child == 0 ? "could not be started" : failure_of(status);
}

}  // namespace petal::cli
