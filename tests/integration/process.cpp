#include "tests/integration/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>

namespace petal::test {

namespace {

[[noreturn]] void become(const std::vector<std::string>& arguments,
                         const std::map<std::string, std::string>& environment,
                         const std::string& log) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    const int nowhere = ::open("/dev/null", O_RDONLY);
    const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    std::vector<char*> words;
    for (const std::string& argument : arguments)
        words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
}

int status_of(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment, const std::string& log)
    : pid_(::fork()) {
    if (pid_ < 0) throw std::runtime_error("cannot start " + arguments.at(0));
    if (pid_ == 0) become(arguments, environment, log);
}

Process::~Process() {
    (void)kill();
}

std::optional<int> Process::exit_status() {
    int wait_status = 0;
    if (!status_ && ::waitpid(pid_, &wait_status, WNOHANG) == pid_)
        status_ = status_of(wait_status);
    return status_;
}

int Process::wait() {
    int wait_status = 0;
    if (!status_ && ::waitpid(pid_, &wait_status, 0) == pid_) status_ = status_of(wait_status);
    return status_.value_or(-1);
}

bool Process::kill() {
    if (status_) return false;
    ::kill(pid_, SIGKILL);
    return wait() == -1;
}

std::string find_program(const std::string& name) {
    const char* path = ::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = folder + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
}

}  // namespace petal::test
