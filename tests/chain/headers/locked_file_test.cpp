#include "chain/headers/locked_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "chain/headers/header_file_error.h"
#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;

class LockedFileTest : public testing::Test {
protected:
    // Whether the open file is the one that has the name now.
    bool is_current(const LockedFile& file) const {
        struct stat own {};
        struct stat named {};
        EXPECT_EQ(::fstat(file.descriptor(), &own), 0);
        EXPECT_EQ(::stat(path_.c_str(), &named), 0);
        return own.st_ino == named.st_ino;
    }

    const test::TemporaryFolder folder_;
    fs::path path_ = folder_.path() / "file";
};

TEST_F(LockedFileTest, IsNoSymbolicLink) {
    fs::create_symlink(folder_.path() / "other", path_);
    EXPECT_THROW(LockedFile{path_}, HeaderFileError);
    EXPECT_FALSE(fs::exists(folder_.path() / "other"))
        << "nothing was created at the target of the link";
}

TEST_F(LockedFileTest, IsLockedByTheFirst) {
    const LockedFile first{path_};
    EXPECT_FALSE(first.is_read_only());
    EXPECT_TRUE(LockedFile{path_}.is_read_only());
}

TEST_F(LockedFileTest, IsReplacedByItsStart) {
    LockedFile file{path_};
    Bytes bytes(2'500'000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<Byte>(i / 997);
    file.write(0, bytes);
    // A process that was killed left this file.
    LockedFile{LockedFile::draft_path(path_)}.write(0, Bytes(3'000'000, 0xff));
    const LockedFile reader{path_};
    const MappedFile map{reader.descriptor(), bytes.size()};

    bytes.resize(2'100'000);
    file.replace_by_start(bytes.size());
    EXPECT_TRUE(is_current(file));
    EXPECT_EQ(file.size(), bytes.size());
    EXPECT_EQ(file.read(0, 3'000'000), bytes);
    EXPECT_FALSE(fs::exists(LockedFile::draft_path(path_)));
    EXPECT_TRUE(LockedFile{path_}.is_read_only());
    EXPECT_EQ(map.view().size(), 2'500'000U);
    EXPECT_EQ(map.view().back(), static_cast<Byte>(2'499'999 / 997))
        << "the mapping of the old file stays intact";

    file.replace_by_start(0);
    EXPECT_EQ(fs::file_size(path_), 0U);
}

TEST_F(LockedFileTest, IsNotReplacedByADraftThatFails) {
    LockedFile{path_}.write(0, Bytes(10));
    const fs::path draft = LockedFile::draft_path(path_);
    const auto fail = [](LockedFile& file) {
        file.write(0, Bytes(3));
        throw HeaderFileError("no space left");
    };
    EXPECT_THROW(LockedFile{draft}.replace(path_, fail), HeaderFileError);
    EXPECT_EQ(fs::file_size(path_), 10U);
    EXPECT_FALSE(fs::exists(draft));
}

TEST_F(LockedFileTest, IsUnlockedWhileAMappingRemains) {
    std::unique_ptr<MappedFile> map;
    {
        LockedFile file{path_};
        file.write(0, Bytes(10));
        map = std::make_unique<MappedFile>(file.descriptor(), 10);
    }
    EXPECT_FALSE(LockedFile{path_}.is_read_only());
}

// The holder of the lock must have locked the file that has the name. If the file was replaced
// between opening and locking, writes to the old file would be lost.
TEST_F(LockedFileTest, LocksTheFileThatHasTheName) {
    constexpr int kReplacements = 500;
    constexpr int kMostTries = 1'000'000;
    std::atomic<bool> done = false;
    std::atomic<int> checked = 0;
    int replaced = 0;
    std::thread replacer([&] {
        // Either may find the file locked for a while.
        for (int i = 0; (replaced < kReplacements || checked == 0) && i < kMostTries; ++i) {
            LockedFile file{path_};
            if (file.is_read_only()) {
                std::this_thread::yield();
                continue;
            }
            file.replace_by_start(0);
            ++replaced;
        }
        done = true;
    });
    while (!done) {
        const LockedFile file{path_};
        if (file.is_read_only()) continue;
        EXPECT_TRUE(is_current(file));
        ++checked;
    }
    replacer.join();
    EXPECT_GT(checked.load(), 0);
    EXPECT_GT(replaced, 0);
}

}  // namespace
}  // namespace petal::chain
