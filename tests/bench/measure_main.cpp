// Runs a command, and prints its time and memory as one line of JSON on standard error.
//
//     petal_bench_measure COMMAND [ARGUMENT]...
//
// This is a small separate program, because the peak memory of a process includes the memory that
// its parent had when the process started.

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>

extern char** environ;

namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const auto start = std::chrono::steady_clock::now();
    pid_t process = 0;
    if (posix_spawnp(&process, argv[1], nullptr, nullptr, argv + 1, environ) != 0) return 127;
    int status = 0;
    rusage usage{};
    wait4(process, &status, 0, &usage);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

    std::fprintf(stderr, "{\"wall_s\":%.4f,\"user_s\":%.4f,\"system_s\":%.4f,\"peak_kib\":%ld}\n",
                 wall.count(), seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
