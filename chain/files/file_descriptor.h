/// An open file (POSIX).
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace petal::chain {

/// A file descriptor, closed by the destructor.
class FileDescriptor {
public:
    /// Like open(2). A new file gets mode 0600. Throws std::system_error.
    FileDescriptor(const std::filesystem::path& path, int flags)
        : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {
        if (number_ < 0) throw std::system_error(errno, std::generic_category(), path.string());
    }
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor() {
        if (number_ >= 0) ::close(number_);
    }

    int number() const { return number_; }
    /// Whether the path still names this file, which another process may have replaced or removed.
    /// False for a symbolic link. Throws std::system_error if fstat(2) or lstat(2) fails.
    bool is_at(const std::filesystem::path& path) const {
        struct stat opened {};
        struct stat named {};
        const bool has_both = ::fstat(number_, &opened) == 0 && ::lstat(path.c_str(), &named) == 0;
        if (has_both) return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
        if (errno == ENOENT) return false;
        throw std::system_error(errno, std::generic_category(), path.string());
    }

private:
    int number_;
};

}  // namespace petal::chain
