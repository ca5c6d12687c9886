#include "chain/files/lock_holder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "chain/files/file_lock.h"
#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

TEST(LockHolder, IsFoundAndSaidToBeStopped) {
    const test::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "lock";
    const std::filesystem::path other = folder.path() / "other";
    EXPECT_FALSE(find_lock_holder(file));
    const auto own = FileLock::acquire(other, FileLock::Mode::exclusive);
    EXPECT_FALSE(find_lock_holder(other));  // this process does not count

    const pid_t child = ::fork();
    if (child == 0) {
        const auto lock = FileLock::acquire(file, FileLock::Mode::exclusive);
        ::raise(SIGSTOP);
        while (lock) ::pause();
        ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));
    const auto stopped = find_lock_holder(file);
    ::kill(child, SIGCONT);
    ASSERT_EQ(::waitpid(child, &status, WCONTINUED), child);
    const auto running = find_lock_holder(file);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (!stopped && !std::filesystem::exists("/proc/locks")) GTEST_SKIP() << "no /proc/locks";
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->process_id, child);
    EXPECT_TRUE(stopped->is_stopped);
    ASSERT_TRUE(running);
    EXPECT_FALSE(running->is_stopped);
    EXPECT_FALSE(find_lock_holder(file));
}

}  // namespace
}  // namespace petal::chain
