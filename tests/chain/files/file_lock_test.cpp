#include "chain/files/file_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

TEST(FileLock, IsHeldOnceAndReleasedAtTheEnd) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "lock";
    const auto acquire = [&](FileLock::Mode mode) { return FileLock::acquire(file, mode); };
    {
        auto lock = acquire(FileLock::Mode::exclusive);
        ASSERT_TRUE(lock);
        EXPECT_FALSE(acquire(FileLock::Mode::exclusive));
        EXPECT_FALSE(acquire(FileLock::Mode::shared));
        const FileLock moved = std::move(*lock);
        lock.reset();
        EXPECT_FALSE(acquire(FileLock::Mode::exclusive));
    }
    EXPECT_TRUE(acquire(FileLock::Mode::exclusive));
    EXPECT_THROW(
        static_cast<void>(FileLock::acquire(folder.path() / "no" / "lock", FileLock::Mode::shared)),
        std::system_error);
}

TEST(FileLock, IsSharedUnlessItIsExclusive) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "lock";
    const auto acquire = [&](FileLock::Mode mode) { return FileLock::acquire(file, mode); };
    auto lock = acquire(FileLock::Mode::shared);
    ASSERT_TRUE(lock);
    {
        const auto other = acquire(FileLock::Mode::shared);
        EXPECT_TRUE(other);
        EXPECT_FALSE(lock->make_exclusive());
        EXPECT_FALSE(acquire(FileLock::Mode::exclusive)) << "it is still shared";
    }
    EXPECT_TRUE(lock->make_exclusive());
    EXPECT_FALSE(acquire(FileLock::Mode::shared));
    lock->make_shared();
    EXPECT_TRUE(acquire(FileLock::Mode::shared));
}

// flock(2) releases the shared lock before it takes the exclusive one. In between, another process
// may take the lock and remove the locked file.
TEST(FileLock, IsNotConvertedIfTheFileWasReplaced) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "lock";
    for (const bool is_shared : {true, false}) {
        auto lock = FileLock::acquire(file, FileLock::Mode::shared);
        const auto other =
            is_shared ? FileLock::acquire(file, FileLock::Mode::shared) : std::nullopt;
        std::filesystem::remove(file);
        EXPECT_THROW(static_cast<void>(lock->make_exclusive()), std::system_error);
        const auto next = FileLock::acquire(file, FileLock::Mode::shared);
        EXPECT_THROW(static_cast<void>(lock->make_exclusive()), std::system_error);
        std::filesystem::remove(file);
    }
}

// A process that opened the file before it was removed must not hold the lock while another process
// locks the new file of that name.
TEST(FileLock, IsHeldOnceEvenIfItsHoldersRemoveTheFile) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "lock";
    std::atomic<int> holders = 0;
    std::atomic<int> held = 0;
    std::atomic<int> refused = 0;
    std::atomic<bool> was_shared = false;
    const auto lock_and_remove = [&] {
        for (int i = 0; i < 3'000; ++i) {
            const auto lock = FileLock::acquire(file, FileLock::Mode::exclusive);
            if (!lock) {
                ++refused;
                continue;
            }
            ++held;
            if (++holders > 1) was_shared = true;
            std::this_thread::yield();
            --holders;
            std::filesystem::remove(file);
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) threads.emplace_back(lock_and_remove);
    }
    EXPECT_FALSE(was_shared);
    EXPECT_GT(held.load(), 0);
    EXPECT_GT(refused.load(), 0) << "no two threads met";
}

}  // namespace
}  // namespace petal::chain
