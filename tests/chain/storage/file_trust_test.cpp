#include "chain/storage/file_trust.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;
using enum TrustFlaw;

std::optional<TrustFlaw> flaw_of(const fs::path& path) {
    const auto distrust = find_distrust(path);
    return distrust ? std::optional(distrust->flaw) : std::nullopt;
}

/// outer/inner/file, each for its owner alone to write to, and for all to enter.
class FileTrust : public testing::Test {
protected:
    FileTrust() {
        fs::create_directories(inner);
        std::ofstream(file) << "x";
        for (const fs::path& path : {folder.path(), outer, inner}) set_mode(path, 0755);
        set_mode(file, 0644);
    }
    static void set_mode(const fs::path& path, mode_t mode) {
        ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    }

    test::TemporaryFolder folder;
    const fs::path outer = folder.path() / "outer";
    const fs::path inner = outer / "inner";
    const fs::path file = inner / "file";
};

TEST_F(FileTrust, DependsOnTheModeOfTheFile) {
    struct Row {
        mode_t mode;
        std::optional<TrustFlaw> flaw;
    };
    for (const Row& row : {Row{0600, std::nullopt},
                           {0644, std::nullopt},
                           {0755, std::nullopt},
                           {0620, writable_by_others},
                           {0602, writable_by_others}}) {
        set_mode(file, row.mode);
        EXPECT_EQ(flaw_of(file), row.flaw) << row.mode;
        EXPECT_EQ(find_distrust(FileDescriptor(file, O_RDONLY), file).has_value(),
                  row.flaw.has_value());
        set_mode(inner, 0700);
        EXPECT_EQ(flaw_of(file), std::nullopt) << "others cannot reach it";
        set_mode(inner, 0755);
    }
}

TEST_F(FileTrust, DependsOnTheFoldersAbove) {
    struct Row {
        mode_t mode;
        std::optional<TrustFlaw> flaw;
    };
    for (const Row& row : {Row{0755, std::nullopt},
                           {0775, std::nullopt},
                           {0777, open_parent},
                           {01777, std::nullopt}}) {
        set_mode(outer, row.mode);
        for (const fs::path& path : {file, inner, inner / "new", outer / "new"}) {
            EXPECT_EQ(flaw_of(path), row.flaw) << path << row.mode;
        }
    }
    set_mode(outer, 0777);
    set_mode(folder.path(), 0700);
    EXPECT_EQ(flaw_of(file), std::nullopt) << "others cannot reach it";
}

TEST_F(FileTrust, DependsOnBothEndsOfALink) {
    const fs::path open = folder.path() / "open";
    fs::create_directory(open);
    fs::create_symlink(file, open / "link");
    EXPECT_EQ(flaw_of(open / "link"), std::nullopt);
    set_mode(open, 0777);
    EXPECT_EQ(flaw_of(open / "link"), open_parent) << "the link can be replaced";
    set_mode(open, 0755);
    set_mode(outer, 0777);
    EXPECT_EQ(flaw_of(open / "link"), open_parent) << "the file can be replaced";
    set_mode(outer, 0755);
    set_mode(file, 0666);
    EXPECT_EQ(flaw_of(open / "link"), writable_by_others);
}

TEST_F(FileTrust, DependsOnTheOwners) {
    constexpr uid_t kAnotherUser = 4'321;
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
    ASSERT_EQ(::chown(file.c_str(), kAnotherUser, 0), 0);
    EXPECT_EQ(flaw_of(file), foreign_owner);
    EXPECT_TRUE(find_distrust(FileDescriptor(file, O_RDONLY), file));
    ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
    ASSERT_EQ(::chown(outer.c_str(), kAnotherUser, 0), 0);
    for (const fs::path& path : {file, inner, inner / "new", outer / "new"}) {
        EXPECT_EQ(flaw_of(path), foreign_parent) << path;
    }
    EXPECT_EQ(flaw_of(outer), foreign_owner);
    // A container may show root's folders as those of nobody.
    ASSERT_EQ(::chown(outer.c_str(), 65'534, 0), 0);
    std::uint32_t mapped[3] = {};
    std::ifstream map("/proc/self/uid_map");
    for (std::uint32_t& number : mapped) map >> number;
    const bool is_container = mapped[2] != 4'294'967'295;
    EXPECT_EQ(flaw_of(file), is_container ? std::nullopt : std::optional(foreign_parent));
    EXPECT_EQ(flaw_of(outer), foreign_owner);
}

TEST_F(FileTrust, DependsOnTheGroupOfAFolderAbove) {
    constexpr gid_t kAnotherGroup = 4'321;
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
    ASSERT_EQ(::chown(outer.c_str(), 0, kAnotherGroup), 0);
    for (const auto& [mode, flaw] : {std::pair{mode_t{0755}, std::optional<TrustFlaw>{}},
                                     {mode_t{0775}, open_parent},
                                     {mode_t{01775}, std::nullopt}}) {
        set_mode(outer, mode);
        EXPECT_EQ(flaw_of(file), flaw) << mode;
    }
    set_mode(outer, 0775);
    set_mode(folder.path(), 0700);
    EXPECT_EQ(flaw_of(file), std::nullopt) << "the group cannot reach it";
}

TEST_F(FileTrust, DoesNotDependOnTheModeOfADevice) {
    EXPECT_EQ(flaw_of("/dev/null"), std::nullopt);
}

// What is read may differ from what has its name now.
TEST_F(FileTrust, IsOfTheOpenFile) {
    set_mode(file, 0666);
    const FileDescriptor opened(file, O_RDONLY);
    fs::remove(file);
    std::ofstream(file) << "y";
    set_mode(file, 0600);
    EXPECT_EQ(flaw_of(file), std::nullopt);
    const auto distrust = find_distrust(opened, file);
    ASSERT_TRUE(distrust);
    EXPECT_EQ(distrust->flaw, writable_by_others);
}

}  // namespace
}  // namespace petal::chain
