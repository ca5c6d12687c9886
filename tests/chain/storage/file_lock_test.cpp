#include "chain/storage/file_lock.h"

#include <gtest/gtest.h>

#include <optional>
#include <system_error>
#include <utility>

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

}  // namespace
}  // namespace petal::chain
