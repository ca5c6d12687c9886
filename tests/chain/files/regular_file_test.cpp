#include "chain/files/regular_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "chain/files/file_lock.h"
#include "chain/storage/new_file.h"
#include "chain/storage/private_files.h"
#include "tests/support/temporary_folder.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;

/// A socket's file, while it is listened on.
class Socket {
public:
    explicit Socket(const fs::path& path) : number_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
        EXPECT_EQ(::bind(number_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }
    ~Socket() { ::close(number_); }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

private:
    int number_;
};

class IrregularFiles : public testing::Test {
protected:
    IrregularFiles() : socket_(path("socket")) {
        EXPECT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
        fs::create_directory(path("folder"));
        std::ofstream(path("file")) << "some text";
        fs::create_symlink(path("file"), path("link"));
    }
    fs::path path(const std::string& name) const { return folder_.path() / name; }
    std::vector<fs::path> others() const {
        return {path("fifo"), path("socket"), path("folder"), path("link")};
    }

private:
    test::TemporaryFolder folder_;
    Socket socket_;
};

TEST_F(IrregularFiles, AreRefusedAtOnceByEachFlag) {
    for (const fs::path& other : others()) {
        for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_CREAT}) {
            EXPECT_THROW(open_regular_file(other, flags), std::system_error) << other << flags;
        }
        EXPECT_THROW(read_regular_file(other, 100), std::system_error) << other;
        EXPECT_THROW(expect_regular_or_none(other), std::system_error) << other;
    }
    EXPECT_THROW(open_regular_file("/dev/null", O_RDWR), std::system_error);
    EXPECT_NO_THROW(open_regular_file(path("file"), O_RDWR));
    EXPECT_NO_THROW(expect_regular_or_none(path("file")));
    EXPECT_NO_THROW(expect_regular_or_none(path("none")));
}

TEST_F(IrregularFiles, AreNamedAsSuch) {
    for (const char* name : {"fifo", "socket"}) {
        try {
            open_regular_file(path(name), O_WRONLY);
            FAIL() << name;
        } catch (const std::system_error& error) {
            EXPECT_EQ(error.code(), not_regular_file()) << name;
            EXPECT_EQ(error.code().message(), "it is not a regular file");
        }
    }
}

TEST_F(IrregularFiles, AreNeitherLockedNorWritten) {
    for (const fs::path& other : others()) {
        EXPECT_THROW(FileLock::acquire(other, FileLock::Mode::exclusive), std::system_error)
            << other;
        EXPECT_THROW(ensure_private_file(other), std::system_error) << other;
        EXPECT_THROW(NewFile(path("new"), other), std::system_error) << other;
    }
    ASSERT_EQ(::mkfifo(path("text.new").c_str(), 0600), 0);
    EXPECT_THROW(replace_private_file(path("text"), "text"), std::system_error);
}

TEST_F(IrregularFiles, AreNoTextWhereARegularFileIs) {
    EXPECT_EQ(read_regular_file(path("file"), 100), "some text");
    EXPECT_EQ(read_regular_file(path("file"), 4), "some");
    EXPECT_EQ(read_regular_file(path("file"), 0), "");
}

}  // namespace
}  // namespace petal::chain
