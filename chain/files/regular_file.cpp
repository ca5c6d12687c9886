#include "chain/files/regular_file.h"

#include <algorithm>

namespace petal::chain {

namespace {

class NotRegularFile : public std::error_category {
public:
    const char* name() const noexcept override { return "petal file"; }
    std::string message(int) const override { return "it is not a regular file"; }
};

[[noreturn]] void refuse(const std::filesystem::path& path) {
    throw std::system_error(not_regular_file(), path.string());
}

FileDescriptor open_at_once(const std::filesystem::path& path, int flags) {
    try {
        return {path, flags | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY};
    } catch (const std::system_error& error) {
        // The error of open(2) for a socket, or for a FIFO without a reader.
        if (error.code() == std::errc::no_such_device_or_address) refuse(path);
        throw;
    }
}

}  // namespace

std::error_code not_regular_file() {
    static const NotRegularFile category;
    return {1, category};
}

FileDescriptor open_regular_file(const std::filesystem::path& path, int flags) {
    FileDescriptor opened = open_at_once(path, flags);
    struct stat status {};
    if (::fstat(opened.number(), &status) != 0) {
        throw std::system_error(errno, std::generic_category(), path.string());
    }
    if (!S_ISREG(status.st_mode)) refuse(path);
    return opened;
}

std::string read_regular_file(const std::filesystem::path& path, std::size_t max_bytes) {
    constexpr std::size_t kPiece = 65'536;
    const FileDescriptor opened = open_regular_file(path, O_RDONLY);
    std::string text;
    while (text.size() < max_bytes) {
        const std::size_t start = text.size();
        const std::size_t wanted = std::min(kPiece, max_bytes - start);
        text.resize(start + wanted);
        const ssize_t count = ::read(opened.number(), text.data() + start, wanted);
        const int error = errno;
        text.resize(start + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count == 0) break;
        if (count < 0 && error != EINTR) {
            throw std::system_error(error, std::generic_category(), path.string());
        }
    }
    return text;
}

void expect_regular_or_none(const std::filesystem::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) refuse(path);
}

}  // namespace petal::chain
