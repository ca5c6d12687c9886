#include "cli/sync/display/event_command.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/terminal/shell_process.h"

namespace petal::cli {
namespace {

/// Starts a command with `input` as standard input. Returns 0 on a failure.
pid_t start_command(const std::string& command, int input) {
    return spawn_shell({"-c", command}, [input](posix_spawn_file_actions_t& actions) {
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        // The command writes to standard error instead of standard output, which has petal's
        // results.
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    });
}

/// The exit status of /bin/sh with these arguments and without input and output. Nothing if the
/// shell could not be started or a signal ended the shell.
std::optional<int> shell_status(std::vector<std::string> arguments) {
    const pid_t child = spawn_shell(std::move(arguments), [](posix_spawn_file_actions_t& actions) {
        for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
        }
    });
    if (child == 0) return std::nullopt;
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return std::nullopt;
    }
    return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

/// The first word, if the word is the name of a command or of a file. Empty if the word may be an
/// expansion, the number of a redirection or the definition of a function.
std::string plain_first_word(const std::string& command) {
    const std::size_t begin = command.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    const std::size_t end = command.find_first_of(" \t\n;|&<>", begin);
    const std::string word = command.substr(begin, end - begin);
    const std::size_t next = command.find_first_not_of(" \t", end);
    const bool is_redirection =
        end != std::string::npos && (command[end] == '<' || command[end] == '>');
    const bool is_function = next != std::string::npos && command[next] == '(';
    if (is_redirection || is_function) return {};
    const bool is_plain = std::ranges::all_of(word, [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_-./+:@%").find(static_cast<char>(c)) != std::string_view::npos;
    });
    return is_plain ? word : std::string();
}

/// Writes as much as the reader accepts now. Returns the rest. Empty if the reader does not read
/// any more.
std::string_view send_some(int socket, std::string_view left) {
    while (!left.empty()) {
        const ssize_t sent = send(socket, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN ? left : std::string_view{};
        left.remove_prefix(static_cast<std::size_t>(sent));
    }
    return left;
}

/// How a command failed, by the status of waitpid(). Empty for success, and for an end by Ctrl-C,
/// which ends the command together with petal. SIGINT may have ended the shell, or a program in the
/// shell (status kEndedByInterrupt).
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

std::string command_fault(const std::string& command) {
    if (command.empty()) return {};
    const std::string word = plain_first_word(command);
    if (word.find('/') != std::string::npos) {
        std::error_code error;
        const auto status = std::filesystem::status(word, error);
        if (!std::filesystem::exists(status)) return "there is no file '" + word + "'";
        const bool is_program =
            std::filesystem::is_regular_file(status) && access(word.c_str(), X_OK) == 0;
        if (!is_program) return "'" + word + "' is not an executable file";
    } else if (!word.empty() && shell_status({"-c", "command -v \"$1\"", "sh", word}) > 0) {
        return "there is no command '" + word + "'";
    }
    if (shell_status({"-n", "-c", command}) > 0) return "the shell cannot parse it";
    return {};
}

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
        const std::string& input = queue_.front();  // stays valid when events are added
        lock.unlock();
        const std::string failure = run_now(input);
        lock.lock();
        if (!failure.empty() && failures_.insert(failure).second) new_failures_.push_back(failure);
        queue_.pop_front();
        changed_.notify_all();
    }
}

/// Returns when the command has ended, or when the destructor waits.
std::string EventCommand::run_now(const std::string& input) {
    // Sockets, because a write to a pipe without a reader would end petal (SIGPIPE).
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return "could not be started";
    }
    const pid_t child = start_command(command_, ends[1]);
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
