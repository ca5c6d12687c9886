#include "cli/terminal/shell_process.h"

#include <unistd.h>

extern char** environ;  // POSIX, in no header

namespace petal::cli {

pid_t spawn_shell(std::vector<std::string> arguments,
                  const std::function<void(posix_spawn_file_actions_t&)>& redirect) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (redirect) redirect(actions);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    arguments.insert(arguments.begin(), "sh");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawn(&child, "/bin/sh", &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : 0;
}

}  // namespace petal::cli
