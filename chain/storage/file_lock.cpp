// flock(2): bound to the open file, so that neither SQLite's locks nor a close elsewhere end it.
#include "chain/storage/file_lock.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <string>

namespace petal::chain {

namespace {

/// Returns false where another lock is in the way.
bool lock_at_once(int descriptor, int operation, const std::string& what) {
    if (::flock(descriptor, operation | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) throw std::system_error(errno, std::generic_category(), what);
    return false;
}

/// Whether an open file is still the one of its name.
bool is_at(int descriptor, const std::filesystem::path& file) {
    struct stat opened {};
    struct stat named {};
    const bool has_both = ::fstat(descriptor, &opened) == 0 && ::stat(file.c_str(), &named) == 0;
    if (has_both) return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    if (errno != ENOENT) throw std::system_error(errno, std::generic_category(), file.string());
    return false;
}

}  // namespace

std::optional<FileLock> FileLock::acquire(const std::filesystem::path& file, Mode mode) {
    const int operation = mode == Mode::exclusive ? LOCK_EX : LOCK_SH;
    while (true) {
        FileLock lock{FileDescriptor(file, O_RDWR | O_CREAT | O_NOFOLLOW), file};
        const int descriptor = lock.descriptor_.number();
        if (!lock_at_once(descriptor, operation, file.string())) return std::nullopt;
        // Its holder may have removed it since it was opened, so that the name stands for another
        // file, which another process can lock.
        if (is_at(descriptor, file)) return lock;
    }
}

bool FileLock::make_exclusive() {
    const bool is_exclusive = lock_at_once(descriptor_.number(), LOCK_EX, file_.string());
    if (!is_exclusive) make_shared();  // a conversion that fails loses the lock
    if (!is_at(descriptor_.number(), file_)) {
        throw std::system_error(ESTALE, std::generic_category(), file_.string());
    }
    return is_exclusive;
}

void FileLock::make_shared() {
    while (::flock(descriptor_.number(), LOCK_SH) != 0) {
        if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), file_.string());
        }
    }
}

}  // namespace petal::chain
