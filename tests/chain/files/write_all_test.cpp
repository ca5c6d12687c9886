#include "chain/files/write_all.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "tests/support/file_content.h"
#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

class WriteAll : public testing::Test {
protected:
    std::string content() const { return test::file_text(file); }

    const test::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "file";
};

TEST_F(WriteAll, WritesAtTheFilePosition) {
    const FileDescriptor opened(file, O_WRONLY | O_CREAT);
    write_all(opened, as_bytes("one "), file);
    write_all(opened, {}, file);
    write_all(opened, as_bytes("two"), file);
    EXPECT_EQ(content(), "one two");
}

TEST_F(WriteAll, KeepsThePositionIfAnOffsetIsGiven) {
    const FileDescriptor opened(file, O_WRONLY | O_CREAT);
    write_all(opened, as_bytes("two"), file, 4);
    write_all(opened, as_bytes("one "), file);
    EXPECT_EQ(content(), "one two");
}

TEST_F(WriteAll, NamesTheFileThatCannotBeWritten) {
    { const FileDescriptor made(file, O_WRONLY | O_CREAT); }
    const FileDescriptor opened(file, O_RDONLY);
    for (const std::optional<std::size_t> offset : {std::optional<std::size_t>(), {0}}) {
        try {
            write_all(opened, as_bytes("text"), file, offset);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), std::errc::bad_file_descriptor);
            EXPECT_NE(std::string_view(error.what()).find(file.string()), std::string_view::npos);
        }
    }
}

}  // namespace
}  // namespace petal::chain
