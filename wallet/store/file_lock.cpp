// flock(2): bound to the open file, so that neither SQLite's locks nor a close elsewhere end it.
#include "wallet/store/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace petal::wallet {

std::optional<FileLock> FileLock::acquire(const std::filesystem::path& file) {
    const auto fail = [&](int error) {
        throw std::system_error(error, std::generic_category(), file.string());
    };
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) fail(errno);
    FileLock lock{descriptor};
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) fail(errno);
    return std::nullopt;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace petal::wallet
