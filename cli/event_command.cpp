#include "cli/event_command.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

extern char** environ;  // POSIX; in no header

namespace petal::cli {

bool EventCommand::run(const std::string& input) {
    std::erase_if(running_, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; });
    if (running_.size() >= kMostRunning) return false;
    // Sockets, since a write to a pipe that nobody reads would end petal. They hold far more than
    // an event.
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    // Standard output is petal's own.
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    std::string shell = "sh";
    std::string option = "-c";
    const std::array<char*, 4> arguments{shell.data(), option.data(), command_.data(), nullptr};
    pid_t child = 0;
    const int error = posix_spawn(&child, "/bin/sh", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0) {
        running_.push_back(child);
        [[maybe_unused]] const ssize_t sent =
            send(ends[0], input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    close(ends[0]);
    return error == 0;
}

}  // namespace petal::cli
