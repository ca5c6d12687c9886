#include "chain/storage/new_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>

#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;

class NewFileTest : public testing::Test {
protected:
    NewFile make() const { return {file, draft}; }

    static void put(const fs::path& path, std::string_view text) { std::ofstream(path) << text; }
    /// Does `work` in a process that is then killed.
    template <typename Work>
    static void in_killed_process(Work work) {
        const pid_t child = ::fork();
        if (child == 0) {
            work();
            ::_exit(1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status));
    }

    test::TemporaryFolder folder;
    fs::path file = folder.path() / "file";
    fs::path draft = folder.path() / "file.draft";
};

TEST_F(NewFileTest, HasItsNameOnlyWhenItIsWhole) {
    const mode_t old_mask = ::umask(0);
    {
        NewFile made = make();
        made.write(as_bytes("first, "));
        made.write(as_bytes("second"));
        EXPECT_FALSE(fs::exists(file));
        EXPECT_EQ(made.draft(), draft);
        made.keep();
    }
    ::umask(old_mask);
    EXPECT_EQ(test::file_text(file), "first, second");
    EXPECT_FALSE(fs::exists(draft));
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(NewFileTest, IsRemovedUnlessKept) {
    {
        NewFile made = make();
        made.write(as_bytes("half"));
    }
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(NewFileTest, ReplacesNothing) {
    NewFile made = make();
    made.write(as_bytes("new"));
    put(file, "old");
    try {
        made.keep();
        FAIL() << "the file was replaced";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::file_exists);
    }
    EXPECT_EQ(test::file_text(file), "old");
}

TEST_F(NewFileTest, ReplacesNoLinkThatLeadsNowhere) {
    NewFile made = make();
    fs::create_symlink(folder.path() / "nowhere", file);
    EXPECT_THROW(made.keep(), std::system_error);
    EXPECT_TRUE(fs::is_symlink(file));
}

TEST_F(NewFileTest, IsMadeByOneAtATime) {
    NewFile first = make();
    first.write(as_bytes("first"));
    try {
        make();
        FAIL() << "two processes write the file";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::device_or_resource_busy);
    }
    first.keep();
    EXPECT_EQ(test::file_text(file), "first");
}

TEST_F(NewFileTest, FollowsNoLink) {
    put(folder.path() / "other", "another's");
    fs::create_symlink(folder.path() / "other", draft);
    EXPECT_THROW(make(), std::system_error);
    EXPECT_EQ(test::file_text(folder.path() / "other"), "another's");
}

TEST_F(NewFileTest, LeftoversOfAKilledProcessAreReplaced) {
    in_killed_process([&] {
        NewFile made = make();
        made.write(as_bytes("all of it, but for its name"));
        ::raise(SIGKILL);
    });
    EXPECT_FALSE(fs::exists(file));
    EXPECT_TRUE(fs::exists(draft));
    fs::permissions(draft, fs::perms::all);

    NewFile made = make();
    made.write(as_bytes("again"));
    made.keep();
    EXPECT_EQ(test::file_text(file), "again");
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_FALSE(fs::exists(draft));
}

class UnnamedFileTest : public NewFileTest {
protected:
    void SetUp() override {
        if (!NewFile(file).draft().empty()) GTEST_SKIP() << "the file system has no unnamed files";
    }
};

TEST_F(UnnamedFileTest, HasItsNameOnlyWhenItIsWhole) {
    const mode_t old_mask = ::umask(0);
    {
        NewFile made(file);
        made.write(as_bytes("first, "));
        made.write(as_bytes("second"));
        EXPECT_TRUE(fs::is_empty(folder.path()));
        made.keep();
    }
    ::umask(old_mask);
    EXPECT_EQ(test::file_text(file), "first, second");
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(UnnamedFileTest, ReplacesNothing) {
    for (const bool is_link : {false, true}) {
        NewFile made(file);
        fs::remove(file);
        if (is_link) fs::create_symlink(folder.path() / "nowhere", file);
        if (!is_link) put(file, "old");
        try {
            made.keep();
            FAIL() << "the file was replaced";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::file_exists);
        }
        EXPECT_EQ(fs::is_symlink(file), is_link);
    }
}

TEST_F(UnnamedFileTest, KilledProcessLeavesNothing) {
    in_killed_process([&] {
        NewFile made(file);
        made.write(as_bytes("all of it, but for its name"));
        ::raise(SIGKILL);
    });
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(UnnamedFileTest, FolderMustBeThere) {
    EXPECT_THROW(NewFile(folder.path() / "none" / "file"), std::system_error);
}

}  // namespace
}  // namespace petal::chain
