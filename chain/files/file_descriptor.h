/// An open file, as POSIX has it.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace petal::chain {

/// A descriptor, closed at its end.
class FileDescriptor {
public:
    /// Like open(2); a new file is readable by its owner only (0600). Throws std::system_error.
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
    /// Whether the path names this very file: another process may have replaced or removed it.
    /// False for a symbolic link. Throws std::system_error if the system does not tell.
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
