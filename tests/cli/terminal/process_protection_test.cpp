#include "cli/terminal/process_protection.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/support/temporary_folder.h"

namespace petal::cli {
namespace {

struct Protection {
    bool may_write_core = false;
    bool is_dumpable = false;
};

void allow_core_dumps() {
    rlimit limit{};
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CORE, &limit);
    prctl(PR_SET_DUMPABLE, 1);
}

/// The protection of a child process after `work`. Before `work`, the child may write core dumps.
template <typename Work>
Protection protection_after(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        allow_core_dumps();
        work();
        rlimit limit{};
        getrlimit(RLIMIT_CORE, &limit);
        const bool limited = limit.rlim_cur == 0 && limit.rlim_max == 0;
        _exit((limited ? 0 : 1) + (prctl(PR_GET_DUMPABLE) == 0 ? 0 : 2));
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    return {(WEXITSTATUS(status) & 1) != 0, (WEXITSTATUS(status) & 2) != 0};
}

/// Whether the kernel reports a core dump of a process that a signal ends after `work`.
template <typename Work>
bool leaves_core_after(Work work) {
    const test::TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
        allow_core_dumps();
        if (chdir(folder.path().c_str()) != 0) _exit(1);
        work();
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    return WCOREDUMP(status);
}

TEST(ProcessProtection, HidesTheMemory) {
    const Protection without = protection_after([] {});
    EXPECT_TRUE(without.is_dumpable) << "the flag is set on every system before the protection";
    const Protection with = protection_after(protect_process);
    EXPECT_FALSE(with.is_dumpable);
    EXPECT_FALSE(with.may_write_core) << "even if the hard limit allowed it";
}

// Root may raise the limit on core dumps again, so the test raises it after the protection.
TEST(ProcessProtection, LeavesNoCore) {
    EXPECT_FALSE(leaves_core_after(protect_process));
    const auto with_limit_raised_again = [] {
        protect_process();
        const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
        setrlimit(RLIMIT_CORE, &all);
    };
    EXPECT_FALSE(leaves_core_after(with_limit_raised_again));
    if (!leaves_core_after([] {})) GTEST_SKIP() << "this system writes no core dumps";
}

}  // namespace
}  // namespace petal::cli
