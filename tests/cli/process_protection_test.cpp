#include "cli/process_protection.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace petal::cli {
namespace {

/// Whether a process of its own, which may write core dumps, may still after `work`.
template <typename Work>
bool may_dump_core_after(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        rlimit limit{};
        getrlimit(RLIMIT_CORE, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_CORE, &limit);
        prctl(PR_SET_DUMPABLE, 1);
        work();
        getrlimit(RLIMIT_CORE, &limit);
        const bool limited = limit.rlim_cur == 0 && limit.rlim_max == 0;
        _exit((limited ? 0 : 1) + (prctl(PR_GET_DUMPABLE) == 0 ? 0 : 2));
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_TRUE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) >= 2)
        << "dumpable is what always differs";
    return WEXITSTATUS(status) != 0;
}

TEST(ProcessProtection, HidesTheMemory) {
    EXPECT_TRUE(may_dump_core_after([] {}));
    EXPECT_FALSE(may_dump_core_after(protect_process));
}

}  // namespace
}  // namespace petal::cli
