#include "cli/bitcoind/shell_commands.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

extern char** environ;  // POSIX, in no header

namespace petal::cli {
namespace {

/// Returns 0 on a failure.
pid_t spawn_shell(std::string command) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    std::string shell = "sh";
    std::string option = "-c";
    const std::array<char*, 4> arguments{shell.data(), option.data(), command.data(), nullptr};
    pid_t child = 0;
    const int error = posix_spawn(&child, "/bin/sh", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : 0;
}

}  // namespace

std::string fill_in(std::string command, std::string_view placeholder, std::string_view value) {
    for (std::size_t at = command.find(placeholder); at != command.npos;
         at = command.find(placeholder, at + value.size())) {
        command.replace(at, placeholder.size(), value);
    }
    return command;
}

void ShellCommands::start(const std::string& command) {
    std::erase_if(running_, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; });
    if (const pid_t child = spawn_shell(command)) running_.push_back(child);
}

void ShellCommands::run(const std::string& command) {
    const pid_t child = spawn_shell(command);
    while (child != 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace petal::cli
