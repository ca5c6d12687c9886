// flock(2): bound to the open file, so that neither SQLite's locks nor a close elsewhere end it.
#include "chain/storage/file_lock.h"

#include <sys/file.h>

#include <string>

namespace petal::chain {

namespace {

/// Returns false where another lock is in the way.
bool lock_at_once(int descriptor, int operation, const std::string& what) {
    if (::flock(descriptor, operation | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) throw std::system_error(errno, std::generic_category(), what);
    return false;
}

}  // namespace

std::optional<FileLock> FileLock::acquire(const std::filesystem::path& file, Mode mode) {
    FileLock lock{FileDescriptor(file, O_RDWR | O_CREAT | O_NOFOLLOW)};
    const int operation = mode == Mode::exclusive ? LOCK_EX : LOCK_SH;
    if (lock_at_once(lock.descriptor_.number(), operation, file.string())) return lock;
    return std::nullopt;
}

bool FileLock::make_exclusive() {
    if (lock_at_once(descriptor_.number(), LOCK_EX, "flock")) return true;
    make_shared();  // a conversion that fails loses the lock
    return false;
}

void FileLock::make_shared() {
    while (::flock(descriptor_.number(), LOCK_SH) != 0) {
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "flock");
    }
}

}  // namespace petal::chain
