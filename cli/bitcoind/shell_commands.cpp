#include "cli/bitcoind/shell_commands.h"

#include <sys/wait.h>

#include <cerrno>

#include "cli/terminal/shell_process.h"

namespace petal::cli {

std::string fill_in(std::string command, std::string_view placeholder, std::string_view value) {
    for (std::size_t at = command.find(placeholder); at != command.npos;
         at = command.find(placeholder, at + value.size())) {
        command.replace(at, placeholder.size(), value);
    }
    return command;
}

void ShellCommands::start(const std::string& command) {
    std::erase_if(running_, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; });
    if (const pid_t child = spawn_shell({"-c", command})) running_.push_back(child);
}

void ShellCommands::run(const std::string& command) {
    const pid_t child = spawn_shell({"-c", command});
    while (child != 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace petal::cli
