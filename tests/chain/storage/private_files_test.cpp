#include "chain/storage/private_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <system_error>

#include "chain/files/file_lock.h"
#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

class ReplacedFile : public testing::Test {
protected:
    test::TemporaryFolder folder_;
    const std::filesystem::path file_ = folder_.path() / "some.json";
    const std::filesystem::path fresh_ = folder_.path() / "some.json.new";
};

TEST_F(ReplacedFile, IsItsOwnersAndLeavesNothingBeside) {
    std::ofstream(fresh_) << "left by a process that was killed, and longer";
    ASSERT_EQ(::chmod(fresh_.c_str(), 0644), 0);
    replace_private_file(file_, "first");
    replace_private_file(file_, "second");
    EXPECT_EQ(test::file_text(file_), "second");
    struct stat status {};
    ASSERT_EQ(::stat(file_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_FALSE(std::filesystem::exists(fresh_));
}

TEST_F(ReplacedFile, IsLeftToAnotherProcessThatIsWriting) {
    replace_private_file(file_, "old");
    auto other = FileLock::acquire(fresh_, FileLock::Mode::exclusive);
    ASSERT_TRUE(other);
    std::ofstream(fresh_) << "half of";
    try {
        replace_private_file(file_, "mine");
        FAIL() << "it wrote into the file of the other process";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::device_or_resource_busy);
    }
    EXPECT_EQ(test::file_text(fresh_), "half of");
    EXPECT_EQ(test::file_text(file_), "old");
    other.reset();
    replace_private_file(file_, "mine");
    EXPECT_EQ(test::file_text(file_), "mine");
}

}  // namespace
}  // namespace petal::chain
