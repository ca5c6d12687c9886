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

namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// Returns false where another lock is in the way.
bool lock_at_once(int descriptor, int operation, const std::string& what) {
    if (::flock(descriptor, operation | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) fail(what);
    return false;
}

}  // namespace

std::optional<FileLock> FileLock::acquire(const std::filesystem::path& file, Mode mode) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) fail(file.string());
    FileLock lock{descriptor};
    const int operation = mode == Mode::exclusive ? LOCK_EX : LOCK_SH;
    if (lock_at_once(descriptor, operation, file.string())) return lock;
    return std::nullopt;
}

bool FileLock::make_exclusive() {
    if (lock_at_once(descriptor_, LOCK_EX, "flock")) return true;
    make_shared();  // a conversion that fails loses the lock
    return false;
}

void FileLock::make_shared() {
    while (::flock(descriptor_, LOCK_SH) != 0) {
        if (errno != EINTR) fail("flock");
    }
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
