#include "bloom/large_filter_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "chain/hash.h"
#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace petal::bloom {
namespace {

using Access = LargeFilterFile::Access;

class LargeFilterFiles : public testing::Test {
protected:
    LargeFilterFile make() const { return LargeFilterFile::create(file_, 1'000, 0.001); }

    /// Makes a filter, and changes the file's bytes.
    void make_changed(const std::function<void(std::string&)>& change) const {
        std::filesystem::remove(file_);
        make();
        std::string content = test::file_text(file_);
        change(content);
        std::ofstream(file_, std::ios::binary | std::ios::trunc) << content;
    }

    test::TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.path() / "seen.filter";
};

/// Restores the check of a changed header.
void seal(std::string& content) {
    const auto hash = chain::sha256(chain::as_bytes(content).first(56));
    std::copy_n(hash.begin(), 8, content.begin() + 56);
}

TEST_F(LargeFilterFiles, KeepElements) {
    {
        LargeFilterFile made = make();
        EXPECT_EQ(made.filter().size(), general_size(1'000, 0.001));
        EXPECT_TRUE(made.insert(chain::as_bytes("first")));
    }
    EXPECT_EQ(std::filesystem::file_size(file_), 64 + general_size(1'000, 0.001).bits / 8);
    {
        auto opened = LargeFilterFile::open(file_, Access::add);
        ASSERT_TRUE(opened);
        EXPECT_EQ(opened->expected_insertions(), 1'000U);
        EXPECT_EQ(opened->design_rate(), 0.001);
        EXPECT_FALSE(opened->insert(chain::as_bytes("first")));
        EXPECT_TRUE(opened->insert(chain::as_bytes("second")));
        opened->flush();
    }
    const auto read = LargeFilterFile::open(file_, Access::read);
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->filter().contains(chain::as_bytes("first")));
    EXPECT_TRUE(read->filter().contains(chain::as_bytes("second")));
    EXPECT_FALSE(read->filter().contains(chain::as_bytes("third")));
}

TEST_F(LargeFilterFiles, AreChangedByOneAtATime) {
    LargeFilterFile made = make();
    const auto second = LargeFilterFile::open(file_, Access::add);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), LargeFilterError::in_use);
    const auto reader = LargeFilterFile::open(file_, Access::read);
    ASSERT_TRUE(reader);
    made.insert(chain::as_bytes("first"));
    EXPECT_TRUE(reader->filter().contains(chain::as_bytes("first"))) << "the memory is shared";
}

TEST_F(LargeFilterFiles, AreNeverReplaced) {
    make();
    try {
        make();
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::file_exists);
    }
    EXPECT_TRUE(LargeFilterFile::open(file_, Access::read));
}

TEST_F(LargeFilterFiles, AreNotMadeIfTheDiskIsTooSmall) {
    constexpr std::uint64_t kInsertions = std::uint64_t{1} << 40;
    const auto before = std::filesystem::space(file_.parent_path());
    if (before.available > general_size(kInsertions, 1e-15).bits / 8) GTEST_SKIP() << "it fits";
    try {
        LargeFilterFile::create(file_, kInsertions, 1e-15);
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::no_space_on_device);
        EXPECT_FALSE(std::filesystem::exists(file_));
    }
}

// A copy may have holes in place of zeros, as of cp.
TEST_F(LargeFilterFiles, AreReservedOnTheDiskWhenTheyAreAddedTo) {
    LargeFilterFile::create(file_, 100'000, 0.01);
    const auto size = std::filesystem::file_size(file_);
    std::filesystem::resize_file(file_, 64);
    std::filesystem::resize_file(file_, size);
    const auto reserved = [this] {
        struct stat status {};
        ::stat(file_.c_str(), &status);
        return static_cast<std::uint64_t>(status.st_blocks) * 512;
    };
    ASSERT_LT(reserved(), size);
    ASSERT_TRUE(LargeFilterFile::open(file_, LargeFilterFile::Access::read));
    EXPECT_LT(reserved(), size);
    ASSERT_TRUE(LargeFilterFile::open(file_, LargeFilterFile::Access::add));
    EXPECT_GE(reserved(), size);
}

struct BadFile {
    const char* name;
    std::function<void(std::string&)> change;
    LargeFilterError error;
};

TEST_F(LargeFilterFiles, AreCheckedWhenTheyAreOpened) {
    using enum LargeFilterError;
    const auto put = [](std::size_t at, char value, bool sealed) {
        return [=](std::string& content) {
            content[at] = value;
            if (sealed) seal(content);
        };
    };
    for (const BadFile& bad : std::vector<BadFile>{
             {"empty", [](std::string& content) { content.clear(); }, not_a_filter},
             {"magic", put(0, 'P', true), not_a_filter},
             {"only the magic", [](std::string& content) { content.resize(12); }, bad_header},
             {"half a header", [](std::string& content) { content.resize(40); }, bad_header},
             {"version 2", put(12, 2, true), newer_version},
             {"version 0", put(12, 0, true), bad_header},
             {"check", put(60, 'x', false), bad_header},
             {"flipped rate", put(46, 'x', false), bad_header},
             {"rate", put(47, '\x7f', true), bad_header},
             {"no functions", put(24, 0, true), bad_header},
             {"255 functions", put(24, '\xff', true), bad_header},
             {"bits of no word", put(16, 1, true), bad_header},
             {"2^63 bits", put(23, '\x7f', true), bad_header},
             {"more bits", put(18, '\x7f', true), wrong_size},
             {"cut", [](std::string& content) { content.pop_back(); }, wrong_size},
             {"longer", [](std::string& content) { content += "12345678"; }, wrong_size},
         }) {
        make_changed(bad.change);
        for (const Access access : {Access::read, Access::add}) {
            const auto opened = LargeFilterFile::open(file_, access);
            ASSERT_FALSE(opened) << bad.name;
            EXPECT_EQ(opened.error(), bad.error) << bad.name;
            EXPECT_FALSE(describe(opened.error()).empty());
        }
    }
}

TEST_F(LargeFilterFiles, AreRegularFiles) {
    EXPECT_THROW((void)LargeFilterFile::open(folder_.path(), Access::read), std::system_error);
    EXPECT_THROW((void)LargeFilterFile::open(file_, Access::read), std::system_error);
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    EXPECT_THROW((void)LargeFilterFile::open(file_, Access::read), std::system_error);
}

}  // namespace
}  // namespace petal::bloom
